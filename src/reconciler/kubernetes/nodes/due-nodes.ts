import { isDeepStrictEqual } from 'node:util';
import type { Timers } from '../../../kube/clock.ts';
import type { Labels } from './cache-labels.ts';

const SETTLE_MS = 100;
/** The pause between two writes to a node, unless another writer changes it: in a burst of set-ups its labels change with each one. */
const REST_MS = 1000;

/** Nodes whose labels have to be compared. A node is due 100 ms after it was added, or a second after its last write if that is later. */
export interface DueNodes {
  add(nodes: Iterable<string>): void;
  /** Also the nodes that have one of these IDs once the 100 ms have passed; an `add` has to follow. */
  addCarriers(labelIds: readonly string[]): void;
  /** The node changed. If its labels are not those of the last write, another writer changed it, and that is repaired without a pause. */
  changed(node: string, labels: Labels): void;
  /** A write to the node began, or ended with these labels. */
  wrote(node: string, labels?: Labels): void;
  stop(): void;
}

export function createDueNodes(
  carriersOf: (labelIds: readonly string[]) => readonly string[],
  onDue: (node: string) => void,
  clock: Timers,
): DueNodes {
  const waiting = new Set<string>();
  const labelIds = new Set<string>();
  /** When each node was written last, and the labels that it had then. */
  const written = new Map<string, { readonly at: number; readonly labels?: Labels }>();
  let cancel = () => {};
  let flushAt = Number.POSITIVE_INFINITY;

  function add(nodes: Iterable<string>): void {
    for (const name of nodes) waiting.add(name);
    if (waiting.size + labelIds.size > 0) flushIn(SETTLE_MS);
  }
  /** An earlier time wins: a node that waits for its pause delays no other. */
  function flushIn(ms: number): void {
    const at = clock.monotonic() + ms;
    if (at >= flushAt) return;
    cancel();
    flushAt = at;
    cancel = clock.after(ms, flush);
  }
  function flush(): void {
    flushAt = Number.POSITIVE_INFINITY;
    if (labelIds.size > 0) for (const name of carriersOf([...labelIds])) waiting.add(name);
    labelIds.clear();
    const now = clock.monotonic();
    for (const [name, { at }] of written) if (now - at >= REST_MS) written.delete(name);
    for (const name of waiting) {
      if (written.has(name)) continue;
      waiting.delete(name);
      onDue(name);
    }
    if (waiting.size === 0) return;
    const first = Math.min(...[...waiting].map((name) => written.get(name)?.at ?? now));
    flushIn(Math.max(SETTLE_MS, first + REST_MS - now));
  }

  return {
    add,
    addCarriers(of) {
      for (const labelId of of) labelIds.add(labelId);
    },
    changed(node, labels) {
      const last = written.get(node)?.labels;
      if (last && !isDeepStrictEqual(last, labels)) written.delete(node);
      add([node]);
    },
    wrote: (node, labels) => void written.set(node, { at: clock.monotonic(), ...(labels && { labels }) }),
    stop: () => cancel(),
  };
}
