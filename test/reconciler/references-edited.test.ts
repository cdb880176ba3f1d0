import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import type { Harness } from './harness.ts';
import { inDefault, refer, serve, start, statusOf, synced } from './reference-scene.ts';

const attributes = (at: Harness) =>
  (at.get('PersistentVolume', 'ml-demo') as KubeObject & { spec: { csi: { volumeAttributes: Record<string, string> } } }).spec.csi
    .volumeAttributes;
const served = async (): Promise<Harness> => {
  const at = await start();
  serve(at, 'ml');
  refer(at);
  await at.quiet();
  return at;
};

describe('the volume of a reference is created again once no pod mounts it', () => {
  test('when the mount point names another path of the same Dataset', async () => {
    const at = await served();
    at.put(write.reader('reader', 'demo'));
    refer(at, 'dataset://default/source/other');
    await at.quiet();
    expect(attributes(at)['fluid_sub_path']).toBe('train');
    expect(synced(at)).toBe(
      'False VolumePending: the volume leads to another directory than it should; the controller creates claim and volume again once no pod mounts the claim. Until then no other pod can mount it',
    );
    at.delete('Pod', 'reader');
    await at.quiet();
    expect(attributes(at)['fluid_sub_path']).toBe('other');
    expect(at.dataset().phase).toBe('Bound');
    expect(synced(at)).toMatch(/^True/);
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
  });
  test('but not when the path is the same, written otherwise', async () => {
    const at = await served();
    const { uid } = at.get('PersistentVolumeClaim')!.metadata;
    refer(at, 'dataset://default/source/./train/');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')?.metadata.uid).toBe(uid);
    expect(synced(at)).toMatch(/^True/);
  });
  test('when a runtime of another kind serves the other Dataset', async () => {
    const at = await served();
    at.server.delete('ThinRuntime', 'default', 'source');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')).toBeDefined();
    const source = at.server.get('Dataset', 'default', 'source')!;
    at.put({ ...source, spec: { mounts: [{ mountPoint: 'juicefs:///', name: 'jfs' }] } } as KubeObject);
    at.put(inDefault(write.jfsRuntime('source')));
    await at.quiet();
    expect(statusOf(at, 'default', 'source').phase).toBe('Bound');
    expect(attributes(at)).toMatchObject({
      fluid_path: '/runtime-mnt/juicefs/default/source/juicefs-fuse',
      fluid_sub_path: 'train',
      mount_type: 'JuiceFS',
    });
    expect(at.dataset().phase).toBe('Bound');
  });
});

test.each(['fluid.io/dataset.referring-name', 'fluid.io/dataset.referring-namespace', 'data.fluid.io/owner-uid'])(
  'the label %s of the volume is repaired when another writer removes it: the claim stays',
  async (key) => {
    const at = await served();
    const { uid } = at.get('PersistentVolumeClaim')!.metadata;
    const volume = at.get('PersistentVolume', 'ml-demo')!;
    const { [key]: _, ...labels } = volume.metadata.labels ?? {};
    at.server.put({ ...volume, metadata: { ...volume.metadata, labels } }, 'kubectl');
    await at.quiet();
    expect(at.get('PersistentVolume', 'ml-demo')?.metadata).toMatchObject({ uid: volume.metadata.uid, labels: volume.metadata.labels });
    expect(at.get('PersistentVolumeClaim')?.metadata.uid).toBe(uid);
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
  },
);

test('fields of the mount that have no effect are named', async () => {
  const at = await start();
  serve(at, 'ml');
  const mount = { mountPoint: 'dataset://default/source/a b', name: 'r', path: '/x', readOnly: true, shared: false, options: {} };
  at.put(write.datasetObject('demo', { mounts: [mount], sharedOptions: { a: 'b' } }));
  await at.quiet();
  expect(at.conditions('ThinRuntime')['SpecWarning']).toBe(
    'True SpecPartlyIgnored: Dataset: spec.mounts[0].path: has no effect, since the Dataset refers to another one; ' +
      'Dataset: spec.mounts[0].readOnly: has no effect, since the Dataset refers to another one; spec.accessModes says whether pods may write; ' +
      'Dataset: spec.sharedOptions: has no effect, since the Dataset refers to another one',
  );
  expect(attributes(at)['fluid_sub_path']).toBe('a b');
});

test('figures that only the other Dataset of before had are not shown for the next one', async () => {
  const at = await served();
  const source = at.server.get('Dataset', 'default', 'source')!;
  const figures = { ufsTotal: '3.91MiB', fileNum: '7', cacheStates: { cached: '1.00GiB' }, hcfs: { endpoint: 'alluxio://source:1' } };
  at.put({ ...source, status: { ...(source['status'] as object), ...figures } });
  await at.quiet();
  expect(at.dataset()).toMatchObject(figures);
  at.put(write.openDataset('third'));
  at.put(write.thinRuntime('third', { profileName: 'profile' }));
  refer(at, 'dataset://ml/third');
  await at.quiet();
  const { ufsTotal, fileNum, cacheStates, hcfs } = at.dataset('third');
  expect(at.dataset()).toMatchObject({ phase: 'Bound' });
  expect([at.dataset().ufsTotal, at.dataset().fileNum, at.dataset().cacheStates, at.dataset().hcfs]).toEqual([
    ufsTotal,
    fileNum,
    cacheStates,
    hcfs,
  ]);
  expect(hcfs).toBeUndefined();
});
