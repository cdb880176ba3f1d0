import { InvalidSpec } from '../api/index.ts';
import { ApiError, isConflict, NoAnswer, NotLeader } from '../kube/errors.ts';
import type { Failure, Hold, WriteFailure } from './world.ts';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What did not come off, as something to tell of the object concerned; whatever else the pass has to do goes on. */
export async function attempt(reason: WriteFailure, object: string, effect: () => unknown): Promise<readonly Failure[]> {
  try {
    await effect();
    return [];
  } catch (error) {
    return [failureOf(reason, object, error)];
  }
}

/** A 409 is a race with another writer, which looking again settles. */
export const failureOf = (reason: WriteFailure, object: string, error: unknown): Failure => ({
  reason: isConflict(error) ? 'Conflict' : isAnswer(error) ? reason : 'InternalError',
  object,
  message: messageOf(error),
});

/** Why a spec cannot be followed, from what was thrown on the way to its plan. */
export function obstacleOf(error: unknown, retryMs?: number): Hold {
  const again = retryMs !== undefined && { retryMs };
  if (error instanceof InvalidSpec)
    return { reason: 'InvalidSpec', message: error.message, ...(error.reason && { event: error.reason }), ...again };
  return { reason: isAnswer(error) ? 'LookupFailed' : 'InternalError', message: messageOf(error), fails: true };
}

/** What the API server or the network said; all else is a defect of ours or of a runtime's package. */
const isAnswer = (error: unknown): boolean => error instanceof ApiError || error instanceof NoAnswer || error instanceof NotLeader;

/** Does each, whatever becomes of the others; then throws what failed. */
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
