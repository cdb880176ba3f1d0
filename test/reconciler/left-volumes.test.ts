/** A tenant removes Sluice's finalizer from its runtime and deletes it: no teardown runs, and a PersistentVolume belongs to the cluster. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { openDataset, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

const volume = (at: Harness) => at.server.get('PersistentVolume', undefined, 'ml-demo');
const RUNTIME = thinRuntime('demo', { profileName: 'profile' });
/** Deletes an object so that nobody can react before it is gone. */
function strip(at: Harness, kind: string): void {
  at.server.remove(kind, 'ml', 'demo');
}
async function stripped(...kinds: readonly string[]): Promise<Harness> {
  const at = await boundHarness([openDataset('demo'), RUNTIME]);
  for (const kind of kinds) strip(at, kind);
  await at.quiet();
  return at;
}

test('the volume goes with the claim, and an event of the claim says so', async () => {
  const at = await stripped('ThinRuntime', 'Dataset');
  expect(volume(at)).toBeDefined();
  const regarding = { kind: 'PersistentVolumeClaim', name: 'demo', namespace: 'ml' };
  expect(at.events[0]).toMatchObject({ type: 'Warning', reason: 'VolumeLeft', regarding });
  at.delete('PersistentVolumeClaim', 'demo');
  await at.quiet();
  expect(volume(at)).toBeUndefined();
  at.forget();
  await at.advance(600_000);
  expect(at.written()).toEqual([]);
});

test('also if no controller ran then', async () => {
  const at = await boundHarness([openDataset('demo'), RUNTIME]);
  at.kill();
  for (const kind of ['ThinRuntime', 'Dataset', 'PersistentVolumeClaim']) strip(at, kind);
  at.controllers.settle();
  await at.restart();
  await at.quiet();
  expect(volume(at)).toBeUndefined();
});

test('nothing is said or deleted while a new Dataset exists that no watch shows', async () => {
  const at = await stripped('ThinRuntime', 'Dataset');
  for (const kind of ['Dataset', 'ThinRuntime']) at.server.hold(kind);
  for (const each of [openDataset('demo'), RUNTIME]) at.put(each);
  const before = at.events.length;
  at.delete('PersistentVolumeClaim', 'demo');
  await at.advance(2000);
  expect(volume(at)).toBeDefined();
  expect(at.events.slice(before)).toEqual([]);
  for (const kind of ['Dataset', 'ThinRuntime']) at.server.release(kind);
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
});

test.each<[string, readonly string[], (at: Harness) => void]>([
  ['the Dataset exists', ['ThinRuntime', 'PersistentVolumeClaim'], () => {}],
  ['a new runtime has it', ['ThinRuntime', 'Dataset'], (at) => void [openDataset('demo'), RUNTIME].map((each) => at.put(each))],
  ['an administrator made it from ours', ['ThinRuntime', 'Dataset', 'PersistentVolumeClaim'], (at) => changed(at, { annotations: {} })],
  [
    'another driver serves it',
    ['ThinRuntime', 'Dataset', 'PersistentVolumeClaim'],
    (at) => changed(at, {}, { csi: { driver: 'other', volumeHandle: 'h' } }),
  ],
])('it stays while %s', async (_, kinds, change) => {
  const at = await boundHarness([openDataset('demo'), RUNTIME]);
  at.server.hold('PersistentVolume');
  for (const kind of kinds) strip(at, kind);
  change(at);
  at.controllers.settle();
  at.server.release('PersistentVolume');
  await at.quiet();
  expect(volume(at)?.metadata.deletionTimestamp).toBeUndefined();
});

test('one that an administrator gives to another claim is no longer that of the first', async () => {
  const at = await boundHarness([openDataset('demo'), openDataset('other'), RUNTIME]);
  for (const kind of ['ThinRuntime', 'Dataset', 'PersistentVolumeClaim']) strip(at, kind);
  at.server.hold('PersistentVolume');
  const { metadata, ...rest } = volume(at)!;
  const { resourceVersion: _, ...kept } = metadata;
  const claimRef = { namespace: 'ml', name: 'other', uid: '00000000-0000-4000-8000-00000000000f' };
  at.server.put({ ...rest, metadata: kept, spec: { ...(rest['spec'] as object), claimRef } } as KubeObject);
  at.controllers.settle();
  await at.quiet();
  expect(volume(at)?.metadata.deletionTimestamp).toBeUndefined();
  at.server.release('PersistentVolume');
  await at.quiet();
  expect(at.store.leftVolumes({ namespace: 'ml', name: 'demo' })).toEqual([]);
  expect(at.store.leftVolumes({ namespace: 'ml', name: 'other' })).toHaveLength(1);
  expect(volume(at)?.metadata.deletionTimestamp).toBeUndefined();
});

function changed(at: Harness, metadata: object, spec: object = {}): void {
  const { metadata: before, ...rest } = volume(at)!;
  const { resourceVersion: _, uid: _u, finalizers: _f, creationTimestamp: _c, ...kept } = before;
  at.server.remove('PersistentVolume', undefined, 'ml-demo');
  at.server.put({ ...rest, metadata: { ...kept, ...metadata }, spec: { ...(rest['spec'] as object), ...spec } } as KubeObject);
}
