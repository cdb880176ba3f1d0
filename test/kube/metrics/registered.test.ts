import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { operationKinds } from '../../../src/api/index.ts';
import { datasetPhases } from '../../../src/api/dataset.ts';
import { processRows, tallyRows } from '../../../src/api/metrics/controller.ts';
import { PHASES } from '../../../src/api/metrics/dataset.ts';
import type { MetricRows } from '../../../src/api/metrics/row.ts';
import { registered } from '../../../src/kube/metrics/registered.ts';
import { seriesOf } from '../../support/exposition.ts';

const scraped = async (rows: MetricRows) => {
  const registry = new Registry();
  registered(registry, rows);
  return seriesOf(await registry.metrics()).map(({ name, labels, value }) => `${name}${JSON.stringify(labels)} ${value}`);
};
const row = { help: 'A count.', from: 'a test' } as const;

test('a counter begins at 0 for each value that its labels can have, since Prometheus sees no growth in the first value', async () => {
  const values = { kind: ['a', 'b'], result: ['read', 'failed'] };
  expect(await scraped({ counts_total: { ...row, type: 'counter', labels: ['kind', 'result'], values } })).toEqual([
    'counts_total{"kind":"a","result":"read"} 0',
    'counts_total{"kind":"a","result":"failed"} 0',
    'counts_total{"kind":"b","result":"read"} 0',
    'counts_total{"kind":"b","result":"failed"} 0',
  ]);
});

test('a histogram does too', async () => {
  const series = await scraped({
    waits_seconds: { ...row, type: 'histogram', labels: ['result'], values: { result: ['read'] }, buckets: [1] },
  });
  expect(series).toContain('waits_seconds_count{"result":"read"} 0');
});

test('a counter with a label of any value begins with its first count, and a gauge of a label when it is set', async () => {
  const values = { result: ['read'] };
  expect(await scraped({ counts_total: { ...row, type: 'counter', labels: ['namespace', 'result'], values } })).toEqual([]);
  expect(await scraped({ depth: { ...row, type: 'gauge', labels: ['result'], values } })).toEqual([]);
});

test('the values of the tables are those of the code that sets them', () => {
  expect(processRows.sluice_operation_duration_seconds.values.kind).toEqual(operationKinds.map(({ kind }) => kind));
  expect(tallyRows.sluice_datasets.values.phase).toEqual(['None', ...datasetPhases.filter(Boolean)]);
  expect(PHASES).toBe(tallyRows.sluice_datasets.values.phase);
});
