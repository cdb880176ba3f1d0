import { expect, test } from 'vitest';
import { buildRows, processRows, tallyRows, watchRows, workRows } from '../../../src/api/metrics/controller.ts';
import { datasetRows } from '../../../src/api/metrics/dataset.ts';
import type { MetricRow } from '../../../src/api/metrics/row.ts';
import { nodeRows } from '../../../src/api/metrics/node.ts';
import { admissionRows, validationRows } from '../../../src/api/metrics/webhook.ts';

const tables = [workRows, processRows, tallyRows, datasetRows, watchRows, buildRows, admissionRows, validationRows, nodeRows];
const rows = tables.flatMap((each) => Object.entries<MetricRow>(each));

test('no two tables have one name', () => {
  expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
});

test.each(rows)("%s is named by Prometheus' rules", (name, { type, labels, help, from, buckets }) => {
  expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  expect(name.endsWith('_total'), 'counters, and no others, end in _total').toBe(type === 'counter');
  // A histogram adds these.
  expect(name).not.toMatch(/_(count|sum|bucket|info)$(?<!build_info)/);
  expect(name, 'base units').not.toMatch(/_(ms|milliseconds|minutes|hours|kb|mb|gb|kilobytes|megabytes|gigabytes|percent|percentage)(_|$)/);
  expect(name, 'the type is no part of the name').not.toMatch(/_(gauge|counter|histogram|summary)(_|$)/);
  if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  for (const label of labels) expect(label).toMatch(/^(?!__|le$|quantile$)[a-z][a-z_]*$/);
  expect(new Set(labels).size).toBe(labels.length);
  expect(help).toMatch(/^[A-Z0-9].*\.$/);
  expect(from).not.toBe('');
  expect(buckets?.toSorted((a, b) => a - b)).toEqual(buckets);
});
