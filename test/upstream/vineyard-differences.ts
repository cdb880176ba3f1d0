import type { Difference } from './difference.ts';

const CASES = /^vineyard\//;
const WORKLOAD = /^(StatefulSet|DaemonSet)\//;

/** Differences of VineyardRuntime. */
export const vineyardDifferences: readonly Difference[] = [
  {
    cases: /^vineyard\/full$/,
    object: /./,
    path: /^$/,
    ours: /^made$/,
    reason: 'With volumes of the user Fluid installs nothing: its master then mounts a volume that it does not have.',
  },
  {
    cases: CASES,
    object: /^Service\//,
    path: /^spec\.selector\.chart$/,
    fluid: /^"vineyard-0\.21\.5"$/,
    reason: 'Sluice has no chart.',
  },
  {
    cases: CASES,
    object: /^Service\//,
    path: /^spec\.publishNotReadyAddresses$/,
    ours: /^true$/,
    reason: 'Members of etcd look for each other before they are ready.',
  },
  {
    cases: CASES,
    object: /^Service\/vy-worker$/,
    path: /^spec\.ports\[1\]\./,
    fluid: /^("metrics"|"TCP"|\d+)$/,
    reason: 'Nothing listens at this port: Fluid switches metrics of Vineyard off.',
  },
  {
    cases: CASES,
    object: WORKLOAD,
    path: /^spec\.template\.metadata\.labels\[sidecar\.istio\.io\/inject\]$/,
    ours: /^"false"$/,
    reason: 'The label, which pods of other runtimes have as well, keeps the proxy out where Istio goes by labels.',
  },
  {
    cases: CASES,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[vineyard-fuse\]\.env\[FLUID_RUNTIME_(TYPE|NS|NAME)\]/,
    ours: /./,
    reason: 'The client has the variables of the clients of every other runtime.',
  },
  {
    cases: CASES,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[vineyard-fuse\]\.env\.order$/,
    fluid: /^"MOUNT_DIR FUSE_DIR RPC_CONF_DIR PRESTOP_MARKER /,
    ours: /^"FLUID_RUNTIME_TYPE FLUID_RUNTIME_NS FLUID_RUNTIME_NAME MOUNT_DIR FUSE_DIR RPC_CONF_DIR PRESTOP_MARKER /,
    reason: 'As above.',
  },
  {
    cases: CASES,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[vineyard-fuse\]\.env\[ETCD_ENDPOINT\]\.value$/,
    fluid: /master-0\.[-.\w]+:\d+"$/,
    ours: /master-0\.[-.\w]+:(?!2379)\d+/,
    reason:
      'The client gets the port at which etcd listens, and all members. Fluid says 2379 on the network of the node, and the first member.',
  },
  {
    cases: CASES,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[vineyard-fuse\]\.lifecycle\.preStop\.exec\.command\[2\]$/,
    fluid: /vineyard\.sock \|\| true/,
    ours: /vineyard-worker\.sock .*vineyard-local\.sock; while umount -l/,
    reason:
      'The hook removes the sockets by the names that the client gives them, and unmounts as often as its container was started. Each mount that is left stays on the node.',
  },
  {
    cases: CASES,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.(containers\[vineyard-fuse\]\.securityContext\.runAsUser|priorityClassName)$/,
    ours: /^(0|"system-node-critical")$/,
    reason:
      'As for the clients of every other runtime: whatever the image says, only root may mount; without the client, pods of its users hang.',
  },
  {
    cases: /^vineyard\/custom-no-volumes$/,
    object: /^StatefulSet\//,
    path: /^spec\.template\.spec\.tolerations\[0\]\.(key|operator)$/,
    ours: /./,
    reason: 'Sluice follows the Dataset. Fluid ignores its tolerations for Vineyard.',
  },
  {
    cases: CASES,
    object: /^StatefulSet\/vy-worker$/,
    path: /^(spec\.template\.)?metadata\.labels\[fluid\.io\/dataset-placement\]$/,
    ours: /^"(Shared|Exclusive)"$/,
    reason: 'Workers of other Datasets go by this label.',
  },
  {
    cases: CASES,
    object: /^StatefulSet\/vy-worker$/,
    path: /^spec\.template\.spec\.affinity\./,
    ours: /./,
    reason: 'Sluice follows the placement of the Dataset, and keeps two workers of one runtime apart, which would share a socket.',
  },
  {
    cases: CASES,
    object: /^StatefulSet\/vy-worker$/,
    path: /^spec\.template\.spec\.affinity\.podAntiAffinity\.requiredDuringSchedulingIgnoredDuringExecution\[0\]\.labelSelector\.matchExpressions\[0\]/,
    fluid: /^("app\.kubernetes\.io\/instance"|"In"|"g-vineyard-.*-vy-worker")$/,
    reason: "Fluid's rule that keeps workers apart names a label that its pods do not have.",
  },
  {
    cases: /^vineyard\/custom-no-volumes$/,
    object: /^StatefulSet\/vy-worker$/,
    path: /^spec\.template\.spec\.containers\[vineyard-worker\]\.command\[7\]$/,
    fluid: /^"120"$/,
    ours: /^"60"$/,
    reason: 'Options of the worker have effect. Fluid reads none of them.',
  },
  {
    cases: /^vineyard\/custom-no-volumes$/,
    object: /^StatefulSet\/vy-worker$/,
    path: /^spec\.template\.spec\.(containers\[vineyard-worker\]\.(command\[1[4-9]\]|volumeMounts\[\/spill)|volumes\[vineyard-spill\])/,
    ours: /./,
    reason: 'A level of disks takes what does not fit in memory. Fluid never passes it on.',
  },
  {
    cases: CASES,
    object: /^StatefulSet\/vy-worker$/,
    path: /^spec\.template\.spec\.containers\[vineyard-worker\]\.lifecycle\.preStop\.exec\.command\[[012]\]$/,
    fluid: /^"(sh|-c|rm -f \/var\/run\/vineyard\/vineyard-worker\.sock)"$/,
    ours: /^"(rm|-f|\/var\/run\/vineyard\/vineyard-worker\.sock)"$/,
    reason: 'The same command without a shell.',
  },
  {
    cases: CASES,
    object: /^StatefulSet\/vy-worker$/,
    path: /^spec\.template\.spec\.containers\[vineyard-worker\]\.readinessProbe\.initialDelaySeconds$/,
    fluid: /^15$/,
    reason: 'As below.',
  },
  {
    cases: CASES,
    object: /^StatefulSet\/vy-worker$/,
    path: /^spec\.template\.spec\.containers\[vineyard-worker\]\.readinessProbe\.periodSeconds$/,
    fluid: /^10$/,
    ours: /^3$/,
    reason: 'A worker is ready when its socket is there, after a second or two. Fluid looks for the first time after 15 seconds.',
  },
];
