import type { Store } from '../store/store.ts';
import { hasLabelId, type Labels } from './cache-labels.ts';
import { recordedOn } from './fuse-labels.ts';

/** The nodes of the store, by the labels that they have. */
export interface LabelledNodes {
  labels(node: string): Labels;
  all(): Iterable<string>;
  /** Nodes that have a label with one of these IDs, or a record of it. */
  carrying(labelIds: readonly string[]): readonly string[];
}

/** threat-model: R-node-labels */
export function createLabelledNodes(store: Pick<Store, 'node' | 'nodes'>): LabelledNodes {
  const labels = (node: string): Labels => store.node(node)?.metadata.labels ?? {};
  function* all(): Iterable<string> {
    for (const { metadata } of store.nodes()) yield metadata.name;
  }
  return {
    labels,
    all,
    carrying(labelIds) {
      const there = labelIds.map(hasLabelId);
      return [...all()].filter((name) => {
        const node = store.node(name);
        const found = node?.metadata.labels ?? {};
        return there.some((isIn) => isIn(found)) || (node && recordedOn(node).some((label) => labelIds.includes(label)));
      });
    },
  };
}
