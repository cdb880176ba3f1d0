import { expect, test } from 'vitest';
import { ordered, stateOf } from '../../../src/ui/page/state/operations.ts';
import type { OperationRow } from '../../../src/ui/wire.ts';
import { fleetOf } from './fixture.ts';

const { operations } = fleetOf(1, 1_000_000_000_000);
const of = (name: string, phase: string, rest: Partial<OperationRow> = {}): OperationRow => ({
  namespace: 'ml',
  name,
  kind: 'DataLoad',
  datasets: ['ml/demo'],
  phase,
  created: 1,
  ...rest,
});
const shown = (rows: readonly OperationRow[], search = '') =>
  ordered(rows, search).map(({ row, depth, state }) => `${depth} ${row.name} ${state}`);

test('what runs comes first with what waits for it below, then what failed, schedules, and what is over', () => {
  expect(shown(operations)).toEqual([
    '0 warm-laion running',
    '1 resize waiting',
    '2 save waiting',
    '0 warm-wiki failed',
    '0 nightly scheduled',
    '0 warm-once complete',
  ]);
});

test('an order whose first operation is over stands where its last one runs', () => {
  expect(shown([of('old', 'Complete'), of('b', 'Executing', { after: 'DataLoad/ml/old' }), of('c', 'Failed')])).toEqual([
    '0 old complete',
    '1 b running',
    '0 c failed',
  ]);
});

test('operations that wait for each other in a ring, or for one that does not exist, are each shown once', () => {
  const ring = [
    of('a', 'Pending', { after: 'DataLoad/ml/b' }),
    of('b', 'Pending', { after: 'DataLoad/ml/a' }),
    of('c', 'Pending', { after: 'DataLoad/ml/none' }),
  ];
  expect(shown(ring).toSorted()).toEqual(['0 a waiting', '0 c waiting', '1 b waiting']);
});

test('words find operations by kind, names, phase and Dataset; a follower is found without the one before it', () => {
  expect(shown(operations, 'resize')).toEqual(['0 resize waiting']);
  expect(shown(operations, 'dataload failed')).toEqual(['0 warm-wiki failed']);
});

test('a schedule that failed is a failure, and a new operation waits', () => {
  expect(stateOf(of('a', 'Failed', { schedule: '* * * * *' }))).toBe('failed');
  expect(stateOf(of('a', ''))).toBe('waiting');
});
