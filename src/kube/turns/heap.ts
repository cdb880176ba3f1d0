export interface Heap<T> {
  readonly size: number;
  push(order: number, item: T): void;
  /** The one with the smallest number. */
  pop(): T | undefined;
  /** Looks at each: for what is seldom. */
  remove(item: T): boolean;
}

/** The smallest number first. */
export function createHeap<T>(): Heap<T> {
  const heap: { readonly order: number; readonly item: T }[] = [];
  const swap = (i: number, j: number) => {
    [heap[i], heap[j]] = [heap[j]!, heap[i]!];
  };
  const order = (i: number) => heap[i]?.order ?? Infinity;
  return {
    get size() {
      return heap.length;
    },
    push(number, item) {
      heap.push({ order: number, item });
      for (let i = heap.length - 1, up = (i - 1) >> 1; i > 0 && order(i) < order(up); i = up, up = (i - 1) >> 1) swap(i, up);
    },
    pop() {
      const first = heap[0];
      const last = heap.pop();
      if (!first || !last || heap.length === 0) return first?.item;
      heap[0] = last;
      for (let i = 0; ; ) {
        const least = order(2 * i + 1) <= order(2 * i + 2) ? 2 * i + 1 : 2 * i + 2;
        if (order(least) >= order(i)) return first.item;
        swap(i, least);
        i = least;
      }
    },
    remove(item) {
      const at = heap.findIndex((each) => each.item === item);
      if (at < 0) return false;
      heap.splice(at, 1);
      // A sorted list is a heap.
      heap.sort((a, b) => a.order - b.order);
      return true;
    },
  };
}
