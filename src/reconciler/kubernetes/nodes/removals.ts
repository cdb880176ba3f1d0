import type { RefusedLabels } from './node-writes.ts';
import { createMultiMap } from './placements.ts';

/** Runtimes that are being deleted, whose labels are removed from all nodes. */
export interface Removals {
  /** Whether these labels are being removed and some node still has one. */
  isUnderWay(runtime: string, labelIds: readonly string[]): boolean;
  /** `onNews` is called when none of `nodes` has one of the labels any more, and when the error of a node changes. */
  begin(runtime: string, labelIds: readonly string[], nodes: readonly string[], onNews: () => void): void;
  forget(runtime: string): void;
  /** UID of the runtime whose labels with this ID are being removed. */
  ownerOf(labelId: string): string | undefined;
  /** A write to the node ended. */
  wrote(node: string, refused: RefusedLabels, before: RefusedLabels | undefined): void;
}

interface Removal {
  readonly labelIds: readonly string[];
  /** Nodes that may still have one of the labels. */
  readonly nodes: Set<string>;
  readonly onNews: () => void;
}

export function createRemovals(): Removals {
  const removals = new Map<string, Removal>();
  const byLabelId = createMultiMap();
  return {
    isUnderWay(runtime, labelIds) {
      const removal = removals.get(runtime);
      return removal?.labelIds.join() === labelIds.join() && removal.nodes.size > 0;
    },
    begin(runtime, labelIds, nodes, onNews) {
      for (const labelId of labelIds) byLabelId.add(labelId, runtime);
      removals.set(runtime, { labelIds, nodes: new Set(nodes), onNews });
    },
    forget(runtime) {
      for (const labelId of removals.get(runtime)?.labelIds ?? []) byLabelId.delete(labelId, runtime);
      removals.delete(runtime);
    },
    ownerOf: (labelId) => byLabelId.first(labelId),
    wrote(node, refused, before) {
      for (const [runtime, { nodes, onNews }] of removals) {
        if (!nodes.has(node)) continue;
        if (!refused.has(runtime)) nodes.delete(node);
        if (nodes.size === 0 || before?.get(runtime) !== refused.get(runtime)) onNews();
      }
    },
  };
}
