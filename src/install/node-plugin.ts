import { Construct } from 'constructs';
import { csiDriver } from '../api/index.ts';
import { PlainObject, type Runtime } from '../constructs/index.ts';
import { Account } from './account.ts';
import { labels, selector } from './labels.ts';
import { inEnv, NODE_PLUGIN_MEMORY } from './memory.ts';
import { ingressOnly } from './network.ts';
import { environment, fieldEnv, podMetadata } from './replicas.ts';
import { NodePolicy } from './node-policy.ts';
import type { Settled } from './settled.ts';
import { nodePluginRights } from './rights.ts';

const NODE_PLUGIN = 'sluice-csi';

/** The CSI plugin on every node, and its registration with Kubernetes. */
export class NodePlugin extends Construct {
  constructor(scope: Construct, options: Settled, runtimes: readonly Runtime[]) {
    super(scope, 'csi');
    const { namespace, nodePolicy } = options;
    const metadata = { name: NODE_PLUGIN, namespace, labels: labels('csi') };
    new Account(this, 'account', { name: NODE_PLUGIN, namespace, part: 'csi', rights: nodePluginRights(runtimes) });
    if (nodePolicy) new NodePolicy(this, 'policy', { name: NODE_PLUGIN, account: NODE_PLUGIN });
    // The plugin's other sockets are files, so metrics are its only port.
    ingressOnly(this, NODE_PLUGIN, options, 'csi');
    new PlainObject(this, 'driver', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: csiDriver, labels: labels('csi') },
      // fsGroup: the kubelet must not change the owner of each file of a data set because a pod has a group.
      spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent'], fsGroupPolicy: 'None' },
    });
    new PlainObject(this, 'daemon', { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: daemon(options) });
  }
}

function daemon({ csi, image, imagePullPolicy, imagePullSecrets, kubeletDir, mountRoot, podLogsDir }: Settled): object {
  const container = {
    name: 'csi',
    image,
    imagePullPolicy,
    args: [
      'csi',
      '--node-id=$(NODE_NAME)',
      `--kubelet-dir=${kubeletDir}`,
      `--mount-root=${mountRoot}`,
      `--pod-logs-dir=${podLogsDir}`,
      '--metrics-addr=:8080',
      // The last value of a flag takes precedence.
      ...(csi.args ?? []),
    ],
    env: environment([fieldEnv('NODE_NAME', 'spec.nodeName'), ...inEnv(NODE_PLUGIN_MEMORY)], csi.env),
    ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
    livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 10, failureThreshold: 3 },
    // Ready once the kubelet has registered the plugin: an image that does not register stops the rollout at the first nodes.
    readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' }, periodSeconds: 5 },
    startupProbe: { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 2, failureThreshold: 60 },
    resources: csi.resources,
    // Only root in a privileged container can create mounts that other pods see.
    securityContext: { ...csi.containerSecurityContext, privileged: true, runAsUser: 0, runAsGroup: 0 },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      // Each under its path on the host, since requests of the kubelet contain paths of the host. What is mounted or unmounted below them, the
      // host and all pods see.
      { name: 'kubelet', mountPath: kubeletDir, mountPropagation: 'Bidirectional' },
      { name: 'mounts', mountPath: mountRoot, mountPropagation: 'Bidirectional' },
      // The names of its directories are those of this node's pods.
      { name: 'pod-logs', mountPath: podLogsDir, readOnly: true },
      { name: 'run', mountPath: '/run' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
  return {
    selector: { matchLabels: selector('csi') },
    // Pods go on reading while it is replaced; what waits is their start, so a few nodes at a time.
    updateStrategy: csi.updateStrategy ?? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } },
    template: {
      metadata: podMetadata('csi', csi),
      spec: {
        serviceAccountName: NODE_PLUGIN,
        automountServiceAccountToken: true,
        ...(csi.podSecurityContext && { securityContext: csi.podSecurityContext }),
        ...(csi.priorityClassName && { priorityClassName: csi.priorityClassName }),
        // A process namespace ends only when the last process in it does, and one that waits for a FUSE client which hangs does not: with
        // one of its own the plugin could not be replaced before that client ends.
        hostPID: true,
        nodeSelector: csi.nodeSelector,
        ...(csi.affinity && { affinity: csi.affinity }),
        tolerations: csi.tolerations,
        ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
        containers: [container],
        volumes: [
          { name: 'kubelet', hostPath: { path: kubeletDir, type: 'Directory' } },
          { name: 'mounts', hostPath: { path: mountRoot, type: 'DirectoryOrCreate' } },
          { name: 'pod-logs', hostPath: { path: podLogsDir, type: 'DirectoryOrCreate' } },
          { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
          { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
        ],
      },
    },
  };
}
