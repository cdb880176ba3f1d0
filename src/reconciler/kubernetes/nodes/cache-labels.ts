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
/** As much of a plan as nodes are told. */
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

/** Those that the API server takes: one that it refuses would keep all others of the node off it. */
export const cacheLabels = (plan: Cached): Labels => Object.fromEntries(Object.entries(labelsOf(plan)).filter(isLabel));

/** What cannot be said in a label, `<key>=<value>`. */
export const unsayable = (plan: Cached): readonly string[] =>
  Object.entries(labelsOf(plan)).flatMap((label) => (isLabel(label) ? [] : [label.join('=')]));

/** Every key that a node may carry for a dataset's cache, whatever its size was. */
export const cacheLabelKeys = (engine: string, dataset: Identity): readonly string[] => [
  typedCacheNodeLabel(engine, dataset),
  cacheNodeLabel(dataset),
  ...(['m', 'd', 't'] as const).map((medium) => cacheSizeNodeLabel(engine, medium, dataset)),
];

/** What tells a label of one dataset from that of another: its key, and for the key that all share the value too. */
export const traceOf = (key: string, value: string): string => (key === exclusiveNodeLabel ? `${key}=${value}` : key);

/** Whether a node's labels have a trace. */
export function isThere(trace: string): (labels: Labels) => boolean {
  const [key = '', value] = trace.split('=');
  return value === undefined ? (labels) => key in labels : (labels) => labels[key] === value;
}

/** Every trace of a dataset's cache on a node. */
export const cacheTraces = (engine: string, dataset: Identity): readonly string[] => [
  ...cacheLabelKeys(engine, dataset),
  traceOf(exclusiveNodeLabel, exclusiveNodeValue(dataset)),
];
/** The same of every engine that it may have had and, written by the node plugin, that pods use the dataset there. */
export const allTraces = (engines: readonly string[], dataset: Identity): readonly string[] => [
  ...new Set(engines.flatMap((engine) => cacheTraces(engine, dataset))),
  fuseNodeLabel(dataset),
];
