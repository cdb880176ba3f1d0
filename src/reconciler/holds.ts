import { isConflict } from '../kube/errors.ts';
import { type Outcome, settled, waiting } from '../kube/turns/queue.ts';
import { causeOf, isPassing } from '../planning/reasons.ts';
import { each, failureOf } from './failures.ts';
import type { Failure, Hold, WriteFailure } from './world.ts';

/** The one way to wait and the one way to fail. A hold or failure that lasts is reported; one that a retry ends is not. */

/** Waits, and reports the hold once it has lasted. */
export async function held(hold: Hold, reportInMs: number, report: () => Promise<unknown>): Promise<Outcome> {
  // Most often the next try succeeds.
  if (hold.fails) return failing(new Error(hold.message), reportInMs <= 0 ? report : undefined);
  if (hold.silent) return hold.afterMs ? { kind: 'waiting', afterMs: hold.afterMs, isAsking: true } : settled();
  // A passing hold is reported once it has lasted: most end before an operator could read of them.
  if (isPassing(hold) && reportInMs > 0) return waiting(Math.min(reportInMs, hold.afterMs ?? Infinity));
  await report();
  return hold.afterMs ? waiting(hold.afterMs) : settled();
}

/** A key that only an event would wake comes again after so many ms. */
export const orAgain = (outcome: Outcome, afterMs: number | undefined): Outcome =>
  outcome.kind === 'settled' ? settled(outcome.afterMs ?? afterMs) : outcome;

/** Reports, then fails the pass with `error`, whether or not the report succeeded. */
export async function failing(error: unknown, report: () => Promise<unknown> = async () => {}): Promise<never> {
  await each([report, () => Promise.reject(error)]);
  throw error;
}

/** Fails the pass for failed writes. A retry settles a race with another writer, so that is reported only once it lasts. */
export function failingOn(failed: readonly Failure[], reportInMs: number, report: (message: string) => Promise<unknown>): Promise<never> {
  const message = failed.map(({ object, message: why }) => `${object}: ${why}`).join('; ');
  const isPassingRace = reportInMs > 0 && failed.every(({ reason }) => causeOf(reason).isRace);
  return failing(new Error(message), isPassingRace ? undefined : () => report(message));
}

/** Runs `effect`. The error fails the pass unchanged, so that a race with another writer is repeated at once. */
export async function orReport<T>(
  effect: () => Promise<T>,
  reason: WriteFailure,
  reportInMs: number,
  report: (hold: Hold) => Promise<void>,
): Promise<T> {
  try {
    return await effect();
  } catch (error) {
    const { object: _, ...failure } = failureOf(reason, '', error);
    return failing(error, isConflict(error) && reportInMs > 0 ? undefined : () => report(failure));
  }
}
