/** Keys of the labels that Sluice reads or writes. Those that Fluid knows keep its spelling, since users select by them. */
export const label = {
  /** On every object: the UID of the runtime or operation that it was created for. The controller deletes obsolete objects by it alone. */
  owner: 'data.fluid.io/owner-uid',
  /** On Dataset, runtime, every object and pod: `<namespace>-<name>` of the Dataset, or its UID. */
  datasetId: 'fluid.io/dataset-id',
  /** On workers and their pods: as `fluid.io/dataset-id`. Anti-affinity keeps workers apart by it. */
  dataset: 'fluid.io/dataset',
  /** On workers and their pods: `Exclusive` or `Shared`. */
  placement: 'fluid.io/dataset-placement',
  /** On every object: `fluid`. On a user's claim behind `pvc://`: the name of the Dataset. */
  managedBy: 'fluid.io/managed-by',
  /** On fuse pods and claims: counts changes of the fuse image and of the client's options, for clean policy OnFuseChanged. */
  fuseGeneration: 'fuse.runtime.fluid.io/generation',
  /** On pods, also as an annotation: `false`. */
  istioInject: 'sidecar.istio.io/inject',
  /** On CronJobs of operations: `cron`. */
  jobPolicy: 'fluid.io/jobPolicy',
  /** On a volume, from `data.fluid.io/metadataList`, and on every volume of Vineyard: `symlink` becomes an attribute of the volume. */
  nodePublishMethod: 'fluid.io/node-publish-method',
  /** On a copied node-publish Secret: `<namespace>_<name>` of the original. */
  copiedFrom: 'fluid.io/copied-from',
  /** On claim and volume of a Dataset that refers to another one: the name of that one. */
  referringName: 'fluid.io/dataset.referring-name',
  /** On claim and volume of a Dataset that refers to another one: the namespace of that one. */
  referringNamespace: 'fluid.io/dataset.referring-namespace',
  /** On the pods of a DataMigrate: `migrate-<dataset id>`, or with the UID of the operation. They keep away from each other by it. */
  operation: 'fluid.io/operation',
  /** Velero's own, on keys of a DataMigrate and on the Lease: leaves them out of backups, since another cluster makes its own. */
  notInBackups: 'velero.io/exclude-from-backup',
} as const;

/** Keys of the annotations that Sluice reads or writes. */
export const annotation = {
  /**
   * On every object: first 8 bytes of the SHA-256 of the manifest that was applied last. It differs if a field was removed, which comparing
   * fields cannot show. It ends in `~` if Kubernetes did not let all of the object be changed.
   */
  manifestHash: 'data.fluid.io/manifest-hash',
  /** On a fuse DaemonSet whose clients are counted by generation: the image that was applied, before any admission webhook changed it. */
  fuseImage: 'data.fluid.io/fuse-image',
  /** On a runtime: its host ports, as JSON. No other record of them exists. */
  ports: 'data.fluid.io/ports',
  /** On a runtime: the Identity by which its objects are named, as JSON (decision 14). */
  identity: 'data.fluid.io/identity',
  /** On a claim: a change makes the volume controller sync it again. */
  nudge: 'data.fluid.io/nudged-at',
  /** Kubernetes' own, on a claim that is bound: claim and volume name each other (decision 21). */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /**
   * On a runtime, set by its user: `now` lets the controller delete fuse pods on nodes that the spec no longer selects, even if pods read there
   * (decision 20).
   */
  fusePlacement: 'data.fluid.io/fuse-placement',
  /** On a volume, while the newest specs are not valid: hash of the record of the last valid ones (decision 13). */
  lastValid: 'data.fluid.io/last-valid',
  /** On a fuse DaemonSet, and on the volume beside `data.fluid.io/verified-fuse`: how its pods become sidecars, a SidecarNote as JSON. */
  sidecar: 'data.fluid.io/sidecar',
  /** On a volume: which fuse DaemonSet the controller has compared with its manifest by value (decision 37). */
  verifiedFuse: 'data.fluid.io/verified-fuse',
  /** On volume and claim: `fluid`. */
  createdBy: 'CreatedBy',
  /** On a runtime, set by its user: labels and annotations for volume and claim, as JSON. */
  metadataList: 'data.fluid.io/metadataList',
  /** On pod templates: hash of the script or the environment of the container, which is in a ConfigMap. Pods with an older one are outdated. */
  scriptHash: 'data.fluid.io/script-hash',
  /** On a ThinRuntimeProfile: how to call its FUSE client, for images that do not read config.json. */
  mountTemplate: 'data.fluid.io/mount-template',
  /** On the Job of an operation: the file in its first container that says how far it is. */
  progressFile: 'data.fluid.io/progress-file',
  /** On an operation, set by its user: namespaces, separated by commas, whose operations may run after it; `*` for all (decision 26). */
  followers: 'data.fluid.io/followers',
  /** On a Dataset, set by its user: namespaces, separated by commas, whose Datasets may refer to this one; `*` for all. */
  sharedWith: 'data.fluid.io/shared-with',
  /** On a volume whose Dataset refers to another namespace: why it may (`grant`, `open`, `fluid`). */
  consent: 'data.fluid.io/reference-consent',
  /** On an operation, set by its user: `true` pauses it. The controller writes it on the Jobs and CronJobs that it suspended for that. */
  paused: 'data.fluid.io/paused',
  /** On an operation, set by its user: each new text runs it once more. On its Job: the text when that Job was created. */
  retry: 'data.fluid.io/retry',
  /** On the Job of an operation with policy OnEvent: digest of the mounts in effect when that Job was created. */
  observedMounts: 'data.fluid.io/observed-mounts',
  /** On an operation, set by its user: labels of its node, separated by commas, that count for operations that follow. */
  placeLabels: 'affinity.dataflow.fluid.io/labels',
  /** On a runtime, set by its user: `true` becomes an attribute of the volume. */
  skipMountCheck: 'fluid.io/skip-check-mount-ready-target',
  /** On a runtime, set by its user: `true` gives fuse pods the process namespace of the node. */
  fuseHostPid: 'runtime.fluid.io/fuse.hostpid',
  /** On a Dataset, set by its user: the size of volume and claim; 100Pi without. */
  storageRequest: 'pvc.fluid.io/resources.requests.storage',
  /** On fuse pods: counts changes of the configuration, so that the kubelet updates their files at once. */
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
