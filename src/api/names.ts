/**
 * Every object name and label key that is derived from a dataset.
 *
 * Fluid joins namespace and name with a dash and uses the Dataset's UID where the whole key would have 63 characters or more.
 * `a-b/c` and `a/b-c` then meet; here the second comer uses its UID for everything (`collides`), so no two datasets share a name.
 */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  /** The Dataset's UID. */
  readonly uid: string;
  /** An older Dataset has the same `<namespace>-<name>`: this one is named by its UID. */
  readonly collides: boolean;
}

/** Name of the CSI driver: Fluid's, so that volumes that Fluid created keep working. */
export const csiDriver = 'fuse.csi.fluid.io';

const LONGEST = 63;

const joined = ({ namespace, name }: Pick<Identity, 'namespace' | 'name'>): string => `${namespace}-${name}`;

/** Fluid's rule for keys and values: the joined name while prefix and name together stay shorter than 63 characters. */
function key(prefix: string, dataset: Identity): string {
  const plain = prefix + joined(dataset);
  return dataset.collides || plain.length >= LONGEST ? prefix + dataset.uid : plain;
}

/**
 * `<namespace>-<name>` of a Dataset, or its UID if that is too long for a label or collides: the value of the labels `fluid.io/dataset-id`
 * and `fluid.io/dataset`.
 * @example
 * datasetId({ namespace: 'ml', name: 'images', uid: '1f0e', collides: false }); // → 'ml-images'
 */
export const datasetId = (dataset: Identity): string => key('', dataset);
/** Two datasets must not share this name; equal for `a-b/c` and `a/b-c`. */
export const joinedName = joined;

/**
 * The joined names of datasets that would share a name or a key with this one, were all to go by their joined names. Equal ones would,
 * and as some keys begin with an engine, `thin/a-b` wants the very `fluid.io/s-thin-a-b` that a runtime of engine thin wants for `a/b`.
 */
export function rivalNames(dataset: Pick<Identity, 'namespace' | 'name'>, engines: readonly string[]): readonly string[] {
  const own = joined(dataset);
  const prefixes = engines.flatMap((engine) => [`${engine}-`, ...(['m', 'd', 't'] as const).map((medium) => `h-${engine}-${medium}-`)]);
  return [
    own,
    ...prefixes.map((prefix) => prefix + own),
    ...prefixes.flatMap((prefix) => (own.startsWith(prefix) ? own.slice(prefix.length) : [])),
  ];
}

/**
 * Name of the PersistentVolume of a Dataset.
 * @example
 * volumeName({ namespace: 'ml', name: 'images', uid: '1f0e', collides: false }); // → 'ml-images'
 */
export const volumeName = (dataset: Identity): string => (dataset.collides ? dataset.uid : joined(dataset));
/**
 * Name of the PersistentVolumeClaim of a Dataset, in its namespace.
 * @example
 * claimName({ namespace: 'ml', name: 'images', uid: '1f0e', collides: false }); // → 'images'
 */
export const claimName = ({ name }: Identity): string => name;

/**
 * Label that the CSI plugin sets on nodes where a pod uses the Dataset; node selector of its fuse DaemonSet.
 * @example
 * fuseNodeLabel({ namespace: 'ml', name: 'images', uid: '1f0e', collides: false }); // → 'fluid.io/f-ml-images'
 */
export const fuseNodeLabel = (dataset: Identity): string => key(FUSE_NODE_LABELS, dataset);
/** How all of these begin. */
export const FUSE_NODE_LABELS = 'fluid.io/f-';
/** How the annotations of a node begin by which its plugin records these labels. */
export const FUSE_NODE_RECORDS = 'labelled.data.fluid.io/f-';
/**
 * The annotation of a node that says that its plugin has set this label, and has not removed it since.
 * @example
 * fuseNodeRecord('fluid.io/f-ml-images'); // → 'labelled.data.fluid.io/f-ml-images'
 */
export const fuseNodeRecord = (label: string): string => FUSE_NODE_RECORDS + label.slice(FUSE_NODE_LABELS.length);
/** The label that such an annotation records. */
export const fuseNodeLabelOf = (record: string): string => FUSE_NODE_LABELS + record.slice(FUSE_NODE_RECORDS.length);
/**
 * Label of nodes that run a worker of the Dataset; its volume and claim have it too.
 * @example
 * cacheNodeLabel({ namespace: 'ml', name: 'images', uid: '1f0e', collides: false }); // → 'fluid.io/s-ml-images'
 */
export const cacheNodeLabel = (dataset: Identity): string => key('fluid.io/s-', dataset);
export const typedCacheNodeLabel = (engine: string, dataset: Identity): string => key(`fluid.io/s-${engine}-`, dataset);
/** Cache size on a node: `m` memory, `d` disk, `t` total. */
export const cacheSizeNodeLabel = (engine: string, medium: 'm' | 'd' | 't', dataset: Identity): string =>
  key(`fluid.io/s-h-${engine}-${medium}-`, dataset);
/** The value of `fluid_exclusive` on a node. */
export function exclusiveNodeValue(dataset: Identity): string {
  const plain = `${dataset.namespace}_${dataset.name}`;
  return dataset.collides || plain.length >= LONGEST ? dataset.uid : plain;
}

/** The workloads that a runtime can have. */
export type WorkloadRole = 'master' | 'worker' | 'fuse';
/** Name of the ConfigMap that keeps the last valid specs of a runtime while the newest are not valid. */
export const lastValidName = (runtime: string): string => `${runtime}-last-valid`;
/**
 * Name of a workload of a runtime. `suffix` is the role, unless the definition of the kind says otherwise.
 * @example
 * workloadName('images', 'worker'); // → 'images-worker'
 */
export const workloadName = (runtime: string, suffix: string): string => `${runtime}-${suffix}`;
/** `status.valueFile` of a runtime, `<name>-<engine>-values`: it identifies the engine of a runtime that Fluid set up. */
export const valueFile = (runtime: string, engine: string): string => `${runtime}-${engine}-values`;

/**
 * The plural that a runtime of this type must have in its CustomResource: the node plugin finds the kind by it.
 * @example
 * runtimePlural('acme-fs'); // → 'acmefsruntimes'
 */
export const runtimePlural = (type: string): string => `${type.replaceAll('-', '')}runtimes`;
