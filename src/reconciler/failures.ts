import { InvalidSpec } from '../api/index.ts';
import { ApiError, isConflict, messageOf, NoAnswer, NotLeader } from '../kube/errors.ts';
import type { Failure, Hold, WriteFailure } from './world.ts';

/** Runs `effect` and returns its error, if any, as a failure of `object`, so that the pass goes on with its other work. */
export async function attempt(reason: WriteFailure, object: string, effect: () => unknown): Promise<readonly Failure[]> {
  try {
    await effect();
    return [];
  } catch (error) {
    return [failureOf(reason, object, error)];
  }
}

/** A 409 is a race with another writer, which a retry settles. */
export const failureOf = (reason: WriteFailure, object: string, error: unknown): Failure => ({
  reason: isConflict(error) ? 'Conflict' : isAnswer(error) ? reason : 'InternalError',
  object,
  message: messageOf(error),
});

/** Why a spec cannot be followed, from the error that planning threw. */
export function obstacleOf(error: unknown, afterMs?: number): Hold {
  const again = afterMs !== undefined && { afterMs };
  if (error instanceof InvalidSpec)
    return { reason: 'InvalidSpec', message: error.message, ...(error.reason && { event: error.reason }), ...again };
  return { reason: isAnswer(error) ? 'LookupFailed' : 'InternalError', message: messageOf(error), fails: true };
}

/** Whether the error is an answer of the API server or of the network. Any other error is a defect of Sluice or of a runtime's package. */
const isAnswer = (error: unknown): boolean => error instanceof ApiError || error instanceof NoAnswer || error instanceof NotLeader;

/** Runs all of them, even after one has failed. Throws the one error, or one that joins the messages of several. */
export async function each<T>(works: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = [];
  const errors: unknown[] = [];
  for (const work of works)
    try {
      results.push(await work());
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 1 && !errors.every(isConflict)) throw new Error(errors.map(messageOf).join('; '), { cause: errors[0] });
  if (errors.length > 0) throw errors[0];
  return results;
}

/** Runs `work`, and once more after a conflict: another writer changed an object after it was read, so the decision is out of date. */
export async function againAfterConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error)) throw error;
    return work();
  }
}
