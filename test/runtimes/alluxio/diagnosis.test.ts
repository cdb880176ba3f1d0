/** The diagnosis of Alluxio: counters as a worker and a master print them (record.ts), and settings of specs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import { optionCosts } from '../../../runtimes/alluxio/option-costs.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';

const diagnosis = alluxio.diagnosis()!;
const { command, parse } = diagnosis.counters!;
const worker = { role: 'worker', ports: { web: 30000 } } as const;
const master = { role: 'master', ports: { web: 19999 } } as const;

/** As the command picks them: the pattern is its own. */
function picked(file: string, pod: typeof worker | typeof master): string {
  const answer = readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8').replace(/\s/g, '');
  const [, pattern = ''] = /grep -aoE '([^']+)'/.exec(command(pod)?.argv[2] ?? '') ?? [];
  return (answer.match(new RegExp(pattern, 'g')) ?? []).join('\n');
}
const at = (line: string, value: string) => `"${line}":{"count":${value}`;
const CAPACITY = '"Worker.CapacityTotal.10.0.0.1":{"value":1000';

test('a worker counts what it sent, from where, and what left its cache', () => {
  expect(parse(picked('worker-metrics.json', worker), worker)).toEqual({
    bytes: { local: 0, remote: 1_988_895, store: 0 },
    evictions: 0,
    cache: { usedBytes: 1_988_895, capacityBytes: 67_108_864 },
  });
});

test('a worker on a real node, whose cache was smaller than what was read (test/engines/slow.test.ts)', () => {
  const counters = (role: string) => readFileSync(join(import.meta.dirname, `counters/${role}.txt`), 'utf8');
  expect(parse(counters('worker'), worker)).toEqual({
    bytes: { local: 0, remote: 29_185_356, store: 145_627_608 },
    evictions: 11,
    // The gauge of the metrics says 0 for minutes.
    cache: { usedBytes: 27_999_972, capacityBytes: 33_554_432 },
  });
  expect(parse(counters('master'), master)).toEqual({ bytes: { local: 0 } });
});

test('what came from stores is the sum of all of them, and what went through a socket of the node is local', () => {
  const answer = [
    CAPACITY,
    at('Worker.BytesReadCache.10.0.0.1', '100'),
    at('Worker.BytesReadDomain.10.0.0.1', '30'),
    at('Worker.BytesReadPerUfs.UFS:s3:%2F%2Fa%2F.User:u.10.0.0.1', '1.5E3'),
    at('Worker.BytesReadPerUfs.UFS:s3:%2F%2Fb%2F.User:u.10.0.0.1', '500'),
    at('Worker.BlocksEvicted.10.0.0.1', '7'),
  ].join('\n');
  expect(parse(answer, worker)).toEqual({
    bytes: { local: 30, remote: 70, store: 2000 },
    evictions: 7,
    cache: { usedBytes: 0, capacityBytes: 1000 },
  });
});

test('the master has what clients read from disks beside them; one that does not lead prints nothing', () => {
  expect(parse(picked('metrics.json', master), master)).toEqual({ bytes: { local: 0 } });
  expect(parse(at('Cluster.BytesReadLocal', '42'), master)).toEqual({ bytes: { local: 42 } });
  expect(parse('', master)).toEqual({});
});

test.each(['', at('Worker.BytesReadCache.10.0.0.1', '1'), CAPACITY.replace('1000', 'NaN')])('%j of a worker is no answer', (answer) => {
  expect(() => parse(answer, worker)).toThrow("the worker's metrics have no capacity");
});

test('pods without a web port, and clients, are not asked', () => {
  expect(command({ role: 'worker', ports: {} })).toBeUndefined();
  expect(command({ role: 'fuse', ports: { web: 1 } })).toBeUndefined();
  expect(command(worker)).toMatchObject({ container: 'alluxio-worker', argv: ['bash', '-c', expect.stringContaining(' 30000 ')] });
});

test('workers keep the cache; its last level is the field to change', () => {
  const level = { mediumtype: 'MEM' as const, path: '/dev/shm', quota: '2Gi' };
  const cacheOf = (spec: AlluxioRuntimeSpec) => diagnosis.cache({ spec, dataset: {} });
  expect(cacheOf({})).toEqual({ in: 'worker', field: 'spec.tieredstore.levels' });
  expect(cacheOf({ tieredstore: { levels: [level, { ...level, mediumtype: 'SSD' }] } })).toEqual({
    in: 'worker',
    field: 'spec.tieredstore.levels[1].quota',
  });
});

test('options of the client’s arguments, and properties, are named by their fields', () => {
  const chosen = (spec: AlluxioRuntimeSpec) => diagnosis.chosen?.({ spec, dataset: {} });
  expect(chosen({})).toEqual([]);
  const field = 'spec.fuse.args';
  expect(chosen({ fuse: { args: ['fuse', '--fuse-opts=ro,direct_io,attr_timeout=0'] } })).toEqual([
    { field, name: 'fuse', value: '' },
    { field, name: 'ro', value: '' },
    { field, name: 'direct_io', value: '' },
    { field, name: 'attr_timeout', value: '0' },
    { field, name: 'kernel_cache', value: 'absent' },
  ]);
  const name = 'alluxio.user.metadata.cache.enabled';
  expect(chosen({ properties: { [name]: 'false' }, fuse: { properties: { [name]: 'true' } } })).toEqual([
    { field: `spec.fuse.properties[${JSON.stringify(name)}]`, name, value: 'true' },
  ]);
});

test('the values of the table cost, others do not', () => {
  const costly = (name: string, value: string) => optionCosts.find((each) => each.name === name)?.isCostly(value);
  expect([costly('direct_io', ''), costly('kernel_cache', ''), costly('kernel_cache', 'absent')]).toEqual([true, false, true]);
  expect([costly('attr_timeout', '0'), costly('attr_timeout', '7200'), costly('max_read', '4096'), costly('max_read', '131072')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([costly('alluxio.user.file.readtype.default', 'NO_CACHE'), costly('alluxio.user.file.readtype.default', 'CACHE')]).toEqual([
    true,
    false,
  ]);
});
