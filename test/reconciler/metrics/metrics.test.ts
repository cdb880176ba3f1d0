import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/reconciler/metrics.ts';
import { seriesOf } from '../../support/exposition.ts';
import { shown } from './given.ts';

test('runs of operations are measured when they end', async () => {
  const { registry, operationEnded } = createMetrics({ host: 'host' });
  operationEnded('DataLoad', 'Complete', 30);
  operationEnded('DataLoad', 'Failed', 5);
  const text = await registry.metrics();
  expect(text).toContain('sluice_operation_duration_seconds_bucket{le="60",kind="DataLoad",result="Complete"} 1');
  expect(text).toContain('sluice_operation_duration_seconds_sum{kind="DataLoad",result="Failed"} 5');
});

test('each watch shows whether it is up, and how old it is; a kind that is not installed shows neither', async () => {
  const status = { phase: 'watching', silentMs: 1500 };
  const watches = new Map([
    ['datasets', { status }],
    ['efcruntimes', { status: { ...status, unknownKind: true } }],
  ]);
  const { registry } = createMetrics({ host: 'host', watches: () => watches as never });
  const read = async () => shown(seriesOf(`${await registry.metrics()}`), 'sluice_watch_');
  expect((await read()).filter((line) => line.startsWith('age'))).toEqual(['age_seconds{resource=datasets} 1.5']);
  watches.delete('datasets');
  expect(await read()).toEqual([]);
});

test('a scrape before the watches have begun has no Datasets', async () => {
  const chunks: string[] = [];
  for await (const chunk of createMetrics({ host: 'host', fleet: () => undefined }).fleet()) chunks.push(chunk);
  expect(chunks).toEqual([]);
});

test('a replica that has not led yet says so: without a series, no alert could tell that none leads', async () => {
  const { registry, led } = createMetrics({ host: 'host' });
  const leads = async () => seriesOf(await registry.metrics()).find(({ name }) => name === 'leader_election_master_status')?.value;
  expect(await leads()).toBe(0);
  led(true);
  expect(await leads()).toBe(1);
});
