import { type Outcome, settled, waiting } from '../kube/turns/queue.ts';
import { each } from './failures.ts';
import { causeOf, isPassing } from '../planning/reasons.ts';
import type { Failure, Hold } from './world.ts';

/** Waits, and reports the hold once it has lasted. */
export async function held(hold: Hold, reportInMs: number, report: () => Promise<unknown>): Promise<Outcome> {
  // Most often the next try succeeds.
  if (hold.fails) return failing(hold.message, reportInMs <= 0 ? report : undefined);
  if (hold.silent) return hold.afterMs ? { kind: 'waiting', afterMs: hold.afterMs, isAsking: true } : settled();
  if (!isReported(hold, reportInMs)) return waiting(Math.min(reportInMs, hold.afterMs ?? Infinity));
  await report();
  return untilNext(hold.afterMs);
}

/** A passing hold is reported once it has lasted: most end before an operator could read of them. */
export const isReported = (hold: Hold, reportInMs: number): boolean => !isPassing(hold) || reportInMs <= 0;

/** Fails the pass for what could not be written. A retry settles a race with another writer, so that is reported only once it lasts. */
export function failingOn(failed: readonly Failure[], reportInMs: number, report: (message: string) => Promise<unknown>): Promise<never> {
  const message = failed.map(({ object, message: why }) => `${object}: ${why}`).join('; ');
  const isPassingRace = reportInMs > 0 && failed.every(({ reason }) => causeOf(reason).isRace);
  return failing(message, isPassingRace ? undefined : () => report(message));
}

/** Reports, then fails the pass, whether or not the report succeeded. */
export async function failing(message: string, report: () => Promise<unknown> = async () => {}): Promise<never> {
  await each([report, () => Promise.reject(new Error(message))]);
  throw new Error(message);
}

/** A key that waits for an event, or for so many ms if it has to come again by itself. */
export const untilNext = (afterMs: number | undefined): Outcome => (afterMs ? waiting(afterMs) : settled());

/** A pass that only an event would follow is repeated after so many ms. */
export const orAgain = (outcome: Outcome, afterMs: number | undefined): Outcome =>
  outcome.kind === 'settled' ? settled(outcome.afterMs ?? afterMs) : outcome;
