import { expect, test } from 'vitest';
import { fuseOf, labelOf } from '../../../src/csi/stage/fuse-label.ts';
import { volume } from '../given.ts';

const RUNTIME = { namespace: 'ml', name: 'demo' };
const LONG = { namespace: 'ml', name: 'x'.repeat(60) };
const given = (labels: Record<string, string> = {}) => ({ uid: 'u-1', labels });

test.each([
  ['by its names', RUNTIME, given(), 'fluid.io/f-ml-demo'],
  ['by its names, also when it is gone', RUNTIME, undefined, 'fluid.io/f-ml-demo'],
  ['by its names, as Fluid has recorded it', RUNTIME, given({ 'fluid.io/dataset-id': 'ml-demo' }), 'fluid.io/f-ml-demo'],
  ['by its UID, as our controller has recorded it', RUNTIME, given({ 'fluid.io/dataset-id': 'u-1' }), 'fluid.io/f-u-1'],
  ['by its UID where the names are long', LONG, given(), 'fluid.io/f-u-1'],
  ['by nothing where they are long and it is gone', LONG, undefined, undefined],
])('a dataset is labelled %s', (_, runtime, dataset, expected) => {
  expect(labelOf(runtime, dataset)).toBe(expected);
});

test('attributes need no request', async () => {
  const asked = () => Promise.reject(new Error('asked'));
  const said = { runtime: RUNTIME, nodeLabel: 'fluid.io/f-own' };
  expect(await fuseOf({ volume: asked, dataset: asked }, 'handle', volume(said))).toEqual(said);
});

test('a volume that does not exist has no label', async () => {
  const none = () => Promise.resolve(undefined);
  expect(await fuseOf({ volume: none, dataset: none }, 'handle', volume())).toEqual({});
});
