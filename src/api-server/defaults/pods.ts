/** Defaults of pods and of their templates; rule: pkg/apis/core/v1/defaults.go of Kubernetes. */
import { isMap } from '../json.ts';
import type { Defaults } from './fill.ts';

const HTTP_GET: Defaults = { values: { path: '/', scheme: 'HTTP' } };
const FIELD_REF: Defaults = { values: { apiVersion: 'v1' } };
const SOURCE_OF_FIELD: Defaults = { below: { fieldRef: FIELD_REF, resourceFieldRef: { values: { divisor: '0' } } } };
const PROBE: Defaults = {
  values: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  below: { httpGet: HTTP_GET, grpc: { values: { service: '' } } },
};
export const TCP: Defaults = { values: { protocol: 'TCP' } };
const CONTAINER: Defaults = {
  values: { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File', resources: {} },
  below: {
    ports: TCP,
    env: { emptied: ['value'], below: { valueFrom: SOURCE_OF_FIELD } },
    livenessProbe: PROBE,
    readinessProbe: PROBE,
    startupProbe: PROBE,
    lifecycle: { below: { postStart: { below: { httpGet: HTTP_GET } }, preStop: { below: { httpGet: HTTP_GET } } } },
  },
  computed: ({ image }) => ({ imagePullPolicy: isLatest(String(image ?? '')) ? 'Always' : 'IfNotPresent' }),
};
const DOWNWARD: Defaults = { below: { items: SOURCE_OF_FIELD } };
const MODE = { defaultMode: 0o644 };
export const CLAIM_SPEC: Defaults = { values: { volumeMode: 'Filesystem' } };
const VOLUME: Defaults = {
  below: {
    secret: { values: MODE },
    configMap: { values: MODE },
    downwardAPI: { ...DOWNWARD, values: MODE },
    projected: {
      values: MODE,
      below: { sources: { below: { serviceAccountToken: { values: { expirationSeconds: 3600 } }, downwardAPI: DOWNWARD } } },
    },
    hostPath: { values: { type: '' } },
    ephemeral: { below: { volumeClaimTemplate: { below: { spec: CLAIM_SPEC } } } },
  },
  computed: (volume) => (Object.keys(volume).length === 1 ? { emptyDir: {} } : {}),
};
const TERMS: Defaults = { emptied: ['preferredDuringSchedulingIgnoredDuringExecution', 'requiredDuringSchedulingIgnoredDuringExecution'] };
const POD_SPEC: Defaults = {
  values: {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
  below: {
    containers: CONTAINER,
    initContainers: CONTAINER,
    volumes: VOLUME,
    affinity: { below: { nodeAffinity: TERMS, podAffinity: TERMS, podAntiAffinity: TERMS } },
  },
  // The older name of the field, which conversions still write.
  computed: ({ serviceAccountName }) => (serviceAccountName ? { serviceAccount: serviceAccountName } : {}),
};
export const TEMPLATE: Defaults = { below: { spec: POD_SPEC } };

/** Defaults of a running pod, which a template does not get: a request for each limit. */
const running: Defaults = {
  ...CONTAINER,
  below: { ...CONTAINER.below, resources: { computed: ({ limits }) => (isMap(limits) ? { requests: limits } : {}) } },
};
export const POD: Defaults = {
  below: {
    spec: {
      ...POD_SPEC,
      values: { ...POD_SPEC.values, enableServiceLinks: true },
      below: { ...POD_SPEC.below, containers: running, initContainers: running },
    },
  },
};

/** An image without tag and digest is that of the tag `latest`. */
function isLatest(image: string): boolean {
  const [named = '', digest] = image.split('@');
  const tag = /:([^/:]*)$/.exec(named)?.[1];
  return tag === 'latest' || (tag === undefined && digest === undefined);
}
