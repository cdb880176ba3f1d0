import { datasetCountNodeLabel, exclusiveNodeLabel } from '../../../api/index.ts';
import { type Labels, traceOf } from './cache-labels.ts';
import type { Placement } from './placements.ts';

/** What changes on a node; `null` takes a label away. */
export type Patch = Readonly<Record<string, string | null>>;
/** Of no runtime alone. */
const SHARED = '';

export interface Node {
  readonly labels: Labels;
  /** Runtimes with a worker there. */
  readonly placements: Iterable<Placement>;
  /** It gets no labels of ours; what goes goes from it, too. */
  readonly isExcluded: boolean;
  /** Every runtime is known, so that datasets can be counted. */
  readonly isComplete: boolean;
  /** UID of the runtime that a label is of, where it is of one that we know or that is going. */
  readonly ownerOf: (trace: string) => string | undefined;
}

/** What is to be changed on a node, by the UID of the runtime that it is for. */
export function nodePatches(node: Node): ReadonlyMap<string, Patch> {
  const { labels, isExcluded, isComplete, ownerOf } = node;
  const patches = new Map<string, Record<string, string | null>>();
  const put = (of: string, key: string, value: string | null) => {
    const patch = patches.get(of) ?? {};
    patch[key] = value;
    patches.set(of, patch);
  };
  const wanted = wantedOn(node);
  if (!isExcluded)
    for (const [key, { value, of }] of wanted)
      if (labels[key] !== value && (isComplete || key !== datasetCountNodeLabel)) put(of, key, value);
  for (const [key, value] of Object.entries(labels)) {
    const want = wanted.get(key);
    if (want && (want.value === value || !isExcluded)) continue;
    const of = ownerOf(traceOf(key, value));
    if (of !== undefined) put(of, key, null);
    else if (key === datasetCountNodeLabel && isComplete) put(SHARED, key, null);
  }
  return patches;
}

function wantedOn({ labels, placements }: Node) {
  const wanted = new Map<string, { readonly value: string; readonly of: string }>();
  let datasets = 0;
  for (const { runtime, labels: own } of placements) {
    // Two runtimes of one dataset are one.
    if (!own.some(([key]) => key !== exclusiveNodeLabel && wanted.has(key))) datasets++;
    for (const [key, value] of own) {
      const rival = wanted.get(key);
      // Who has the node for itself keeps it.
      if (!rival || rival.value !== labels[key]) wanted.set(key, { value, of: runtime.uid ?? '' });
    }
  }
  if (datasets > 0) wanted.set(datasetCountNodeLabel, { value: String(datasets), of: SHARED });
  return wanted;
}
