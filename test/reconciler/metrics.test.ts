import { expect, test } from 'vitest';
import { createMetrics } from '../../src/reconciler/metrics.ts';
import type { OperationCounts } from '../../src/reconciler/metrics/operation-metrics.ts';
import type { DatasetCounts } from '../../src/reconciler/metrics/dataset-gauges.ts';

const counts = (bytes: number): DatasetCounts => ({
  byPhase: new Map([['Bound', 2]]),
  notSynced: [{ kind: 'ThinRuntime', reason: 'InvalidSpec', count: 3 }],
  unavailable: [{ reason: 'ReadsFail', count: 1 }],
  ufs: [{ dataset: 'ml/a', bytes, files: 7 }, { dataset: 'ml/"b"' }],
});

test('a scrape counts the datasets once, and the next one counts them again', async () => {
  let asked = 0;
  const { registry } = createMetrics('host', { datasets: () => counts(++asked * 1024) });
  const first = await registry.metrics();
  expect(asked).toBe(1);
  expect(first).toContain('sluice_datasets{phase="Bound"} 2');
  expect(first).toContain('sluice_runtimes_not_synced{kind="ThinRuntime",reason="InvalidSpec"} 3');
  expect(first).toContain('sluice_datasets_unavailable{reason="ReadsFail"} 1');
  expect(first).toContain('# TYPE dataset_ufs_total_size gauge\ndataset_ufs_total_size{dataset="ml/a"} 1024\n');
  expect(first).toContain('dataset_ufs_file_num{dataset="ml/a"} 7');
  expect(first).not.toContain('ml/\\"b\\"');
  await new Promise(setImmediate);
  expect(await registry.metrics()).toContain('dataset_ufs_total_size{dataset="ml/a"} 2048');
});

test('operations are counted at a scrape, and their runs when they end', async () => {
  let asked = 0;
  const operations = (): OperationCounts => ({
    byPhase: [{ kind: 'DataLoad', phase: 'Pending', count: ++asked }],
    waiting: [{ kind: 'DataLoad', reason: 'WaitingForTurn', count: 2, longestSeconds: 90 }],
  });
  const { registry, operationEnded } = createMetrics('host', { operations });
  operationEnded('DataLoad', 'Complete', 30);
  operationEnded('DataLoad', 'Failed', 5);
  const first = await registry.metrics();
  expect(asked).toBe(1);
  expect(first).toContain('sluice_operations{kind="DataLoad",phase="Pending"} 1');
  expect(first).toContain('sluice_operations_waiting{kind="DataLoad",reason="WaitingForTurn"} 2');
  expect(first).toContain('sluice_operations_longest_wait_seconds{kind="DataLoad",reason="WaitingForTurn"} 90');
  expect(first).toContain('sluice_operation_duration_seconds_bucket{le="60",kind="DataLoad",result="Complete"} 1');
  expect(first).toContain('sluice_operation_duration_seconds_sum{kind="DataLoad",result="Failed"} 5');
  await new Promise(setImmediate);
  expect(await registry.metrics()).toContain('sluice_operations{kind="DataLoad",phase="Pending"} 2');
});
