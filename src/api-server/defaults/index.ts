/** Defaults of Kubernetes' own kinds, as the API server fills them in; rule: pkg/apis/<group>/<version>/defaults.go of Kubernetes. */
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { isMap, type JsonMap } from '../json.ts';
import { isBuiltIn } from '../kinds.ts';
import { type Defaults, filled } from './fill.ts';
import { CLAIM_SPEC, POD, TCP, TEMPLATE } from './pods.ts';

const JOB_SPEC: Defaults = {
  values: { parallelism: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false, manualSelector: false },
  below: { template: TEMPLATE },
  computed: ({ parallelism, podFailurePolicy }) => ({
    ...(parallelism === undefined && { completions: 1 }),
    podReplacementPolicy: podFailurePolicy ? 'Failed' : 'TerminatingOrFailed',
  }),
};
const RBAC = { apiGroup: 'rbac.authorization.k8s.io' };
const BINDING: Defaults = {
  below: { roleRef: { values: RBAC }, subjects: { computed: ({ kind }) => (kind === 'ServiceAccount' ? {} : RBAC) } },
};
const MATCH = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };

const spec = (of: Defaults): Defaults => ({ below: { spec: of } });
/**
 * A strategy without a type is a RollingUpdate with these numbers.
 * @param isGiven a RollingUpdate without numbers gets them too; that of a StatefulSet does not
 */
const rolling = (field: string, numbers: JsonMap, isGiven = true) => ({
  computed: (of: JsonMap): JsonMap => {
    const { type, rollingUpdate } = (of[field] ?? {}) as JsonMap;
    if (type === undefined) return { [field]: { type: 'RollingUpdate', rollingUpdate: numbers } };
    return type === 'RollingUpdate' && (isGiven || rollingUpdate) ? { [field]: { rollingUpdate: numbers } } : {};
  },
});

/** By the name of a kind. */
const KINDS: Readonly<Record<string, Defaults>> = {
  CSIDriver: spec({
    values: {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
      seLinuxMount: false,
    },
  }),
  ClusterRoleBinding: BINDING,
  CronJob: spec({
    values: { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
    below: { jobTemplate: spec(JOB_SPEC) },
  }),
  CustomResourceDefinition: {
    below: {
      spec: {
        values: { conversion: { strategy: 'None' } },
        below: {
          names: { computed: ({ kind }) => ({ listKind: `${String(kind)}List`, singular: String(kind).toLowerCase() }) },
        },
      },
    },
  },
  DaemonSet: spec({
    ...rolling('updateStrategy', { maxSurge: 0, maxUnavailable: 1 }),
    values: { revisionHistoryLimit: 10 },
    below: { template: TEMPLATE },
  }),
  Deployment: spec({
    ...rolling('strategy', { maxSurge: '25%', maxUnavailable: '25%' }),
    values: { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
    below: { template: TEMPLATE },
  }),
  Job: {
    below: { spec: JOB_SPEC },
    computed: ({ metadata, spec: of }) => {
      const { labels } = ((of as JsonMap | undefined)?.['template'] as { readonly metadata?: JsonMap } | undefined)?.metadata ?? {};
      const own = (metadata as JsonMap)['labels'];
      return isMap(labels) && (!isMap(own) || Object.keys(own).length === 0) ? { metadata: { labels } } : {};
    },
  },
  MutatingWebhookConfiguration: {
    below: {
      webhooks: {
        values: { ...MATCH, failurePolicy: 'Fail', reinvocationPolicy: 'Never', timeoutSeconds: 10 },
        below: { clientConfig: { below: { service: { values: { port: 443 } } } }, rules: { values: { scope: '*' } } },
      },
    },
  },
  NetworkPolicy: spec({
    below: { ingress: { below: { ports: TCP } }, egress: { below: { ports: TCP } } },
    computed: ({ egress }) => ({ policyTypes: ['Ingress', ...(Array.isArray(egress) && egress.length > 0 ? ['Egress'] : [])] }),
  }),
  PersistentVolume: spec({
    values: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
    below: { hostPath: { values: { type: '' } } },
  }),
  PersistentVolumeClaim: spec(CLAIM_SPEC),
  Pod: POD,
  PriorityClass: { values: { preemptionPolicy: 'PreemptLowerPriority' } },
  ReplicaSet: spec({ values: { replicas: 1 }, below: { template: TEMPLATE } }),
  RoleBinding: BINDING,
  Secret: { values: { type: 'Opaque' } },
  Service: spec({
    values: { type: 'ClusterIP', sessionAffinity: 'None' },
    computed: ({ type }) => (type === 'ExternalName' ? {} : { internalTrafficPolicy: 'Cluster' }),
    below: { ports: { ...TCP, computed: ({ port = null }) => ({ targetPort: port }) } },
  }),
  StatefulSet: spec({
    ...rolling('updateStrategy', { partition: 0 }, false),
    values: {
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    },
    below: {
      template: TEMPLATE,
      volumeClaimTemplates: {
        values: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', status: { phase: 'Pending' } },
        below: { spec: CLAIM_SPEC },
      },
    },
  }),
  StorageClass: { values: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' } },
  ValidatingAdmissionPolicy: spec({ values: { failurePolicy: 'Fail' }, below: { matchConstraints: { values: MATCH } } }),
  ValidatingAdmissionPolicyBinding: spec({ below: { matchResources: { values: MATCH } } }),
};

/** An object with what the API server fills in; the same one, if that is nothing. */
export function withKubernetesDefaults(type: ResourceType, object: KubeObject): KubeObject {
  const defaults = isBuiltIn(type) ? KINDS[type.kind] : undefined;
  return defaults ? (filled(defaults, object as unknown as JsonMap) as unknown as KubeObject) : object;
}
