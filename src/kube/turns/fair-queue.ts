import { createHeap, type Heap } from './heap.ts';

/**
 * One line for each namespace; namespaces with items in line take turns. An item that was taken counts for its namespace until it leaves, and
 * no namespace has more than `most` inside. The caller decides how many are inside in all.
 */
export interface FairQueue<T> {
  /** Items in all lines. */
  readonly waiting: number;
  /** Whether an item waits whose namespace may have one more inside. */
  readonly isReady: boolean;
  /** @param order within the namespace, the smallest first. Default: as they come */
  push(namespace: string, item: T, order?: number): void;
  /** Takes the next item in turn. */
  shift(): T | undefined;
  leave(namespace: string): void;
  /** Removes the oldest item of the namespace with the longest line. */
  drop(): T | undefined;
  /** Removes an item from its line. */
  remove(namespace: string, item: T): void;
}

interface Line<T> {
  readonly items: Heap<T>;
  inside: number;
  isReady: boolean;
}

/** How many of so many places one namespace may have: a quarter is left to others. */
export const shareOf = (places: number): number => places - Math.floor(places / 4);

/** Requests at a time: 16 of one namespace. */
export const REQUESTS = 21;
/** Keys at a time: 24 of one namespace, which keep its requests busy. With more, later keys would only take turns with earlier ones. */
export const KEYS = 32;

export function createFairQueue<T>(most: number): FairQueue<T> {
  const lines = new Map<string, Line<T>>();
  /** Namespaces that are ready, each once. In a Map, the first key would be searched behind all that were deleted before it. */
  const turns = createHeap<string>();
  let number = 0;
  let waiting = 0;

  function changed(namespace: string, line: Line<T>): void {
    const isReady = line.items.size > 0 && line.inside < most;
    if (isReady && !line.isReady) turns.push(number++, namespace);
    if (!isReady && line.isReady) turns.remove(namespace);
    line.isReady = isReady;
    if (line.items.size === 0 && line.inside === 0) lines.delete(namespace);
  }

  return {
    get waiting() {
      return waiting;
    },
    get isReady() {
      return turns.size > 0;
    },
    push(namespace, item, order = number++) {
      const line = lines.get(namespace) ?? { items: createHeap<T>(), inside: 0, isReady: false };
      lines.set(namespace, line);
      line.items.push(order, item);
      waiting++;
      changed(namespace, line);
    },
    shift() {
      const namespace = turns.pop();
      const line = namespace === undefined ? undefined : lines.get(namespace);
      if (namespace === undefined || !line) return undefined;
      const item = line.items.pop();
      line.inside++;
      waiting--;
      // The namespace goes to the end of the turns.
      line.isReady = false;
      changed(namespace, line);
      return item;
    },
    leave(namespace) {
      const line = lines.get(namespace);
      if (!line) return;
      line.inside--;
      changed(namespace, line);
    },
    drop() {
      const [longest] = [...lines].toSorted(([, a], [, b]) => b.items.size - a.items.size);
      if (!longest || longest[1].items.size === 0) return undefined;
      waiting--;
      const item = longest[1].items.pop();
      changed(...longest);
      return item;
    },
    remove(namespace, item) {
      const line = lines.get(namespace);
      if (!line?.items.remove(item)) return;
      waiting--;
      changed(namespace, line);
    },
  };
}
