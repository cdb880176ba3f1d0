import { and, by, changes, grown, series, since, where } from '../promql.ts';
import { type Alert, alert, type Time } from './alert.ts';

const OPERATION = ['namespace', 'dataset', 'operation'] as const;

/** Alerts about operations. */
export const operationAlerts = (time: Time): readonly Alert[] => [
  alert({
    name: 'SluiceOperationWaits',
    severity: 'warning',
    of: where(
      by(
        'max',
        ['kind', 'reason'],
        // Normal behind long runs, and the wish of a user.
        series('sluice_operations_longest_wait_seconds', { reason: { none: ['WaitingForTurn', 'Paused'] } }),
      ),
      '>',
      time(3600),
    ),
    lasts: time(60),
    means: 'an operation has waited for an hour, neither for its turn nor for a user who paused it',
    summary: (label) => `A ${label('kind')} has waited for {{ humanizeDuration $value }}: ${label('reason')}`,
    toDo: {
      reason: 'reason',
      about: 'operation',
      inWords: 'what `sluice explain` says about the reason: the alert has the same text. `sluice explain -A` names the operation',
    },
  }),
  alert({
    name: 'SluiceOperationFails',
    severity: 'warning',
    of: where(by('sum', ['kind'], grown(series('sluice_operation_duration_seconds_count', { result: 'Failed' }), time(3600))), '>', 0),
    lasts: 0,
    means: 'in the last hour a Job of an operation failed, also of one with a schedule',
    summary: (label) => `Jobs of a ${label('kind')} failed in the last hour`,
    toDo: 'run sluice explain -A, which names the operations that failed; see the logs of their pods, correct the cause, then retry the operation by a new text of its annotation data.fluid.io/retry',
  }),
  alert({
    name: 'SluiceOperationFailed',
    severity: 'info',
    of: where(by('max', ['kind'], series('sluice_operations', { phase: 'Failed' })), '>', 0),
    lasts: time(300),
    means: 'operations that failed exist, also those that never ran',
    summary: (label) => `{{ $value }} ${label('kind')} have failed, and still exist`,
    toDo: 'run sluice explain -A, which says why; correct the cause, then retry the operation by a new text of its annotation data.fluid.io/retry, or delete it',
  }),
  alert({
    name: 'SluiceOperationStuck',
    severity: 'warning',
    of: and(
      where(since(by('max', OPERATION, series('sluice_dataset_operation_timestamp_seconds', { phase: 'Executing' }))), '>', time(3600)),
      OPERATION,
      where(by('max', OPERATION, changes(series('sluice_dataset_operation_progress_ratio'), time(3600))), '==', 0),
    ),
    lasts: 0,
    means: 'an operation runs, and reports for an hour the same progress. Those that report none are not among them',
    summary: (label) => `A ${label('operation')} of Dataset ${label('namespace')}/${label('dataset')} runs without progress`,
    toDo: 'see the log of its pod, and whether the store and the workers of the Dataset answer: sluice explain of the Dataset',
  }),
];
