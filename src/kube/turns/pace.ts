import type { Monotonic } from '../clock.ts';
import { createTimeSlice } from './time-slice.ts';

/** Work of some seconds in slices, between which the event loop has its turn. */
export interface Pace {
  /** Whether this slice is over. */
  isSpent(): boolean;
  /** Resolves in the next slice, once this one is spent. */
  rest(): Promise<void>;
}

/** To ask for the time costs as much as some of the work. */
const AT_ONCE = 16;

/** For one who works: a second that rests at the same time would not be resumed. */
export function createPace(clock: Monotonic): Pace {
  let resume = (): void => {};
  const slice = createTimeSlice(clock, () => resume());
  return {
    isSpent: () => slice.isSpent(),
    rest: () =>
      new Promise((resolve) => {
        resume = resolve;
      }),
  };
}

/** Calls `visit` with each of thousands. */
export async function visitAll<T>(items: Iterable<T>, pace: Pace, visit: (item: T) => void): Promise<void> {
  let visited = 0;
  for (const item of items) {
    visit(item);
    if (++visited % AT_ONCE === 0 && pace.isSpent()) await pace.rest();
  }
}

/** A chunk is written to a socket or a compressor at once. */
const CHUNK = 1 << 16;

/** Lines as larger chunks. */
export async function* inChunks(lines: Iterable<string>, pace: Pace): AsyncGenerator<string> {
  let chunk: string[] = [];
  let size = 0;
  for (const line of lines) {
    chunk.push(line);
    size += line.length;
    if (size < CHUNK) continue;
    yield chunk.join('');
    chunk = [];
    size = 0;
    if (pace.isSpent()) await pace.rest();
  }
  if (size > 0) yield chunk.join('');
}
