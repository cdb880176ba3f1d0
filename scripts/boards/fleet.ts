import { by, highest, quantile, rate, series, since, where } from '../../src/monitoring/promql.ts';
import { type Board, graph, IN_NAMESPACE, type Row, shown, stat, STEP, table } from './board.ts';
import { processPanels } from './process.ts';

const DATASET = ['namespace', 'dataset', 'kind'] as const;
/** All replicas serve the same. */
const ofEach = (name: 'sluice_dataset_cached_bytes' | 'sluice_dataset_cache_capacity_bytes' | 'sluice_dataset_data_bytes') =>
  by('max', DATASET, series(name, IN_NAMESPACE));
const CONTROLLER = { controller: 'dataset' } as const;
const QUEUE = { name: 'dataset' } as const;

const state: Row = {
  title: 'State',
  panels: [
    stat(
      'Datasets',
      'Datasets by phase, of all namespaces.',
      'short',
      shown(by('max', ['phase'], series('sluice_datasets')), (of) => of('phase')),
    ),
    stat(
      'Leaders',
      'Replicas of the controller that lead: 1. With 0 nothing is set up or repaired.',
      'short',
      shown(by('sum', [], series('leader_election_master_status', { name: 'sluice' })), () => 'leaders'),
    ),
    stat(
      'Watches that are behind',
      'Resources whose changes a replica does not see. None is shown while all is well.',
      'short',
      shown(where(by('min', ['pod', 'resource'], series('sluice_watch_up')), '==', 0), (of) => `${of('resource')} ${of('pod')}`),
    ),
    stat(
      'Versions',
      'Pods of Sluice by version.',
      'short',
      shown(by('count', ['version'], series('sluice_build_info')), (of) => of('version')),
    ),
    graph(
      'Datasets by phase',
      'Datasets of the chosen namespaces by phase. Failed: they were bound, and do not serve.',
      'short',
      shown(by('sum', ['phase'], by('max', [...DATASET, 'phase'], series('sluice_dataset_phase', IN_NAMESPACE))), (of) => of('phase')),
    ),
    graph(
      'Readers without an answer',
      'Datasets whose engine or store does not answer those who read, by reason.',
      'short',
      shown(by('max', ['reason'], series('sluice_datasets_unavailable')), (of) => of('reason')),
    ),
    graph(
      'Runtimes that are not as their specs say',
      'Runtimes whose condition Synced is False, by kind and reason.',
      'short',
      shown(by('max', ['kind', 'reason'], series('sluice_runtimes_not_synced')), (of) => `${of('kind')} ${of('reason')}`),
    ),
    table(
      'Datasets that need attention',
      'The gravest condition of each Dataset, and for how long it has held. SpecWarning and PodsOutdated have time.',
      's',
      shown(
        since(
          by('max', ['namespace', 'dataset', 'condition', 'reason'], series('sluice_dataset_condition_timestamp_seconds', IN_NAMESPACE)),
        ),
        (of) => `${of('namespace')}/${of('dataset')} ${of('condition')}`,
      ),
    ),
  ],
};

const data: Row = {
  title: 'Data',
  panels: [
    graph(
      'Cached data',
      'Cached bytes by namespace.',
      'bytes',
      shown(by('sum', ['namespace'], ofEach('sluice_dataset_cached_bytes')), (of) => of('namespace')),
    ),
    graph(
      'Use of caches',
      'Cached bytes, capacity of the caches, and size of the data in their stores, of all Datasets that are chosen.',
      'bytes',
      shown(by('sum', [], ofEach('sluice_dataset_cached_bytes')), () => 'cached'),
      shown(by('sum', [], ofEach('sluice_dataset_cache_capacity_bytes')), () => 'capacity'),
      shown(by('sum', [], ofEach('sluice_dataset_data_bytes')), () => 'data'),
    ),
    graph(
      'Bytes read',
      'Bytes a second that readers got from caches and from stores: Alluxio and JuiceFS Community.',
      'binBps',
      shown(by('sum', ['source'], rate(series('sluice_dataset_read_bytes_total', IN_NAMESPACE), STEP)), (of) => of('source')),
    ),
    table(
      'Largest caches',
      'The ten Datasets with the most cached bytes.',
      'bytes',
      shown(highest(10, ofEach('sluice_dataset_cached_bytes')), (of) => `${of('namespace')}/${of('dataset')}`),
    ),
  ],
};

const controller: Row = {
  title: 'Controller',
  panels: [
    graph(
      'Passes',
      'Passes a second over Datasets and operations, by result.',
      'ops',
      shown(by('sum', ['result'], rate(series('controller_runtime_reconcile_total', CONTROLLER), STEP)), (of) => of('result')),
    ),
    graph(
      'Length of a pass',
      'Of a hundred passes, 50 and 99 are shorter than this.',
      's',
      shown(quantile(0.5, [], rate(series('controller_runtime_reconcile_time_seconds_bucket', CONTROLLER), STEP)), () => 'half'),
      shown(quantile(0.99, [], rate(series('controller_runtime_reconcile_time_seconds_bucket', CONTROLLER), STEP)), () => '99 of 100'),
    ),
    graph(
      'Queue',
      'Keys that wait, and passes that are under way: 32 at most.',
      'short',
      shown(by('max', [], series('workqueue_depth', QUEUE)), () => 'waiting'),
      shown(by('max', [], series('controller_runtime_active_workers', CONTROLLER)), () => 'under way'),
    ),
    graph(
      'Wait in the queue',
      'Of a hundred keys, 99 waited for less than this.',
      's',
      shown(quantile(0.99, [], rate(series('workqueue_queue_duration_seconds_bucket', QUEUE), STEP)), () => '99 of 100'),
    ),
    graph(
      'Requests to the API server',
      'Requests a second by code; <error>: no answer.',
      'ops',
      shown(by('sum', ['code'], rate(series('rest_client_requests_total', { job: 'sluice-controller' }), STEP)), (of) => of('code')),
    ),
    ...processPanels('sluice-controller'),
  ],
};

export const fleet: Board = {
  name: 'fleet',
  title: 'Sluice: fleet',
  description: 'All Datasets, and the controller that serves them.',
  choices: ['namespace'],
  rows: [state, data, controller],
};
