/** Every label, annotation and finalizer that we read or write. Keys that Fluid knows keep Fluid's spelling: users select by them. */
export const label = {
  /** Our inventory: the UID of the Runtime an object was made for. Prune looks at nothing else. */
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
} as const;

export const annotation = {
  /** Of the manifest that we rendered last, 8 bytes of its SHA-256: tells that a field is to be taken away, which a comparison of leaves cannot. */
  manifestHash: 'data.fluid.io/manifest-hash',
  /** On a fuse DaemonSet whose clients are counted by generation: the image that we asked for, whatever admission made of it. */
  fuseImage: 'data.fluid.io/fuse-image',
  /** On a Runtime: the host ports allocated to it, as JSON. The cluster is the only record. */
  ports: 'data.fluid.io/ports',
  /** On a Runtime: the names that everything made for it goes by, as JSON. */
  identity: 'data.fluid.io/identity',
  /** On a claim: changes to have the volume controller look at it again. */
  nudge: 'data.fluid.io/nudged-at',
  /** Kubernetes' own, on a claim: it and its volume name each other. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On a Runtime, by its user: `now` lets fuse pods leave nodes that the spec no longer selects although somebody reads there. */
  fusePlacement: 'data.fluid.io/fuse-placement',
  /** On a volume: hash of the record of the last valid specs, while the newest are not. */
  lastValid: 'data.fluid.io/last-valid',
  createdBy: 'CreatedBy',
  metadataList: 'data.fluid.io/metadataList',
  /** On pod templates: of the script that the container runs, which stands in a ConfigMap. */
  scriptHash: 'data.fluid.io/script-hash',
  /** On a ThinRuntimeProfile: how its client is called, for images that do not read config.json themselves. */
  mountTemplate: 'data.fluid.io/mount-template',
  skipMountCheck: 'fluid.io/skip-check-mount-ready-target',
  fuseHostPid: 'runtime.fluid.io/fuse.hostpid',
  storageRequest: 'pvc.fluid.io/resources.requests.storage',
  fuseConfigUpdate: 'fluid.io/f-update-fuse-config',
} as const;

export const datasetFinalizer = 'fluid-dataset-controller-finalizer';
/** `thin` → `thin-runtime-controller-finalizer`. */
export const runtimeFinalizer = (type: string): string => `${type}-runtime-controller-finalizer`;

/** Node labels that are not per dataset. */
export const exclusiveNodeLabel = 'fluid_exclusive';
export const datasetCountNodeLabel = 'fluid.io/dataset-num';

const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;
/** Whether the API server takes it: kubernetes.io/docs/concepts/overview/working-with-objects/labels. */
export const isLabel = ([key, value]: readonly [string, string]): boolean => LABEL_KEY.test(key) && LABEL_VALUE.test(value);
