import type { RefusedLabels } from './node-writes.ts';
import { createMultiMap } from './placements.ts';

/** Runtimes that are being deleted, whose labels are removed from all nodes. */
export interface Removals {
  /** Whether these labels are being removed and some node still has one. */
  isUnderWay(runtime: string, traces: readonly string[]): boolean;
  /** `onNews` is called when none of `nodes` has one of the labels any more, and when the error of a node changes. */
  begin(runtime: string, traces: readonly string[], nodes: readonly string[], onNews: () => void): void;
  forget(runtime: string): void;
  /** UID of the runtime whose labels with this trace are being removed. */
  ownerOf(trace: string): string | undefined;
  /** A write to the node ended. */
  wrote(node: string, refused: RefusedLabels, before: RefusedLabels | undefined): void;
}

interface Removal {
  readonly traces: readonly string[];
  /** Nodes that may still have one of the labels. */
  readonly nodes: Set<string>;
  readonly onNews: () => void;
}

export function createRemovals(): Removals {
  const removals = new Map<string, Removal>();
  const byTrace = createMultiMap();
  return {
    isUnderWay(runtime, traces) {
      const removal = removals.get(runtime);
      return removal?.traces.join() === traces.join() && removal.nodes.size > 0;
    },
    begin(runtime, traces, nodes, onNews) {
      for (const trace of traces) byTrace.add(trace, runtime);
      removals.set(runtime, { traces, nodes: new Set(nodes), onNews });
    },
    forget(runtime) {
      for (const trace of removals.get(runtime)?.traces ?? []) byTrace.delete(trace, runtime);
      removals.delete(runtime);
    },
    ownerOf: (trace) => byTrace.first(trace),
    wrote(node, refused, before) {
      for (const [runtime, { nodes, onNews }] of removals) {
        if (!nodes.has(node)) continue;
        if (!refused.has(runtime)) nodes.delete(node);
        if (nodes.size === 0 || before?.get(runtime) !== refused.get(runtime)) onNews();
      }
    },
  };
}
