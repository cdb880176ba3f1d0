import type { Monotonic } from '../clock.ts';

/** The time in which passes, or parts of a scrape, may follow each other. */
export interface TimeSlice {
  /** Whether the event loop has its turn first. The first question begins a slice. */
  isSpent(): boolean;
}

const SLICE_MS = 10;

/**
 * Passes that need no request end without the event loop: thousands of them would keep the lease from being renewed.
 *
 * @param resume called after the event loop had its turn
 */
export function createTimeSlice(clock: Monotonic, resume: () => void): TimeSlice {
  let since: number | undefined;
  return {
    isSpent() {
      if (since !== undefined) return clock.monotonic() - since > SLICE_MS;
      since = clock.monotonic();
      setImmediate(() => {
        since = undefined;
        resume();
      });
      return false;
    },
  };
}
