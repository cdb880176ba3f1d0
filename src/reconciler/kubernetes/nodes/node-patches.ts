import { datasetCountNodeLabel, exclusiveNodeLabel, FUSE_NODE_LABELS, fuseNodeRecord } from '../../../api/index.ts';
import { type Labels, labelIdOf } from './cache-labels.ts';
import type { Placement } from './placements.ts';

/** A merge patch of a node's labels, and of the annotations that record them; `null` removes one. */
export type Patch = Readonly<Record<string, string | null>>;
/** In place of a UID: the patch of labels that belong to no single runtime. */
const SHARED = '';

export interface Node {
  readonly labels: Labels;
  /** The labels of fuse pods that the node has by the records of its plugin. */
  readonly recorded?: readonly string[];
  /** Runtimes with a worker there. */
  readonly placements: Iterable<Placement>;
  /** The node gets no labels of ours; labels that are removed are removed from it too. */
  readonly isExcluded: boolean;
  /** Every runtime of every namespace is known, so that datasets can be counted. */
  readonly counts: boolean;
  /** UID of the runtime that a label belongs to, if that runtime is placed or being removed. */
  readonly ownerOf: (labelId: string) => string | undefined;
  /** UID of the runtime to whose fuse pods a label belongs. */
  readonly fuseOf?: (label: string) => string | undefined;
}

/** The changes to a node's labels, by the UID of the runtime that they are for. */
export function nodePatches(node: Node): ReadonlyMap<string, Patch> {
  const { labels, recorded = [], isExcluded, counts, ownerOf, fuseOf = () => undefined } = node;
  const patches = new Map<string, Record<string, string | null>>();
  const put = (of: string, key: string, value: string | null) => {
    const patch = patches.get(of) ?? {};
    patch[key] = value;
    patches.set(of, patch);
  };
  const wanted = wantedOn(node);
  if (!isExcluded)
    for (const [key, { value, of }] of wanted) if (labels[key] !== value && (counts || key !== datasetCountNodeLabel)) put(of, key, value);
  for (const [key, value] of Object.entries(labels)) {
    const want = wanted.get(key);
    if (want && (want.value === value || !isExcluded)) continue;
    const of = ownerOf(labelIdOf(key, value));
    if (of !== undefined) put(of, key, null);
    else if (key === datasetCountNodeLabel && counts) put(SHARED, key, null);
  }
  for (const key of recorded) {
    const [removed, of] = [ownerOf(key), fuseOf(key)];
    if (removed !== undefined) put(removed, fuseNodeRecord(key), null);
    // Also on an excluded node: a pod there waits for it, or reads.
    else if (of !== undefined && labels[key] !== 'true') put(of, key, 'true');
  }
  return patches;
}

/** Whether a patch puts back what a node's plugin records, which that plugin may just be removing. */
export const putsBack = (patch: Patch): boolean =>
  Object.entries(patch).some(([key, value]) => value !== null && key.startsWith(FUSE_NODE_LABELS));

function wantedOn({ labels, placements }: Node) {
  const wanted = new Map<string, { readonly value: string; readonly of: string }>();
  let datasets = 0;
  for (const { runtime, labels: own } of placements) {
    // Two runtimes of one dataset count once.
    if (!own.some(([key]) => key !== exclusiveNodeLabel && wanted.has(key))) datasets++;
    for (const [key, value] of own) {
      const other = wanted.get(key);
      // The dataset that has the node for itself keeps it.
      if (!other || other.value !== labels[key]) wanted.set(key, { value, of: runtime.uid ?? '' });
    }
  }
  if (datasets > 0) wanted.set(datasetCountNodeLabel, { value: String(datasets), of: SHARED });
  return wanted;
}
