import type { Difference } from './difference.ts';

const cases = /^efc\//;

export const efcDifferences: readonly Difference[] = [
  {
    cases,
    object: /^ConfigMap\/.*-worker-endpoints$/,
    path: /^metadata\.annotations\[helm\.sh\/hook\]$/,
    fluid: /./,
    reason: 'Sluice creates no helm releases.',
  },
  {
    cases,
    object: /^StatefulSet\/.*-master$/,
    path: /^((spec\.template\.)?metadata\.labels|spec\.selector\.matchLabels)\.name$/,
    fluid: /^"efc-demo-master"$/,
    reason: 'The label repeats the name of the object.',
  },
  {
    cases,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.selector\.matchLabels\.release$/,
    ours: /./,
    reason: 'Masters have the same selector as all other workloads. Workloads that were taken over keep their selectors.',
  },
  {
    cases,
    object: /^(DaemonSet\/.*-fuse|StatefulSet\/.*-master)$/,
    path: /^spec\.template\.metadata\.labels\[(app\.kubernetes\.io\/(instance|managed-by|name)|fluid\.io\/(dataset-id|managed-by))\]$/,
    ours: /./,
    reason: 'The labels of every pod of a runtime. In Fluid only the workers of EFC have them.',
  },
  {
    cases,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[efc-fuse\]\.securityContext\.runAsUser$/,
    ours: /^0$/,
    reason: 'The container of a client says itself that it runs as root, as for every other runtime.',
  },
  {
    cases,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.tolerations\[0\]\.operator$/,
    ours: /^"Exists"$/,
    reason: 'Clients tolerate every taint, as for every other runtime: pods that read run on nodes with any taint.',
  },
  {
    cases: /^efc\/full$/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.tolerations\[0\]\.key$/,
    fluid: /^"k1"$/,
    reason: 'As above.',
  },
  {
    cases,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.volumes\[efc-sock\]\.hostPath\.type$/,
    fluid: /^"Directory"$/,
    ours: /^"DirectoryOrCreate"$/,
    reason: 'A client that starts before the session manager of its node would wait for the next try of the kubelet.',
  },
  {
    cases,
    object: /^StatefulSet\//,
    path: /^spec\.updateStrategy\.rollingUpdate\.partition$/,
    fluid: /^0$/,
    reason: 'As below.',
  },
  {
    cases,
    object: /^StatefulSet\//,
    path: /^spec\.(updateStrategy\.type|podManagementPolicy)$/,
    fluid: /^"(RollingUpdate|OrderedReady)"$/,
    ours: /^"(OnDelete|Parallel)"$/,
    reason: 'As for every other runtime, users choose when a cache restarts, and no master waits for another one.',
  },
  {
    cases: /^efc\/full$/,
    object: /^StatefulSet\/.*-worker$/,
    path: /^spec\.template\.spec\.affinity\.podAntiAffinity\.preferredDuringSchedulingIgnoredDuringExecution\[0\]/,
    ours: /./,
    reason: 'As for every other runtime, workers of Shared Datasets prefer nodes without others.',
  },
  {
    cases,
    object: /^PersistentVolume\//,
    path: /^spec\.csi\.volumeAttributes\.mount_pod_node_selector_key$/,
    ours: /./,
    reason: 'The label of the node that starts the client, as in the volume of every other runtime.',
  },
  {
    cases,
    object: /^PersistentVolume\//,
    path: /^metadata\.annotations\[pv\.kubernetes\.io\/bound-by-controller\]$/,
    fluid: /^"yes"$/,
    reason:
      'Sluice names the claim in the volume, as for every other runtime. In Fluid any claim could bind it, and Kubernetes notes which did.',
  },
];
