import { durationText, type OperationStatus, type RuntimeCondition } from '../../api/index.ts';
import { redactedText } from '../../kube/redact.ts';
import { withCondition } from '../status/conditions.ts';
import type { Hold } from '../world.ts';
import type { JobEnd, OperationObject, OperationWorld, Refusal } from './world.ts';

/** The statuses of an operation. `Complete` and `Failed` are final: nothing is written any more. */

const UNFINISHED = 'Unfinished';

type Status = OperationStatus;
const before = ({ status }: OperationObject): Partial<Status> => status ?? {};
const phaseOf = ({ status }: OperationObject): Status['phase'] => status?.phase ?? '';

export const isOver = (operation: OperationObject): boolean => phaseOf(operation) === 'Complete' || phaseOf(operation) === 'Failed';
export const isRunning = (operation: OperationObject): boolean => phaseOf(operation) === 'Executing';

/** It cannot start yet. `Complete` is False with the reason, which Fluid reports in events only. */
export const waitingStatus = ({ operation, now }: OperationWorld, { reason, message }: Hold): Status => ({
  ...common(operation),
  phase: isRunning(operation) ? 'Executing' : 'Pending',
  conditions: conditions(operation, { type: 'Complete', status: 'False', reason, message }, now),
});

/** Its Job runs. */
export const runningStatus = ({ operation }: OperationWorld): Status => ({ ...common(operation), phase: 'Executing', conditions: [] });

/**
 * Its Job has ended.
 *
 * @param output the end of what its last pod printed, if that failed
 */
export const endedStatus = ({ operation }: OperationWorld, { type, reason, message, at }: JobEnd, output?: string): Status => ({
  ...common(operation),
  phase: type,
  duration: durationText(Date.parse(at) - Date.parse(operation.metadata.creationTimestamp ?? at)),
  conditions: [
    {
      type,
      status: 'True',
      reason,
      message: redactedText(output ? `${message}: ${output}` : message),
      lastProbeTime: at,
      lastTransitionTime: at,
    },
  ],
});

/** It fails without having run. */
export const refusedStatus = ({ operation, now }: OperationWorld, { reason, message }: Refusal): Status => ({
  ...common(operation),
  phase: 'Failed',
  conditions: withCondition<RuntimeCondition>(
    [],
    { type: 'Failed', status: 'True', reason, message },
    now,
    'lastProbeTime',
  ) as RuntimeCondition[],
});

function common(operation: OperationObject): Pick<Status, 'duration' | 'waitingFor'> {
  const { duration = UNFINISHED, waitingFor = {} } = before(operation);
  return { duration: duration || UNFINISHED, waitingFor };
}

const conditions = (operation: OperationObject, said: Parameters<typeof withCondition>[1], now: number): RuntimeCondition[] => [
  ...withCondition(before(operation).conditions ?? [], said, now, 'lastProbeTime'),
];
