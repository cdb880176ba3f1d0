import { expect, test } from 'vitest';
import { nodePatches } from '../../../../src/reconciler/kubernetes/nodes/node-patches.ts';
import type { Placement } from '../../../../src/reconciler/kubernetes/nodes/placements.ts';

const placement = (uid: string, labels: Readonly<Record<string, string>>): Placement => ({
  runtime: { apiVersion: 'data.fluid.io/v1alpha1', kind: 'ThinRuntime', name: uid, uid },
  labels: Object.entries(labels),
  labelIds: [],
  workers: 'w',
});
const [a, b] = [placement('a', { 's-a': 'true' }), placement('b', { 's-b': 'true' })];
const patchesOf = (labels: Readonly<Record<string, string>>, more: Partial<Parameters<typeof nodePatches>[0]> = {}) =>
  Object.fromEntries(
    nodePatches({
      labels,
      placements: [],
      isExcluded: false,
      counts: true,
      ownerOf: (labelId) => /^s-(\w)|=(\w)$/.exec(labelId)?.slice(1).find(Boolean),
      ...more,
    }),
  );
const count = (n: number) => ({ 'fluid.io/dataset-num': String(n) });
const exclusive = (uid: string) => placement(uid, { fluid_exclusive: uid });

test('each runtime’s labels are a patch of its own, and what they share is another', () =>
  expect(patchesOf({ zone: 'x' }, { placements: [a, b] })).toEqual({ a: { 's-a': 'true' }, b: { 's-b': 'true' }, '': count(2) }));
test('a node with the right labels is not written', () =>
  expect(patchesOf({ 's-a': 'true', ...count(1) }, { placements: [a] })).toEqual({}));
test('labels of runtimes that have no worker there go, and the count with the last', () =>
  expect(patchesOf({ 's-a': 'true', zone: 'x', ...count(1) })).toEqual({ a: { 's-a': null }, '': { 'fluid.io/dataset-num': null } }));
test('datasets are counted only once all are known', () =>
  expect(patchesOf(count(3), { placements: [a], counts: false })).toEqual({ a: { 's-a': 'true' } }));
test('two runtimes of one dataset count as one', () =>
  expect(patchesOf({}, { placements: [a, placement('b', { 's-a': 'true' })] })['']).toEqual(count(1)));
test('a node that is excluded gets none, keeps what it has, and loses what goes', () =>
  expect(patchesOf({ 's-a': 'true', 's-c': 'true' }, { placements: [a, b], isExcluded: true })).toEqual({ c: { 's-c': null } }));
test.each([['a'], ['b']])('of two that want a node for themselves, %s keeps it who has it', (holder) =>
  expect(patchesOf({ fluid_exclusive: holder, ...count(2) }, { placements: [exclusive('a'), exclusive('b')] })).toEqual({}),
);
test('a Dataset that had a node for itself and left it gives way to the next', () =>
  expect(patchesOf({ fluid_exclusive: 'c', ...count(1) }, { placements: [exclusive('a')] })).toEqual({ a: { fluid_exclusive: 'a' } }));
test('a label of a runtime that is neither placed nor removed does not change', () =>
  expect(patchesOf({ zone: 'x', fluid_exclusive: 'someone_else' }, { ownerOf: () => undefined })).toEqual({}));
