import { shown } from '../../api/errors.ts';
import { annotation } from '../../api/index.ts';
import type { Hold } from '../world.ts';
import type { OperationObject } from './world.ts';

/** What the user of an operation asks for by annotations: it is done without an edit of the spec, and can be undone. */

/**
 * Why a paused operation does not go on. A value that is neither true nor false pauses too: a run that was not wanted cannot be undone.
 * threat-model: R-operation-request
 */
export function pauseOf({ metadata }: OperationObject): Hold | undefined {
  const value = metadata.annotations?.[annotation.paused];
  if (value === undefined || value === 'false') return undefined;
  if (value === 'true') return { reason: 'Paused', message: `the annotation ${annotation.paused} is true` };
  return {
    reason: 'Paused',
    message: `annotation ${annotation.paused}: expected true or false, found ${shown(value)}, which counts as true`,
  };
}

/** By which text the user asks for the run that begins next. threat-model: R-operation-request */
export const retryOf = ({ metadata }: OperationObject): string | undefined => metadata.annotations?.[annotation.retry] || undefined;

/** Whether the user has asked for another run since the latest one began. A schedule has its own next run. */
export function isRetried(operation: OperationObject): boolean {
  const retry = retryOf(operation);
  return retry !== undefined && retry !== operation.status?.observedRetry && operation.spec.policy !== 'Cron';
}
