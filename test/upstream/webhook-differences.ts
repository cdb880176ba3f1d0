/** Intended differences from what Fluid's webhook makes of a pod. Any other difference fails the test, and so does an entry that matches none. */
export interface PodDifference {
  /** Names of cases; all of them when absent. */
  readonly cases?: RegExp;
  readonly path: RegExp;
  /** Fluid's value, as JSON; absent if Fluid has none. */
  readonly fluid?: RegExp;
  readonly ours?: RegExp;
  readonly reason: string;
}

const CLIENT = String.raw`^spec\.containers\[fluid-fuse-0\]\.`;

export const podDifferences: readonly PodDifference[] = [
  {
    path: /^spec\.(volumes|containers\[\w+\]\.volumeMounts|initContainers\[\w+\]\.volumeMounts)\[(\/?check-fluid-mount-ready(\.sh)?|\/check-mount\.sh|default-check-mount-0)\]\./,
    fluid: /./,
    reason:
      'Fluid writes ConfigMaps at an admission, which must have no side effect, and mounts them in every container. The scripts of Sluice are arguments.',
  },
  {
    path: /^spec\.containers\[fluid-fuse-0\]\.volumeMounts\[\/check-mount\.sh\]\./,
    fluid: /./,
    reason: 'As above.',
  },
  {
    path: new RegExp(`${CLIENT}lifecycle\\.postStart\\.exec\\.command\\[`),
    ours: /./,
    fluid: /bash|-c|check-mount/,
    reason: 'No bash is needed, no text is joined into a script, and the mount is looked for at its own path.',
  },
  {
    path: new RegExp(`${CLIENT}lifecycle\\.postStart\\.exec\\.command\\[`),
    ours: /./,
    reason: 'As above: arguments of the script.',
  },
  {
    path: new RegExp(`${CLIENT}lifecycle\\.preStop\\.exec\\.command\\[`),
    ours: /./,
    fluid: /./,
    reason: "The end of the client also removes the pod's directory on the host.",
  },
  {
    path: new RegExp(`${CLIENT}lifecycle\\.preStop\\.exec\\.command\\[`),
    ours: /./,
    reason: 'As above: arguments of the script.',
  },
  {
    path: new RegExp(`${CLIENT}command\\[`),
    ours: /./,
    fluid: /./,
    reason: 'A client that starts again unmounts what it left when it was killed.',
  },
  { path: new RegExp(`${CLIENT}command\\[`), ours: /./, reason: 'As above: arguments of the script.' },
  {
    path: /^spec\.volumes\[(data0|[a-z]+-fuse-mount-0)\]\.hostPath\.path$/,
    fluid: /^"\/runtime-mnt\/[a-z]+\/[a-z0-9-]+\/[a-z0-9-]+(\/[a-z]+-fuse)?"$/,
    ours: /\/(app|job)-0123456789ab(\/[a-z]+-fuse)?"$/,
    reason: 'Two clients at one path hide each other, and the first to end unmounts for both: each pod has a directory of its own.',
  },
  {
    path: /^spec\.(volumes\[fluid-mounts-0\]|containers\[fluid-fuse-0\]\.volumeMounts\[\/fluid-mounts\])\./,
    ours: /./,
    reason: "From there the client removes the pod's directory.",
  },
  {
    path: /^metadata\.annotations\[kubectl\.kubernetes\.io\/default-container\]$/,
    ours: /^"main"$/,
    reason: 'So that `kubectl logs` shows the container of the user.',
  },
  {
    cases: /^sidecar-cache$/,
    path: /^(metadata\.(labels|annotations)\[|spec\.(initContainers|containers|volumes)\[)/,
    ours: /./,
    reason:
      'Fluid finds no mount of a CacheRuntime by its name and admits the pod without a client. Sluice finds it by its propagation, and init containers come along.',
  },
  {
    cases: /^sidecar-cache$/,
    path: /^spec\.((initContainers|containers)\.order|volumes\[data0\]\.persistentVolumeClaim\.claimName)$/,
    fluid: /./,
    reason: 'As above.',
  },
  { cases: /^sidecar-cache$/, path: /^spec\.(initContainers|containers)\.order$/, fluid: /./, ours: /fluid-fuse-0/, reason: 'As above.' },
];

/** Pods that Sluice denies. */
export const podDenials: Readonly<
  Record<string, { readonly fluid: 'denied' | 'admitted'; readonly ours: string; readonly reason: string }>
> = {
  'sidecar-missing-pvc': {
    fluid: 'denied',
    ours: 'PersistentVolumeClaim g-juicefs-ce-min/nope does not exist',
    reason: 'As in Fluid, with the remedy.',
  },
  'sidecar-notbound-dataset': {
    fluid: 'denied',
    ours: 'PersistentVolumeClaim g-juicefs-ce-bad-quota/jfsdemo does not exist',
    reason: 'As in Fluid, with the remedy.',
  },
  'sidecar-two-thin': {
    fluid: 'denied',
    ours: 'PersistentVolumeClaim g-thin-reference/ref does not exist',
    reason: 'As in Fluid: the reference had no claim yet.',
  },
  'sidecar-only-initcontainer': {
    fluid: 'admitted',
    ours: 'init container init reads Dataset g-juicefs-ce-min/jfsdemo',
    reason:
      'Fluid puts a container before it that only sleeps for two seconds, so that it reads an empty directory. With native sidecars it reads.',
  },
  'sidecar-efc': {
    fluid: 'admitted',
    ours: 'EFC needs the session manager of its node',
    reason: 'Fluid admits the pod without the client that it asked for.',
  },
  'sidecar-vineyard': {
    fluid: 'admitted',
    ours: 'Vineyard needs the socket of a server on its node',
    reason: 'Fluid admits the pod without the client that it asked for.',
  },
};
