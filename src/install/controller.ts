import { Construct } from 'constructs';
import { KubeObject, type Runtime } from '../constructs/index.ts';
import { byKey } from '../constructs/merge.ts';
import { Account } from './account.ts';
import { labels, selector } from './labels.ts';
import { CONTROLLER_MEMORY, inEnv } from './memory.ts';
import { metricsOnly } from './network.ts';
import type { Settled } from './options.ts';
import { controllerRights, electionRights } from './rights.ts';

const CONTROLLER = 'sluice-controller';
/** Of `runAsUser`: no user of the node. */
const USER = 65_532;

/** The controller: replicas of which one leads and the others stand by. */
export class Controller extends Construct {
  constructor(scope: Construct, options: Settled, runtimes: readonly Runtime[]) {
    super(scope, 'controller');
    const { namespace } = options;
    const metadata = { name: CONTROLLER, namespace, labels: labels('controller') };
    new Account(this, 'account', {
      name: CONTROLLER,
      namespace,
      part: 'controller',
      rights: controllerRights(runtimes, namespace),
      rightsAtHome: electionRights,
    });
    metricsOnly(this, CONTROLLER, namespace, 'controller');
    new KubeObject(this, 'disruption', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      // Not minAvailable: with one replica that would block every drain for ever.
      spec: { maxUnavailable: 1, selector: { matchLabels: selector('controller') }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
    new KubeObject(this, 'deployment', { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deployment(options) });
  }
}

function deployment({ controller, image, imagePullPolicy, imagePullSecrets, kubeletDir, mountRoot }: Settled): object {
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });
  const container = {
    name: 'controller',
    image,
    imagePullPolicy,
    args: ['reconcile', ...(controller.args ?? [])],
    // An operator's own variables win.
    env: byKey(
      ({ name }) => name,
      [
        field('MY_POD_NAME', 'metadata.name'),
        field('MY_POD_NAMESPACE', 'metadata.namespace'),
        { name: 'SLUICE_IMAGE', value: image },
        { name: 'MOUNT_ROOT', value: mountRoot },
        { name: 'KUBELET_ROOTDIR', value: kubeletDir },
        ...inEnv(CONTROLLER_MEMORY),
        ...(controller.env ?? []),
      ],
      'later',
    ),
    ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
    livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' }, periodSeconds: 5 },
    // Until the first answer: a slow node is no reason for a restart.
    startupProbe: { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 2, failureThreshold: 60 },
    resources: controller.resources,
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
  return {
    replicas: controller.replicas,
    selector: { matchLabels: selector('controller') },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: labels('controller') },
      spec: {
        serviceAccountName: CONTROLLER,
        automountServiceAccountToken: true,
        // A class of Kubernetes: every tenant's pods could use one that Sluice created.
        priorityClassName: 'system-cluster-critical',
        securityContext: { runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, seccompProfile: { type: 'RuntimeDefault' } },
        nodeSelector: { 'kubernetes.io/os': 'linux', ...controller.nodeSelector },
        ...(controller.tolerations && { tolerations: controller.tolerations }),
        ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: selector('controller') },
          },
        ],
        containers: [container],
      },
    },
  };
}
