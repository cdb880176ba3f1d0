import { by, rate, series } from '../../src/monitoring/promql.ts';
import { graph, type Panel, shown, STEP } from './board.ts';

/** Memory and CPU of the processes of a part. */
export const processPanels = (job: string): readonly Panel[] => [
  graph(
    'Memory',
    'Resident memory of each pod.',
    'bytes',
    shown(by('max', ['pod'], series('process_resident_memory_bytes', { job })), (of) => of('pod')),
  ),
  graph(
    'CPU',
    'Cores that each pod uses.',
    'short',
    shown(by('max', ['pod'], rate(series('process_cpu_seconds_total', { job }), STEP)), (of) => of('pod')),
  ),
];
