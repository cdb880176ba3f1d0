/** Keys of the labels that Sluice reads or writes. Those that Fluid knows keep its spelling, since users select by them. */
export const label = {
  /** On every object: the UID of the runtime that it was created for. The controller deletes obsolete objects by this label alone. */
  owner: 'data.fluid.io/owner-uid',
  datasetId: 'fluid.io/dataset-id',
  dataset: 'fluid.io/dataset',
  placement: 'fluid.io/dataset-placement',
  managedBy: 'fluid.io/managed-by',
  fuseGeneration: 'fuse.runtime.fluid.io/generation',
  istioInject: 'sidecar.istio.io/inject',
  /** On CronJobs: `cron`. */
  jobPolicy: 'fluid.io/jobPolicy',
  nodePublishMethod: 'fluid.io/node-publish-method',
  copiedFrom: 'fluid.io/copied-from',
  /** On claim and volume of a Dataset that refers to another one: name and namespace of that one. */
  referringName: 'fluid.io/dataset.referring-name',
  referringNamespace: 'fluid.io/dataset.referring-namespace',
  /** On the pods of a DataMigrate: `migrate-<dataset id>`. They keep away from each other by it. */
  operation: 'fluid.io/operation',
  /** Velero's own: leaves an object out of backups that another cluster makes for itself. */
  notInBackups: 'velero.io/exclude-from-backup',
} as const;

/** Keys of the annotations that Sluice reads or writes. */
export const annotation = {
  /**
   * First 8 bytes of the SHA-256 of the manifest that was applied last: it differs if a field was removed, which comparing fields cannot show.
   */
  manifestHash: 'data.fluid.io/manifest-hash',
  /** On a fuse DaemonSet whose clients are counted by generation: the image that was applied, before any admission webhook changed it. */
  fuseImage: 'data.fluid.io/fuse-image',
  /** On a runtime: its host ports, as JSON. No other record of them exists. */
  ports: 'data.fluid.io/ports',
  /** On a runtime: the Identity by which its objects are named, as JSON. */
  identity: 'data.fluid.io/identity',
  /** On a claim: a change makes the volume controller sync it again. */
  nudge: 'data.fluid.io/nudged-at',
  /** Kubernetes' own, on a claim that is bound: claim and volume name each other. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /**
   * On a runtime, set by its user: `now` lets the controller delete fuse pods on nodes that the spec no longer selects, even if pods read there.
   */
  fusePlacement: 'data.fluid.io/fuse-placement',
  /** On a volume, while the newest specs are not valid: hash of the record of the last valid ones. */
  lastValid: 'data.fluid.io/last-valid',
  /** On a fuse DaemonSet, and on the volume beside `verifiedFuse`: how its pods become sidecars, a SidecarNote as JSON. */
  sidecar: 'data.fluid.io/sidecar',
  /** On a volume: which fuse DaemonSet the controller has compared with its manifest by value (api/verified-fuse.ts). */
  verifiedFuse: 'data.fluid.io/verified-fuse',
  createdBy: 'CreatedBy',
  metadataList: 'data.fluid.io/metadataList',
  /** On pod templates: hash of the script that the container runs, which is in a ConfigMap. */
  scriptHash: 'data.fluid.io/script-hash',
  /** On a ThinRuntimeProfile: how to call its FUSE client, for images that do not read config.json. */
  mountTemplate: 'data.fluid.io/mount-template',
  /** On the Job of an operation: the file in its first container that says how far it is. */
  progressFile: 'data.fluid.io/progress-file',
  /** On an operation: namespaces, separated by commas, whose operations may run after it; `*` for all. */
  followers: 'data.fluid.io/followers',
  /** On a Dataset: namespaces, separated by commas, whose Datasets may refer to this one; `*` for all. */
  sharedWith: 'data.fluid.io/shared-with',
  /** On a volume whose Dataset refers to another namespace: why it may (`grant`, `open`, `fluid`). */
  consent: 'data.fluid.io/reference-consent',
  /** On an operation, set by its user: `true` pauses it. The controller writes it on the Jobs and CronJobs that it suspended for that. */
  paused: 'data.fluid.io/paused',
  /** On an operation, set by its user: each new text runs it once more. On its Job: the text when that Job was created. */
  retry: 'data.fluid.io/retry',
  /** On the Job of an operation with policy OnEvent: digest of the mounts in effect when that Job was created. */
  observedMounts: 'data.fluid.io/observed-mounts',
  /** On an operation: labels of its node, separated by commas, that count for operations that follow. */
  placeLabels: 'affinity.dataflow.fluid.io/labels',
  skipMountCheck: 'fluid.io/skip-check-mount-ready-target',
  fuseHostPid: 'runtime.fluid.io/fuse.hostpid',
  storageRequest: 'pvc.fluid.io/resources.requests.storage',
  fuseConfigUpdate: 'fluid.io/f-update-fuse-config',
} as const;

export const datasetFinalizer = 'fluid-dataset-controller-finalizer';
/** `thin` → `thin-runtime-controller-finalizer`. */
export const runtimeFinalizer = (type: string): string => `${type}-runtime-controller-finalizer`;
/** `DataLoad` → `fluid-dataload-controller-finalizer`. */
export const operationFinalizer = (kind: string): string => `fluid-${kind.toLowerCase()}-controller-finalizer`;

/** Node labels that are not per dataset. */
export const exclusiveNodeLabel = 'fluid_exclusive';
export const datasetCountNodeLabel = 'fluid.io/dataset-num';

const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;
/**
 * Whether the API server accepts a label: kubernetes.io/docs/concepts/overview/working-with-objects/labels.
 * @example
 * isLabel(['example.com/team', 'vision']); // → true
 * isLabel(['team', 'no spaces']); // → false
 */
export const isLabel = ([key, value]: readonly [string, string]): boolean => LABEL_KEY.test(key) && LABEL_VALUE.test(value);

/**
 * Whether a list of namespaces, separated by commas, has this one. `*` stands for all.
 * @example
 * listsNamespace('team-a, team-b', 'team-b'); // → true
 */
export function listsNamespace(list: string | undefined, namespace: string): boolean {
  const listed = list?.split(',').map((each) => each.trim()) ?? [];
  return listed.includes('*') || listed.includes(namespace);
}
