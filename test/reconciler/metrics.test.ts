import { expect, test } from 'vitest';
import { createMetrics } from '../../src/reconciler/metrics.ts';
import type { DatasetCounts } from '../../src/reconciler/metrics/dataset-gauges.ts';

const counts = (bytes: number): DatasetCounts => ({
  byPhase: new Map([['Bound', 2]]),
  notSynced: [{ kind: 'ThinRuntime', reason: 'InvalidSpec', count: 3 }],
  ufs: [{ dataset: 'ml/a', bytes, files: 7 }, { dataset: 'ml/"b"' }],
});

test('a scrape counts the datasets once, and the next one counts them again', async () => {
  let asked = 0;
  const { registry } = createMetrics('host', () => counts(++asked * 1024));
  const first = await registry.metrics();
  expect(asked).toBe(1);
  expect(first).toContain('sluice_datasets{phase="Bound"} 2');
  expect(first).toContain('sluice_runtimes_not_synced{kind="ThinRuntime",reason="InvalidSpec"} 3');
  expect(first).toContain('# TYPE dataset_ufs_total_size gauge\ndataset_ufs_total_size{dataset="ml/a"} 1024\n');
  expect(first).toContain('dataset_ufs_file_num{dataset="ml/a"} 7');
  expect(first).not.toContain('ml/\\"b\\"');
  await new Promise(setImmediate);
  expect(await registry.metrics()).toContain('dataset_ufs_total_size{dataset="ml/a"} 2048');
});
