import type { FigureName } from '../../src/api/metrics/dataset.ts';
import { by, rate, series, since } from '../../src/monitoring/promql.ts';
import { type Board, graph, OF_DATASET, type Query, type Row, shown, stat, STEP, table } from './board.ts';

const DATASET = ['namespace', 'dataset'] as const;
/** The figure of each Dataset that is chosen; all replicas serve the same. */
const figure = (name: FigureName, what: string): Query =>
  shown(by('max', DATASET, series(name, OF_DATASET)), (of) => `${of('namespace')}/${of('dataset')} ${what}`.trim());
const OPERATION = [...DATASET, 'operation'] as const;

const state: Row = {
  title: 'State',
  panels: [
    stat(
      'Phase',
      'The phase of each Dataset. Above the limit of series: how many are in each phase.',
      'short',
      shown(by('max', [...DATASET, 'phase'], series('sluice_dataset_phase', OF_DATASET)), (of) => `${of('dataset')} ${of('phase')}`),
    ),
    table(
      'Needs attention',
      'The gravest condition, and for how long it has held. `sluice explain` says what to do about it.',
      's',
      shown(
        since(by('max', [...DATASET, 'condition', 'reason'], series('sluice_dataset_condition_timestamp_seconds', OF_DATASET))),
        (of) => `${of('dataset')} ${of('condition')}: ${of('reason')}`,
      ),
    ),
    graph(
      'Fuse pods',
      'Nodes that should run a fuse pod, fuse pods that are ready, and those of an older template.',
      'short',
      figure('sluice_dataset_fuse_pods_desired', 'desired'),
      figure('sluice_dataset_fuse_pods_ready', 'ready'),
      figure('sluice_dataset_fuse_pods_outdated', 'outdated'),
    ),
    graph(
      'Pods that read',
      'Pods that mount the Dataset, of all nodes. Pods with a sidecar are not among them.',
      'short',
      shown(by('sum', DATASET, series('sluice_csi_dataset_pods', OF_DATASET)), (of) => `${of('namespace')}/${of('dataset')}`),
    ),
  ],
};

const cache: Row = {
  title: 'Cache',
  panels: [
    graph(
      'Cached data',
      'Cached bytes, the capacity of the cache, and the size of the data in its store.',
      'bytes',
      figure('sluice_dataset_cached_bytes', 'cached'),
      figure('sluice_dataset_cache_capacity_bytes', 'capacity'),
      figure('sluice_dataset_data_bytes', 'data'),
    ),
    graph(
      'Reads that the cache answered',
      'Share of reads that the cache answered; of these on the node of the reader, and on another node.',
      'percentunit',
      figure('sluice_dataset_hit_ratio', ''),
      figure('sluice_dataset_local_hit_ratio', 'same node'),
      figure('sluice_dataset_remote_hit_ratio', 'other node'),
    ),
    graph(
      'Bytes read',
      'Bytes a second that readers got from the cache and from the store: Alluxio and JuiceFS Community.',
      'binBps',
      shown(
        by('sum', [...DATASET, 'source'], rate(series('sluice_dataset_read_bytes_total', OF_DATASET), STEP)),
        (of) => `${of('dataset')} ${of('source')}`,
      ),
    ),
    graph('Files', 'Number of files in the store.', 'short', figure('sluice_dataset_data_files', '')),
  ],
};

const work: Row = {
  title: 'Volumes and operations',
  panels: [
    graph(
      'Volumes published',
      'Publish calls a second by result. waits: the kubelet tries again, and the pod waits.',
      'ops',
      shown(
        by('sum', [...DATASET, 'result'], rate(series('sluice_csi_dataset_publishes_total', OF_DATASET), STEP)),
        (of) => `${of('dataset')} ${of('result')}`,
      ),
    ),
    graph(
      'Mounts bound again',
      'Mounts of pods a second whose FUSE client ended, by result.',
      'ops',
      shown(
        by('sum', [...DATASET, 'result'], rate(series('sluice_csi_dataset_recoveries_total', OF_DATASET), STEP)),
        (of) => `${of('dataset')} ${of('result')}`,
      ),
    ),
    table(
      'Operations',
      'The operation of each kind that runs, or waits for longest, and its age.',
      's',
      shown(
        since(by('max', [...OPERATION, 'phase'], series('sluice_dataset_operation_timestamp_seconds', OF_DATASET))),
        (of) => `${of('dataset')} ${of('operation')} ${of('phase')}`,
      ),
    ),
    graph(
      'Progress of operations',
      'Share of its work that the operation has done.',
      'percentunit',
      shown(
        by('max', OPERATION, series('sluice_dataset_operation_progress_ratio', OF_DATASET)),
        (of) => `${of('dataset')} ${of('operation')}`,
      ),
    ),
  ],
};

export const dataset: Board = {
  name: 'dataset',
  title: 'Sluice: Dataset',
  description: 'One Dataset or several: their caches, readers and operations.',
  choices: ['namespace', 'dataset'],
  rows: [state, cache, work],
};
