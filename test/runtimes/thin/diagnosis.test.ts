import { expect, test } from 'vitest';
import thin from '../../../runtimes/thin/index.ts';
import type { DatasetSpec, ThinRuntimeSpec } from '../../../src/api/index.ts';

const { cache, chosen, costs = [], counters } = thin.diagnosis()!;

/** Fields with a value that costs. */
const costly = (spec: ThinRuntimeSpec, dataset: DatasetSpec = {}) =>
  (chosen?.({ spec, dataset }) ?? []).flatMap(({ field, name, value }) =>
    costs.some((cost) => cost.name === name && cost.isCostly(value)) ? [`${field}: ${name}`] : [],
  );

test('a client keeps its own cache, and counts nothing that is known', () => {
  expect(cache({ spec: {}, dataset: {} })).toEqual({ in: 'fuse', field: 'spec.fuse' });
  expect(counters).toBeUndefined();
});

test('options are found where users write them, in an argument of several too', () => {
  expect(costly({ fuse: { args: ['-o', 'ro,direct_io', 'attr_timeout=0'] } })).toEqual([
    'spec.fuse.args: direct_io',
    'spec.fuse.args: attr_timeout',
  ]);
  expect(costly({ fuse: { args: ['mount', '--vfs-cache-mode=off'] } })).toEqual(['spec.fuse.args: vfs-cache-mode']);
  expect(costly({ fuse: { options: { '--vfs-cache-mode': 'minimal' } } })).toEqual(['spec.fuse.options.--vfs-cache-mode: vfs-cache-mode']);
  expect(costly({}, { mounts: [{ mountPoint: 's3://b', options: { max_stat_cache_size: '0' } }] })).toEqual([
    'Dataset spec.mounts[0].options.max_stat_cache_size: max_stat_cache_size',
  ]);
  expect(costly({ fuse: { options: { 'vfs-cache-mode': 'full' } } }, { sharedOptions: { 'vfs-cache-mode': 'off' } })).toEqual([]);
});
