import { by, grown, quantile, rate, series, since } from '../../src/monitoring/promql.ts';
import { type Board, graph, OF_DATASET, shown, stat, STEP, table } from './board.ts';

const OPERATION = ['namespace', 'dataset', 'operation'] as const;
const length = (share: number) =>
  shown(
    quantile(share, ['kind'], rate(series('sluice_operation_duration_seconds_bucket'), STEP)),
    (of) => `${of('kind')}, ${100 * share} of 100`,
  );

export const operations: Board = {
  name: 'operations',
  title: 'Sluice: operations',
  description: 'DataLoads, DataMigrates, DataProcesses and DataBackups.',
  choices: ['namespace', 'dataset'],
  rows: [
    {
      title: 'All operations',
      panels: [
        stat(
          'Operations',
          'Operations by kind and phase.',
          'short',
          shown(by('max', ['kind', 'phase'], series('sluice_operations')), (of) => `${of('kind')} ${of('phase')}`),
        ),
        graph(
          'Operations that wait',
          'Operations by kind and what they wait for. WaitingForTurn is normal behind long runs.',
          'short',
          shown(by('max', ['kind', 'reason'], series('sluice_operations_waiting')), (of) => `${of('kind')} ${of('reason')}`),
        ),
        graph(
          'Longest wait',
          'How long the operation of each kind and reason has waited that has waited for longest.',
          's',
          shown(by('max', ['kind', 'reason'], series('sluice_operations_longest_wait_seconds')), (of) => `${of('kind')} ${of('reason')}`),
        ),
        graph(
          'Runs that ended',
          'Jobs that ended in the last hour, by result.',
          'short',
          shown(
            by('sum', ['kind', 'result'], grown(series('sluice_operation_duration_seconds_count'), 3600)),
            (of) => `${of('kind')} ${of('result')}`,
          ),
        ),
        graph('Length of runs', 'Of a hundred runs, 50 and 90 were shorter than this.', 's', length(0.5), length(0.9)),
      ],
    },
    {
      title: 'Operations of the chosen Datasets',
      panels: [
        table(
          'Operations that are not over',
          'The operation of each kind that runs, or waits for longest, and its age.',
          's',
          shown(
            since(by('max', [...OPERATION, 'phase'], series('sluice_dataset_operation_timestamp_seconds', OF_DATASET))),
            (of) => `${of('namespace')}/${of('dataset')} ${of('operation')} ${of('phase')}`,
          ),
        ),
        graph(
          'Progress',
          'Share of its work that the operation has done. One that stays the same for an hour is stuck.',
          'percentunit',
          shown(
            by('max', OPERATION, series('sluice_dataset_operation_progress_ratio', OF_DATASET)),
            (of) => `${of('namespace')}/${of('dataset')} ${of('operation')}`,
          ),
        ),
      ],
    },
  ],
};
