import {
  bytesLabel,
  cacheNodeLabel,
  cacheSizeNodeLabel,
  exclusiveNodeLabel,
  exclusiveNodeValue,
  fuseNodeLabel,
  type Identity,
  isLabel,
  typedCacheNodeLabel,
} from '../../../api/index.ts';
import type { BasePlan } from '../../../constructs/index.ts';

export type Labels = Readonly<Record<string, string>>;
/** The part of a plan that nodes' labels are made from. */
export type Cached = Pick<BasePlan, 'engine' | 'dataset' | 'placement' | 'cacheOnNode'>;

/** Kubernetes counts bytes in 63 bits. */
const TOO_MANY_BYTES = 2 ** 63;

/** The labels of a node that holds a worker of this plan; source: Fluid's SyncScheduleInfoToCacheNodes. */
function labelsOf({ engine, dataset, placement, cacheOnNode: { memory, disk } }: Cached): Labels {
  return {
    [typedCacheNodeLabel(engine, dataset)]: 'true',
    [cacheNodeLabel(dataset)]: 'true',
    ...(memory !== undefined && { [cacheSizeNodeLabel(engine, 'm', dataset)]: sizeText(memory) }),
    ...(disk !== undefined && { [cacheSizeNodeLabel(engine, 'd', dataset)]: sizeText(disk) }),
    [cacheSizeNodeLabel(engine, 't', dataset)]: sizeText((memory ?? 0) + (disk ?? 0)),
    ...(placement === 'Exclusive' && { [exclusiveNodeLabel]: exclusiveNodeValue(dataset) }),
  };
}
const sizeText = (bytes: number): string => (bytes < TOO_MANY_BYTES ? bytesLabel(bytes) : `(${bytes} bytes)`);

/** The labels that the API server accepts: an invalid one would keep all others of the node from being written. */
export const cacheLabels = (plan: Cached): Labels => Object.fromEntries(Object.entries(labelsOf(plan)).filter(isLabel));

/** The labels that are not valid in Kubernetes, as `<key>=<value>`. */
export const invalidLabels = (plan: Cached): readonly string[] =>
  Object.entries(labelsOf(plan)).flatMap((label) => (isLabel(label) ? [] : [label.join('=')]));

/** Every key that a node may carry for a dataset's cache, of all its former sizes. */
export const cacheLabelKeys = (engine: string, dataset: Identity): readonly string[] => [
  typedCacheNodeLabel(engine, dataset),
  cacheNodeLabel(dataset),
  ...(['m', 'd', 't'] as const).map((medium) => cacheSizeNodeLabel(engine, medium, dataset)),
];

/** The ID of a label, which two datasets never share: the key, and for the key of all datasets the value too. */
export const labelIdOf = (key: string, value: string): string => (key === exclusiveNodeLabel ? `${key}=${value}` : key);

/** Whether a node's labels have this ID. */
export function hasLabelId(labelId: string): (labels: Labels) => boolean {
  const [key = '', value] = labelId.split('=');
  return value === undefined ? (labels) => key in labels : (labels) => labels[key] === value;
}

/** The ID of every label of a dataset's cache on a node. */
export const cacheLabelIds = (engine: string, dataset: Identity): readonly string[] => [
  ...cacheLabelKeys(engine, dataset),
  labelIdOf(exclusiveNodeLabel, exclusiveNodeValue(dataset)),
];
/** The same for every engine that it may have had, and the node plugin's label of nodes whose pods use the dataset. */
export const allLabelIds = (engines: readonly string[], dataset: Identity): readonly string[] => [
  ...new Set(engines.flatMap((engine) => cacheLabelIds(engine, dataset))),
  fuseNodeLabel(dataset),
];
