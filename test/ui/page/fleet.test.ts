import { expect, test } from 'vitest';
import { changed, fleetState, operationKey } from '../../../src/ui/page/state/fleet.ts';
import { fleetOf, rowOf } from './fixture.ts';

const before = fleetState(fleetOf(20, 1_000_000_000_000));

test('a change replaces rows, adds new ones in the order of keys, and removes those that are gone', () => {
  const [first] = before.datasets;
  if (!first) throw new Error('the fixture has rows');
  const added = { ...rowOf(3, 0), namespace: 'aaa', name: 'zzz' };
  const after = changed(before, [
    { version: '2', datasets: [added, { ...first, phase: 'Failed' }] },
    { version: '3', gone: { datasets: [`${before.datasets[1]?.namespace}/${before.datasets[1]?.name}`] } },
  ]);
  expect(after.version).toBe('3');
  expect(after.datasets).toHaveLength(20);
  expect(after.datasets[0]).toBe(added);
  expect(after.datasets[1]?.phase).toBe('Failed');
  expect(after.datasets).not.toContain(before.datasets[1]);
  expect(before.datasets).toHaveLength(20);
});

test('of changes to one key the last one counts, also when it says that the object is gone', () => {
  const row = rowOf(1, 0);
  const key = `${row.namespace}/${row.name}`;
  const after = changed(before, [
    { version: '2', datasets: [{ ...row, phase: 'Failed' }] },
    { version: '3', gone: { datasets: [key] } },
    { version: '4', datasets: [{ ...row, phase: 'NotBound' }] },
  ]);
  expect(after.byKey.get(key)?.phase).toBe('NotBound');
  expect(changed(before, [{ version: '2', datasets: [row], gone: { datasets: [key] } }]).byKey.has(key)).toBe(false);
});

test('what a change does not concern stays the same object, so that nothing draws it again', () => {
  const [operation] = before.operations;
  if (!operation) throw new Error('the fixture has operations');
  const after = changed(before, [{ version: '2', operations: [{ ...operation, progress: 0.9 }] }]);
  expect(after.datasets).toBe(before.datasets);
  expect(after.operationsByKey.get(operationKey(operation))?.progress).toBe(0.9);
  expect(changed(before, [])).toBe(before);
});
