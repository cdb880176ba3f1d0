import { shown } from '../../api/errors.ts';
import { annotation, operationFinalizer, type OperationStatus, ownersOf } from '../../api/index.ts';
import { pauseWish } from '../../api/records.ts';
import type { Reason } from '../../planning/reasons.ts';
import type { Hold } from '../world.ts';
import type { JobEnd, OperationObject, OperationWorld } from './world.ts';

/**
 * The state of an operation: its status, its user's requests by annotations, and when it is deleted. A request by annotation is done
 * without an edit of the spec, and can be undone.
 */

const phaseOf = ({ status }: OperationObject): OperationStatus['phase'] => status?.phase ?? '';

/** The latest run has ended, and the status says so. */
export const isDone = (operation: OperationObject): boolean => phaseOf(operation) === 'Complete' || phaseOf(operation) === 'Failed';
/** Whether it runs again and again: then the phase is that of the latest run, and there will be others. */
export const repeats = ({ spec: { policy } }: OperationObject): boolean => policy === 'Cron' || policy === 'OnEvent';
/** The operation does not run again. */
export const isOver = (operation: OperationObject): boolean => isDone(operation) && !repeats(operation) && !isRetried(operation);
export const isComplete = (operation: OperationObject): boolean => phaseOf(operation) === 'Complete' && !isRetried(operation);
/** Whether a restore tool has left out its owner, without which it would outlive its Dataset. */
export const lacksOwner = (operation: OperationObject): boolean =>
  (operation.metadata.finalizers?.includes(operationFinalizer(operation.kind)) ?? false) && ownersOf(operation).length === 0;
/** Whether a controller that starts has nothing to do for it. One that waits to be deleted has a finalizer; one that had a schedule may still have its CronJob. */
export const isSettled = (operation: OperationObject): boolean =>
  isOver(operation) &&
  !lacksOwner(operation) &&
  !operation.metadata.deletionTimestamp &&
  operation.spec.ttlSecondsAfterFinished === undefined &&
  operation.status?.lastScheduleTime === undefined;
export const isRunning = (operation: OperationObject): boolean => phaseOf(operation) === 'Executing';

/** Whether its status says that its Job, or what helps it, gets no pod. */
export const hasNoPods = ({ status }: OperationObject): boolean =>
  status?.conditions?.some(({ reason }) => reason === ('NoPods' satisfies Reason)) ?? false;

/** The message of operations that wait for such a one. */
export const LACKS_PODS = 'runs, but Kubernetes does not create its pods: see its condition Complete';

/** When it was complete or failed, RFC 3339. */
export const endOf = (operation: OperationObject | undefined): string | undefined =>
  operation?.status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')
    ?.lastTransitionTime;

/** Since when it waits, in milliseconds since the epoch; 0 if it does not wait, or has not reported that. */
export function waitingSince({ status }: OperationObject): number {
  const waiting = status?.conditions?.find(({ type, status: is }) => type === 'Complete' && is === 'False');
  return Date.parse(waiting?.lastTransitionTime ?? '') || 0;
}

/** Whether its status says how its Job ended, and nothing newer. */
export const hasReported = (operation: OperationObject, { type, at }: JobEnd): boolean =>
  phaseOf(operation) === type && endOf(operation) === at;

/** Why a paused operation does not go on. A value that is neither true nor false pauses too: a run that was not wanted cannot be undone. */
export function pauseOf(operation: OperationObject): Hold | undefined {
  const value = pauseWish(operation);
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

/**
 * Milliseconds until it is deleted; undefined if nothing deletes it. One that runs again and again is never over, and a predecessor that
 * others have not seen complete stays until they have.
 *
 * @param ended when it ended, RFC 3339. Default: as its status says
 */
export function expiresInMs(
  { operation, now, isAwaited }: Pick<OperationWorld, 'operation' | 'now' | 'isAwaited'>,
  ended = endOf(operation),
): number | undefined {
  const { ttlSecondsAfterFinished: ttl, policy = 'Once' } = operation.spec;
  if (ttl === undefined || policy !== 'Once' || isAwaited) return undefined;
  // Fluid accepts a negative time to live.
  return Math.max(0, Date.parse(ended ?? '') + ttl * 1000 - now || 0);
}

/** A timer of Node.js runs for 24 days at most. */
const LONGEST_MS = 86_400_000;

/** The pass that deletes it. No event wakes it: its own writes do not. */
export const untilExpiry = (inMs: number | undefined): { readonly afterMs?: number } =>
  inMs === undefined ? {} : { afterMs: Math.min(inMs, LONGEST_MS) };
