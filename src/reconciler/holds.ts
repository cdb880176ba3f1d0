import { each } from './failures.ts';
import { isPassing } from './reasons.ts';
import type { Hold, Next } from './world.ts';

/** Waits, and reports the hold once it has lasted. */
export async function held(hold: Hold, reportInMs: number, report: () => Promise<unknown>): Promise<Next> {
  // Most often the next try succeeds.
  if (hold.fails) return failing(hold.message, reportInMs <= 0 ? report : undefined);
  if (hold.silent) return hold.retryMs ? { after: hold.retryMs, isAsking: true } : 'on-change';
  if (isPassing(hold) && reportInMs > 0) return { after: Math.min(reportInMs, hold.retryMs ?? Infinity) };
  await report();
  return hold.retryMs ? { after: hold.retryMs } : 'on-change';
}

/** Reports, then fails the pass, whether or not the report succeeded. */
export async function failing(message: string, report: () => Promise<unknown> = async () => {}): Promise<never> {
  await each([report, () => Promise.reject(new Error(message))]);
  throw new Error(message);
}
