import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DatasetStatus } from '../../../src/api/index.ts';
import { datasetRows, MOST_DATASET_SERIES } from '../../../src/api/metrics/dataset.ts';
import type { OperationObject } from '../../../src/reconciler/operations/world.ts';
import { dataset, fuse, fusePod, operation, runtime, scraped, shown } from './given.ts';

const figures = {
  phase: 'Bound',
  ufsTotal: '10.00GiB',
  fileNum: '1200',
  cacheStates: {
    cached: '2.50GiB',
    cacheCapacity: '4.00GiB',
    cacheHitRatio: '90.1%',
    localHitRatio: '60.1%',
    remoteHitRatio: '30.0%',
    cachedPercentage: '25.0%',
  },
} as const satisfies Partial<DatasetStatus>;

test('a Dataset shows its figures in bytes and as ratios', async () => {
  const series = await scraped({
    datasets: [dataset('images', figures)],
    runtimes: [runtime('images')],
    fuses: [fuse('images', 3, 2)],
    pods: [fusePod('a', 2), fusePod('b', 1)],
  });
  const labels = 'namespace=ml,dataset=images,kind=JuiceFSRuntime';
  expect(shown(series, 'sluice_dataset_')).toEqual([
    'series_limit{} 1000',
    'series_summed{} 0',
    `phase{${labels},phase=Bound} 1`,
    `cached_bytes{${labels}} ${2.5 * 2 ** 30}`,
    `cache_capacity_bytes{${labels}} ${4 * 2 ** 30}`,
    `hit_ratio{${labels}} 0.901`,
    `local_hit_ratio{${labels}} 0.601`,
    `remote_hit_ratio{${labels}} 0.3`,
    `data_bytes{${labels}} ${10 * 2 ** 30}`,
    `data_files{${labels}} 1200`,
    `fuse_pods_desired{${labels}} 3`,
    `fuse_pods_ready{${labels}} 2`,
    `fuse_pods_outdated{${labels}} 1`,
  ]);
  expect(shown(series, 'dataset_ufs_')).toEqual([`total_size{dataset=ml/images} ${10 * 2 ** 30}`, 'file_num{dataset=ml/images} 1200']);
});

test('what a Dataset does not have is no series: neither 0 nor its text', async () => {
  const texts = { ufsTotal: '[Calculating]', fileNum: '[Calculating]', cacheStates: { cached: '', cacheHitRatio: 'N/A' } };
  const series = await scraped({ datasets: [dataset('a', texts), dataset('b')] });
  expect(shown(series, 'sluice_dataset_phase')).toEqual([
    '{namespace=ml,dataset=a,kind=,phase=None} 1',
    '{namespace=ml,dataset=b,kind=,phase=None} 1',
  ]);
  expect(series.filter(({ labels }) => 'dataset' in labels)).toHaveLength(2);
});

test('a DaemonSet of that name that another runtime owns is not counted', async () => {
  const series = await scraped({
    datasets: [dataset('a')],
    runtimes: [runtime('a')],
    fuses: [{ ...fuse('b', 9, 9), metadata: { ...fuse('b', 9, 9).metadata, name: 'a-fuse' } }],
  });
  expect(shown(series, 'sluice_dataset_fuse')).toEqual([]);
});

test('a Dataset that refers to another one has no figures: a sum would count them twice', async () => {
  const spec = { spec: { mounts: [{ mountPoint: 'dataset://ml/images' }] } };
  const series = await scraped({ datasets: [dataset('images', figures), dataset('copy', figures, spec)] });
  expect(shown(series, 'sluice_dataset_data_bytes')).toHaveLength(1);
  expect(shown(series, 'sluice_dataset_phase')).toHaveLength(2);
  // As before.
  expect(shown(series, 'dataset_ufs_total_size')).toHaveLength(2);
});

test('of several conditions the gravest is shown, with its reason and since when it holds', async () => {
  const time = '2026-01-02T03:00:00Z';
  const condition = (type: string, status: string, reason: string, lastTransitionTime = time) => ({
    type,
    status,
    reason,
    message: 'm',
    lastTransitionTime,
  });
  const conditions = [
    condition('PodsOutdated', 'True', 'PodsOutdated'),
    condition('Synced', 'False', 'WorkersNotReady'),
    condition('PodsCrashing', 'True', 'ContainersEnd'),
  ];
  const at = async (ofDataset: object[], ofRuntime: object[]) => {
    const given = {
      datasets: [dataset('a', { conditions: ofDataset } as Partial<DatasetStatus>)],
      runtimes: [runtime('a', { conditions: ofRuntime } as object)],
    };
    return shown(await scraped(given), 'sluice_dataset_condition_timestamp_seconds');
  };
  const line = (type: string, reason: string, since: number) =>
    `{namespace=ml,dataset=a,kind=JuiceFSRuntime,condition=${type},reason=${reason}} ${since}`;
  const since = Date.parse(time) / 1000;
  expect(await at([], conditions)).toEqual([line('PodsCrashing', 'ContainersEnd', since)]);
  expect(await at([condition('DataUnavailable', 'True', 'ReadsFail')], conditions)).toEqual([line('DataUnavailable', 'ReadsFail', since)]);
  expect(await at([], conditions.slice(0, 2))).toEqual([line('Synced', 'WorkersNotReady', since)]);
  expect(await at([], [condition('Synced', 'True', 'Synced'), condition('PodsCrashing', 'False', 'x')])).toEqual([]);
  expect(await at([condition('NotReady', 'True', 'RuntimeNotFound', 'long ago')], [])).toEqual([line('NotReady', 'RuntimeNotFound', 0)]);
});

test('of each kind of operation a Dataset shows the one that runs, else the one that waits for longest', async () => {
  const created = (operationObject: OperationObject, creationTimestamp: string): OperationObject => ({
    ...operationObject,
    metadata: { ...operationObject.metadata, creationTimestamp },
  });
  const series = await scraped({
    datasets: [dataset('a')],
    operations: [
      operation('DataLoad', 'waits', 'a', { phase: 'Pending' }),
      created(operation('DataLoad', 'runs', 'a', { phase: 'Executing', infos: { Progress: '3 of 12 clients' } }), '2026-01-02T03:01:00Z'),
      operation('DataLoad', 'ended', 'a', { phase: 'Complete' }),
      created(operation('DataBackup', 'younger', 'a', { phase: 'Pending' }), '2026-01-02T03:02:00Z'),
      operation('DataBackup', 'older', 'a', { phase: '' }),
      // Waits for its time.
      operation('DataProcess', 'nightly', 'a', { phase: 'Complete' }, { policy: 'Cron', schedule: '0 3 * * *' }),
    ],
  });
  const labels = 'namespace=ml,dataset=a,kind=';
  const [zero, one] = ['2026-01-02T03:00:00Z', '2026-01-02T03:01:00Z'].map((each) => Date.parse(each) / 1000);
  expect(shown(series, 'sluice_dataset_operation_')).toEqual([
    `timestamp_seconds{${labels},operation=DataLoad,phase=Executing} ${one}`,
    `timestamp_seconds{${labels},operation=DataBackup,phase=Pending} ${zero}`,
    `progress_ratio{${labels},operation=DataLoad} 0.25`,
  ]);
});

const KINDS = ['DataLoad', 'DataBackup', 'DataMigrate', 'DataProcess'] as const;
/** Texts that break formats, beside what a controller writes. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '"} 1\nsluice_up 1\n',
    '\\',
    '\\"',
    '\u0000',
    '\r\n# EOF',
    '1.2.3GiB',
    '99999999999999999999GiB',
    '\ud800',
    '-1',
    'NaN',
    '1e999',
  ),
  fc.constantFrom('2.50GiB', '90.1%', '12', 'Bound', '3 of 4 files'),
);
const condition = fc.record({
  type: fc.oneof(text, fc.constantFrom('Synced', 'NotReady', 'PodsCrashing', 'DataUnavailable')),
  status: fc.constantFrom('True', 'False'),
  reason: text,
  lastTransitionTime: fc.oneof(text, fc.constant('2026-01-02T03:00:00Z')),
});
const status = fc.record({
  phase: text,
  ufsTotal: text,
  fileNum: text,
  cacheStates: fc.record(Object.fromEntries(Object.keys(figures.cacheStates).map((key) => [key, text]))),
  conditions: fc.array(condition, { maxLength: 4 }),
});

test('whatever texts a status has, a scrape is valid, and no Dataset has more than 18 series', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(status, { minLength: 1, maxLength: 3 }),
      fc.array(condition, { maxLength: 4 }),
      fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.constantFrom('Executing', 'Pending', ''), text), { maxLength: 8 }),
      fc.integer({ min: 0, max: 4 }),
      async (statuses, conditions, operations, limit) => {
        const names = statuses.map((_, i) => `d${i}`);
        const given = {
          datasets: statuses.map((each, i) => dataset(`d${i}`, each as unknown as Partial<DatasetStatus>)),
          runtimes: names.map((name) => runtime(name, { conditions } as object)),
          fuses: names.map((name) => fuse(name, 3, 2)),
          operations: operations.map(([kind, phase, progress], i) =>
            operation(kind, `o${i}`, 'd0', { phase, infos: { Progress: progress } }),
          ),
        };
        const series = await scraped(given, { limit });
        for (const name of names) {
          const own = series.filter(({ labels }) => labels['dataset'] === name || labels['dataset'] === `ml/${name}`);
          expect(own.length).toBeLessThanOrEqual(MOST_DATASET_SERIES);
          if (limit >= names.length) expect(own.length).toBeGreaterThan(0);
        }
        for (const { name, labels } of series) {
          const row = datasetRows[name as keyof typeof datasetRows];
          if (row) expect(row.labels).toEqual(expect.arrayContaining(Object.keys(labels)));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('with all figures, a condition and an operation a Dataset has 18 series, and never one more', async () => {
  const runs = KINDS.map((kind) => operation(kind, kind.toLowerCase(), 'a', { phase: 'Executing', infos: { Progress: '45%' } }));
  const conditions = [{ type: 'Synced', status: 'False', reason: 'ApplyFailed' }];
  const series = await scraped({
    datasets: [dataset('a', figures)],
    runtimes: [runtime('a', { conditions } as object)],
    fuses: [fuse('a', 1, 1)],
    operations: runs,
  });
  const own = series.filter(({ labels }) => ['a', 'ml/a'].includes(labels['dataset'] ?? ''));
  expect(own).toHaveLength(MOST_DATASET_SERIES);
});
