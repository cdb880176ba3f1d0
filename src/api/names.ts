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
  /** Another dataset came first with the same `<namespace>-<name>`. */
  readonly collides: boolean;
}

/** The CSI driver's name: as Fluid's, so that volumes that it made are served without a change. */
export const csiDriver = 'fuse.csi.fluid.io';

const LONGEST = 63;

const joined = ({ namespace, name }: Pick<Identity, 'namespace' | 'name'>): string => `${namespace}-${name}`;

/** Fluid's rule for keys and values: the joined name while prefix and name together stay shorter than 63 characters. */
function key(prefix: string, dataset: Identity): string {
  const plain = prefix + joined(dataset);
  return dataset.collides || plain.length >= LONGEST ? prefix + dataset.uid : plain;
}

/** The value of `fluid.io/dataset-id` and `fluid.io/dataset`. */
export const datasetId = (dataset: Identity): string => key('', dataset);
/** What two datasets must not have in common; equal for `a-b/c` and `a/b-c`. */
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

export const volumeName = (dataset: Identity): string => (dataset.collides ? dataset.uid : joined(dataset));
export const claimName = ({ name }: Identity): string => name;

/** Set by the CSI plugin on nodes where a pod uses the dataset; the node selector of every fuse DaemonSet. */
export const fuseNodeLabel = (dataset: Identity): string => key(FUSE_NODE_LABELS, dataset);
/** How all of these begin. */
export const FUSE_NODE_LABELS = 'fluid.io/f-';
/** On nodes that hold a worker; also on the volume and claim. */
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

export type WorkloadRole = 'master' | 'worker' | 'fuse';
/** Of the ConfigMap that remembers the last valid specs of a runtime while the newest are not. */
export const lastValidName = (runtime: string): string => `${runtime}-last-valid`;
/** `suffix` is the role, unless the kind says otherwise. */
export const workloadName = (runtime: string, suffix: string): string => `${runtime}-${suffix}`;
/** `status.valueFile`: an existing engine is recognised by its form, `<n>-<engine>-values`. */
export const valueFile = (runtime: string, engine: string): string => `${runtime}-${engine}-values`;

/** The plural of the kind of a runtime of this name, by which the node plugin finds it: `acmefsruntimes` of `acme-fs`. */
export const runtimePlural = (type: string): string => `${type.replaceAll('-', '')}runtimes`;
