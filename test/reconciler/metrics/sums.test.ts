import { expect, test } from 'vitest';
import type { Dataset } from '../../../src/api/index.ts';
import type { RuntimeCandidate } from '../../../src/planning/choose.ts';
import { createMetrics } from '../../../src/reconciler/metrics.ts';
import { dataset, fleetOf, runtime, scraped, shown } from './given.ts';

const bound = { phase: 'Bound', cacheStates: { cached: '1.00GiB', cacheHitRatio: '50.0%' }, fileNum: '7' } as const;
const GIB = 2 ** 30;

test('of more Datasets than the limit, the same metrics are sums by namespace, kind and phase', async () => {
  const series = await scraped(
    {
      datasets: [dataset('a', bound), dataset('b', bound), dataset('c', { phase: 'Failed' }), dataset('d', bound, {}, 'dev')],
      runtimes: ['a', 'b', 'c'].map((name) => runtime(name)),
    },
    { limit: 3 },
  );
  expect(shown(series, 'sluice_dataset_')).toEqual([
    'series_limit{} 3',
    'series_summed{} 1',
    'phase{namespace=ml,kind=JuiceFSRuntime,phase=Bound} 2',
    'phase{namespace=ml,kind=JuiceFSRuntime,phase=Failed} 1',
    'phase{namespace=dev,kind=,phase=Bound} 1',
    `cached_bytes{namespace=ml,kind=JuiceFSRuntime} ${2 * GIB}`,
    `cached_bytes{namespace=dev,kind=} ${GIB}`,
    'data_files{namespace=ml,kind=JuiceFSRuntime} 14',
    'data_files{namespace=dev,kind=} 7',
  ]);
  expect(shown(series, 'dataset_ufs_')).toEqual([]);
});

test('of more namespaces than the limit, the sums are of all namespaces', async () => {
  const datasets = Array.from({ length: 4 }, (_, i) => dataset('a', bound, {}, `n${i}`));
  const series = await scraped({ datasets }, { limit: 3 });
  expect(shown(series, 'sluice_dataset_cached_bytes')).toEqual([`{kind=} ${4 * GIB}`]);
});

test('with the limit 0 no Dataset has series, and all are counted', async () => {
  const series = await scraped({ datasets: [dataset('a', bound)] }, { limit: 0 });
  expect(shown(series, 'sluice_dataset')).toEqual(['s{phase=Bound} 1', '_series_limit{} 0', '_series_summed{} 0']);
});

test('the log says once that there are more Datasets than the limit, and once that there are not any more', async () => {
  const lines: string[] = [];
  const log = {
    warn: (_: object, message: string) => lines.push(`warn ${message}`),
    info: (_: object, message: string) => lines.push(`info ${message}`),
  };
  let datasets: Dataset[] = [dataset('a'), dataset('b')];
  const metrics = createMetrics({ host: 'host', fleet: () => fleetOf({ datasets }), datasetLimit: 1, log: log as never });
  const scrape = async () => {
    for await (const chunk of metrics.fleet()) expect(chunk).not.toBe('');
  };
  for (let i = 0; i < 3; i++) await scrape();
  expect(lines).toEqual(['warn there are more Datasets than --dataset-metrics: /metrics has sums by namespace, kind and phase']);
  datasets = [dataset('a')];
  for (let i = 0; i < 3; i++) await scrape();
  expect(lines.slice(1)).toEqual(['info /metrics has series of each Dataset again']);
});

test('the series of a Dataset end with it, and with its runtime the kind', async () => {
  const datasets: Dataset[] = [dataset('a', bound), dataset('b', bound)];
  const runtimes: RuntimeCandidate[] = [runtime('a'), runtime('b')];
  expect(shown(await scraped({ datasets, runtimes }), 'sluice_dataset_cached_bytes')).toHaveLength(2);
  datasets.shift();
  runtimes.pop();
  expect(shown(await scraped({ datasets, runtimes }), 'sluice_dataset_cached_bytes')).toEqual([`{namespace=ml,dataset=b,kind=} ${GIB}`]);
});

test('a Dataset that comes and goes while a scrape is made is there once', async () => {
  // Yields one twice, as a Map does whose entry is deleted and set while it is gone through.
  const twice = {
    *[Symbol.iterator]() {
      yield* [dataset('a', bound), dataset('b', bound), dataset('a', { phase: 'Failed' })];
    },
  };
  const series = await scraped({ datasets: twice });
  expect(shown(series, 'sluice_dataset_phase')).toEqual([
    '{namespace=ml,dataset=a,kind=,phase=Failed} 1',
    '{namespace=ml,dataset=b,kind=,phase=Bound} 1',
  ]);
});
