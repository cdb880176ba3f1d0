import { expect, test } from 'vitest';
import { ALL, select } from '../../../src/ui/page/state/query.ts';
import { sumsOf, valuesOf } from '../../../src/ui/page/state/sums.ts';
import type { DatasetRow } from '../../../src/ui/wire.ts';
import { fleetOf } from './fixture.ts';

const row = (name: string, rest: Partial<DatasetRow> = {}): DatasetRow => ({
  namespace: 'ml',
  name,
  kind: 'JuiceFSRuntime',
  phase: 'Bound',
  healthy: true,
  created: 1,
  ...rest,
});
const trouble = { type: 'PodsCrashing', reason: 'PodCrashing', message: 'container fuse ended' };
const names = (rows: readonly DatasetRow[]) => rows.map(({ name }) => name);

test('a row is found if each word occurs in its names, its kind, its phase or its reason', () => {
  const rows = [row('a', { namespace: 'vision' }), row('b', { trouble, healthy: false }), row('c', { kind: 'ThinRuntime' })];
  const found = (search: string) => names(select(rows, { ...ALL, sort: 'name', search }));
  expect(found('')).toEqual(['a', 'b', 'c']);
  expect(found('VISION')).toEqual(['a']);
  expect(found('podcrash juice')).toEqual(['b']);
  expect(found('podcrash thin')).toEqual([]);
  expect(found('vision/a')).toEqual(['a']);
});

test('what failed comes first, then what needs attention, then what is not ready, each in the order of keys', () => {
  const rows = [
    row('a'),
    row('b', { healthy: false, phase: 'NotBound' }),
    row('c', { healthy: false, trouble }),
    row('d', { phase: 'Failed', healthy: false, trouble }),
    row('e', { healthy: false, trouble }),
  ];
  expect(names(select(rows, ALL))).toEqual(['d', 'c', 'e', 'b', 'a']);
});

test('what is unknown is last when sorted by a figure, and first the other way round', () => {
  const rows = [row('a'), row('b', { hits: 0.5 }), row('c', { hits: 0.1 })];
  expect(names(select(rows, { ...ALL, sort: 'hits' }))).toEqual(['c', 'b', 'a']);
  expect(names(select(rows, { ...ALL, sort: 'hits', descending: true }))).toEqual(['a', 'b', 'c']);
});

test('namespace, kind and what is not well narrow the list together', () => {
  const rows = [row('a', { healthy: false }), row('b', { healthy: false, kind: 'ThinRuntime' }), row('c')];
  expect(names(select(rows, { ...ALL, unwell: true, kind: 'JuiceFSRuntime', namespace: 'ml' }))).toEqual(['a']);
  expect(select(rows, { ...ALL, namespace: 'other' })).toEqual([]);
});

test('sums count what is not well, and the bytes of those that report them', () => {
  expect(sumsOf([row('a', { cached: 1, capacity: 4, data: 8 }), row('b', { healthy: false, capacity: 2 })])).toEqual({
    datasets: 2,
    unwell: 1,
    cached: 1,
    capacity: 6,
    data: 8,
  });
  expect(valuesOf([row('a'), row('b', { kind: '' }), row('c', { kind: 'AlluxioRuntime' })], ({ kind }) => kind)).toEqual([
    'AlluxioRuntime',
    'JuiceFSRuntime',
  ]);
});

test('a query leaves the rows that it is given as they are', () => {
  const { datasets } = fleetOf(100, 0);
  const before = [...datasets];
  for (const sort of ['name', 'trouble', 'cached', 'created'] as const) expect(select(datasets, { ...ALL, sort })).toHaveLength(100);
  expect(datasets).toEqual(before);
});
