/** An event at a moment of virtual time. */
export interface Event<P> {
  readonly process: P | undefined;
  readonly run: () => void;
  /** By the monotonic clock of its process: a timer of a machine that was suspended is late by as much. */
  readonly dueMs: number | undefined;
  cancelled: boolean;
}

/** The events to come. */
export interface Agenda<P> {
  /** When the next event is due; Infinity without one. */
  readonly nextMs: number;
  push(at: number, event: Event<P>): void;
  pop(): Event<P> | undefined;
}

/** Events in the order of their time; those of one time in the order in which they were added. */
export function createAgenda<P>(): Agenda<P> {
  const heap: { readonly at: number; readonly serial: number; readonly event: Event<P> }[] = [];
  let serial = 0;
  const before = (i: number, j: number): boolean => {
    const [a, b] = [heap[i]!, heap[j]!];
    return a.at < b.at || (a.at === b.at && a.serial < b.serial);
  };
  const swap = (i: number, j: number) => {
    [heap[i], heap[j]] = [heap[j]!, heap[i]!];
  };
  return {
    get nextMs() {
      return heap[0]?.at ?? Infinity;
    },
    push(at: number, event: Event<P>) {
      heap.push({ at, serial: serial++, event });
      for (let i = heap.length - 1; i > 0 && before(i, (i - 1) >> 1); i = (i - 1) >> 1) swap(i, (i - 1) >> 1);
    },
    pop(): Event<P> | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (!first || !last || heap.length === 0) return first?.event;
      heap[0] = last;
      for (let i = 0; ; ) {
        const [left, right] = [2 * i + 1, 2 * i + 2];
        const least = right < heap.length && before(right, left) ? right : left;
        if (least >= heap.length || !before(least, i)) return first.event;
        swap(i, least);
        i = least;
      }
    },
  };
}
