import type { OperationStatus } from '../../api/index.ts';
import { type Lack, withStanding } from '../status/standing.ts';
import type { OperationObject } from './world.ts';

/** The status with how the operation stands, which follows from its phase and its other conditions, and with the generation that it is about. */
export function operationStanding(
  { metadata, spec, status: before }: OperationObject,
  status: OperationStatus,
  now: number,
): OperationStatus {
  const lack = lackOf(status, spec.policy === 'Cron');
  const conditions = withStanding(status.conditions, before?.conditions ?? [], lack, readyOf(status), now);
  return { ...status, conditions: [...conditions], observedGeneration: metadata.generation ?? 0 };
}

/** Why the operation is not what its user wants it to be: complete, or of a schedule in place. */
function lackOf({ phase, conditions }: OperationStatus, isScheduled: boolean): Lack | undefined {
  const { reason = '', message = '' } = conditions.find(({ type }) => type === phase || type === 'Complete') ?? {};
  if (phase === 'Complete') return undefined;
  if (phase === 'Failed') return { reason, message, isStalled: true };
  if (reason !== '') return { reason, message };
  // The CronJob waits for its time, or a Job of it runs.
  return isScheduled ? undefined : { reason: phase, message: 'The Job has not ended yet.' };
}

const readyOf = ({ phase, conditions }: OperationStatus): Lack =>
  phase === 'Complete'
    ? { reason: 'Complete', message: conditions.find(({ type }) => type === 'Complete')?.message ?? '' }
    : { reason: 'Scheduled', message: 'The CronJob starts it when its time comes.' };
