import { backoff, type Clock, sleep } from '../clock.ts';
import { ApiError, isNotFound, NoAnswer } from '../errors.ts';

/** A refused connection or a 404 costs the server little, and callers may wait for the server to start, or for the CRD. */
const CHEAP_MS = 5_000;

/** Repeats a step until the signal is aborted. @param failed returns how long to wait before the next try, ms */
export async function repeat(
  step: () => Promise<void>,
  failed: (error: unknown) => number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await step();
    } catch (error) {
      // Rejects only when stopped, which the loop sees.
      await sleep(clock, failed(error), signal).catch(() => {});
    }
  }
}

/** How long to wait after a failure, ms. */
export function pauseMs(error: unknown, failures: number, clock: Clock): number {
  const isCheapToAsk = isNotFound(error) || (error instanceof NoAnswer && !error.mayHaveArrived);
  const wait = backoff(failures, clock.random, isCheapToAsk ? { mostMs: CHEAP_MS } : {});
  return Math.max(wait, (error instanceof ApiError && error.retryAfterMs) || 0);
}
