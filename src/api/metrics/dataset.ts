import type { MetricRows } from './row.ts';

/** Labels of each series of one Dataset. `kind` is that of the runtime that serves it, and empty while none does. */
const OF_DATASET = ['namespace', 'dataset', 'kind'] as const;

/** `status.phase` of a Dataset; `None` while it has none. */
export const PHASES = ['None', 'NotBound', 'Pending', 'Bound', 'Failed', 'Updating', 'DataMigrating'] as const;

/** A Dataset has no more series than this, those under Fluid's names included. */
export const MOST_DATASET_SERIES = 18;

/** Up to so many Datasets have series of their own, unless a flag says otherwise: a scrape of so many has 40 MB before compression. */
export const DATASET_METRICS = 20_000;

/** Figures of which a Dataset has at most one, in the order in which a scrape prints them. */
export const figureRows = {
  sluice_dataset_cached_bytes: {
    type: 'gauge',
    help: 'Cached data, in bytes.',
    labels: OF_DATASET,
    from: '`cacheStates.cached`',
  },
  sluice_dataset_cache_capacity_bytes: {
    type: 'gauge',
    help: 'Data that the cache can hold, in bytes.',
    labels: OF_DATASET,
    from: '`cacheStates.cacheCapacity`',
  },
  sluice_dataset_hit_ratio: {
    type: 'gauge',
    help: 'Share of reads that the cache answered, 0 to 1.',
    labels: OF_DATASET,
    from: '`cacheStates.cacheHitRatio`',
  },
  sluice_dataset_local_hit_ratio: {
    type: 'gauge',
    help: 'Share of reads that the cache on the node of the reader answered, 0 to 1.',
    labels: OF_DATASET,
    from: '`cacheStates.localHitRatio`',
  },
  sluice_dataset_remote_hit_ratio: {
    type: 'gauge',
    help: 'Share of reads that the cache on another node answered, 0 to 1.',
    labels: OF_DATASET,
    from: '`cacheStates.remoteHitRatio`',
  },
  sluice_dataset_data_bytes: {
    type: 'gauge',
    help: 'Size of the data in its store, in bytes.',
    labels: OF_DATASET,
    from: '`status.ufsTotal`',
  },
  sluice_dataset_data_files: {
    type: 'gauge',
    help: 'Number of files in the store.',
    labels: OF_DATASET,
    from: '`status.fileNum`',
  },
  sluice_dataset_fuse_pods_desired: {
    type: 'gauge',
    help: 'Nodes that should run a fuse pod: those on which pods mount the Dataset, or did.',
    labels: OF_DATASET,
    from: 'the fuse DaemonSet',
  },
  sluice_dataset_fuse_pods_ready: {
    type: 'gauge',
    help: 'Fuse pods that are ready.',
    labels: OF_DATASET,
    from: 'the fuse DaemonSet',
  },
  sluice_dataset_fuse_pods_outdated: {
    type: 'gauge',
    help: 'Fuse pods that run an older template until they are deleted.',
    labels: OF_DATASET,
    from: 'fuse pods',
  },
} as const satisfies MetricRows;
export type FigureName = keyof typeof figureRows;

/** Figures whose sum over Datasets means something. */
export const ADDITIVE: ReadonlySet<string> = new Set<FigureName>([
  'sluice_dataset_cached_bytes',
  'sluice_dataset_cache_capacity_bytes',
  'sluice_dataset_data_bytes',
  'sluice_dataset_data_files',
  'sluice_dataset_fuse_pods_desired',
  'sluice_dataset_fuse_pods_ready',
  'sluice_dataset_fuse_pods_outdated',
]);

/** Series with a label of their own. */
export const eventRows = {
  sluice_dataset_phase: {
    type: 'gauge',
    help: '1, with the present phase; of a sum, the number of Datasets in that phase.',
    labels: [...OF_DATASET, 'phase'],
    values: { phase: PHASES },
    from: '`status.phase`',
  },
  sluice_dataset_read_bytes_total: {
    type: 'counter',
    help: 'Bytes that readers got from the source cache or store, since the controller first asked.',
    labels: [...OF_DATASET, 'source'],
    values: { source: ['cache', 'store'] },
    from: 'probes of Alluxio and JuiceFS Community, of the replica that leads',
  },
  sluice_dataset_condition_timestamp_seconds: {
    type: 'gauge',
    help: 'Since when the gravest present condition that needs attention holds, in seconds since 1970.',
    labels: [...OF_DATASET, 'condition', 'reason'],
    from: '`status.conditions` of the Dataset and of its runtime',
  },
  sluice_dataset_operation_timestamp_seconds: {
    type: 'gauge',
    help: 'When the operation that runs, or waits for longest, was created, or last started by its schedule, in seconds since 1970.',
    labels: [...OF_DATASET, 'operation', 'phase'],
    values: { phase: ['Executing', 'Pending'] },
    from: 'operations that are not over, one of each kind',
  },
  sluice_dataset_operation_progress_ratio: {
    type: 'gauge',
    help: 'Share of its work that this operation has done, 0 to 1.',
    labels: [...OF_DATASET, 'operation'],
    from: '`status.infos.Progress` of the operation',
  },
} as const satisfies MetricRows;

/** Names and labels of Fluid. */
export const fluidRows = {
  dataset_ufs_total_size: { type: 'gauge', help: 'Size of the data, bytes.', labels: ['dataset'], from: '`status.ufsTotal`' },
  dataset_ufs_file_num: { type: 'gauge', help: 'Number of files.', labels: ['dataset'], from: '`status.fileNum`' },
} as const satisfies MetricRows;

/** Whether the series above are of each Dataset. */
export const extentRows = {
  sluice_dataset_series_limit: {
    type: 'gauge',
    help: 'Up to so many Datasets have series of their own; 0: none has.',
    labels: [],
    from: '`--dataset-metrics`',
  },
  sluice_dataset_series_summed: {
    type: 'gauge',
    help: '1 while there are more Datasets than that limit: series of Datasets are sums then, by namespace, kind and phase.',
    labels: [],
    from: 'the number of Datasets',
  },
} as const satisfies MetricRows;

export const datasetRows = { ...eventRows, ...figureRows, ...fluidRows, ...extentRows } as const satisfies MetricRows;
