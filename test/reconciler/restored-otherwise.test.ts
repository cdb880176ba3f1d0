/** Restores after which a Dataset has other names, or an owner that the old cluster alone had. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import type { Harness } from './harness.ts';
import { cluster, deletedAll, exported, faultsIn, madeIn, type Origin, origin, restoreAll, restored } from './restore-scene.ts';

const ALL = { tool: 'velero', withStatus: false, runs: true, order: 'tool', again: 'never' } as const;
const volumes = (at: Harness) => at.server.all('PersistentVolume').map(({ metadata }) => metadata.name);
const claimed = (at: Harness, namespace: string, name: string) => {
  const claim = at.server.get('PersistentVolumeClaim', namespace, name);
  const { volumeName } = (claim?.['spec'] ?? {}) as { volumeName?: string };
  const volume = volumeName === undefined ? undefined : at.server.get('PersistentVolume', undefined, volumeName);
  const { csi } = (volume?.['spec'] ?? {}) as { csi?: { volumeAttributes: Readonly<Record<string, string>> } };
  return { volumeName, path: csi?.volumeAttributes['fluid_path'] };
};
const inNamespace = (namespace: string, ...objects: readonly KubeObject[]) =>
  objects.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
const profile = write.thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } });
const thin = (name: string) => [write.openDataset(name), write.thinRuntime(name, { profileName: 'profile' })];

test.each([true, false])(
  'in another namespace the claim leads to the Dataset there, and not where it led (with status: %s)',
  async (withStatus) => {
    const at = await restored(await origin('thin'), { ...ALL, withStatus, mapping: { ml: 'lab' } });
    expect(faultsIn(at)).toEqual([]);
    expect(claimed(at, 'lab', 'demo')).toEqual({ volumeName: 'lab-demo', path: '/runtime-mnt/thin/lab/demo/thin-fuse' });
    expect(volumes(at)).toEqual(['lab-demo']);
    await deletedAll(at, 'lab');
  },
);

/** As Velero does with volumes that exist, if their namespace is mapped. */
const renamed = (from: Origin, name: string, to: string): Origin => ({
  ...from,
  objects: from.objects.map((object) => {
    const spec = object['spec'] as { volumeName?: string } | undefined;
    if (object.kind === 'PersistentVolume' && object.metadata.name === name)
      return { ...object, metadata: { ...object.metadata, name: to } };
    return spec?.volumeName === name ? ({ ...object, spec: { ...spec, volumeName: to } } as KubeObject) : object;
  }),
});

test('beside the Dataset that it was copied from, one in another namespace has a volume of its own', async () => {
  const from = await origin('thin');
  const at = await cluster([profile]);
  for (const object of inNamespace('ml', ...thin('demo'))) at.server.put(object);
  await at.quiet();
  await restoreAll(at, renamed(from, 'ml-demo', 'velero-clone-1'), { ...ALL, mapping: { ml: 'lab' } });
  await at.quiet();
  expect(faultsIn(at)).toEqual([]);
  expect(claimed(at, 'ml', 'demo')).toEqual({ volumeName: 'ml-demo', path: '/runtime-mnt/thin/ml/demo/thin-fuse' });
  expect(claimed(at, 'lab', 'demo')).toEqual({ volumeName: 'lab-demo', path: '/runtime-mnt/thin/lab/demo/thin-fuse' });
  expect(volumes(at).toSorted()).toEqual(['lab-demo', 'ml-demo']);
});

test.each(['before', 'after'] as const)(
  'a Dataset that was named by its UID has plain names, its volume restored %s its claim',
  async (volume) => {
    const a = await cluster([profile]);
    for (const object of inNamespace('ml', ...thin('x-demo'))) a.server.put(object);
    await a.quiet();
    for (const object of inNamespace('ml-x', ...thin('demo'))) a.server.put(object);
    await a.quiet();
    expect(claimed(a, 'ml-x', 'demo').volumeName).toMatch(/^0{8}-/);
    const { objects, made } = exported(a);
    const ofOne = objects.filter(
      ({ kind, metadata, spec }: KubeObject & { spec?: { claimRef?: { namespace?: string } } }) =>
        metadata.namespace === 'ml-x' || kind === 'ThinRuntimeProfile' || spec?.claimRef?.namespace === 'ml-x',
    );
    const at = await restored({ objects: ofOne, made }, { ...ALL, order: volume === 'before' ? 'tool' : 'volumesLast' });
    expect(faultsIn(at)).toEqual([]);
    expect(claimed(at, 'ml-x', 'demo').volumeName).toBe('ml-x-demo');
    expect(volumes(at)).toEqual(['ml-x-demo']);
    await deletedAll(at);
  },
);

/** With the hash of the record, whose UIDs are others since the export. */
function stamped({ objects, made }: Origin): Origin {
  const record = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'demo-last-valid');
  const [text = ''] = Object.values((record?.['data'] ?? {}) as Record<string, string>);
  const stamp = { 'data.fluid.io/last-valid': hash('sha256', text) };
  const withStamp = (object: KubeObject) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...stamp } },
  });
  return { made, objects: objects.map((object) => (object.metadata.name === 'ml-demo' ? withStamp(object) : object)) };
}

test('the claim behind a mount becomes an owner by the UID that it has here, though the last valid specs are of there', async () => {
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'users' }, spec: { volumeName: 'users' } };
  const behind = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'users' },
    spec: { capacity: { storage: '1Gi' }, claimRef: { namespace: 'ml', name: 'users' }, csi: { driver: 'x.csi', volumeHandle: 'h' } },
  };
  const dataset = (mounts: readonly object[]) => inNamespace('ml', write.datasetObject('demo', { mounts } as object));
  const mount = { mountPoint: 'pvc://users', name: 'd' };
  const a = await cluster([
    profile,
    behind,
    ...inNamespace('ml', claim, write.thinRuntime('demo', { profileName: 'profile' })),
    ...dataset([mount]),
  ]);
  await a.quiet();
  expect(a.dataset().phase).toBe('Bound');
  a.edit('Dataset', { mounts: [mount, mount] });
  await a.quiet();
  expect(a.conditions('ThinRuntime')['Synced']).toContain('InvalidSpec');
  const at = await restored(stamped(exported(a)), { ...ALL, withStatus: true });
  const { uid } = at.server.get('PersistentVolumeClaim', 'ml', 'users')!.metadata;
  expect(at.get('Dataset')).toMatchObject({ metadata: { ownerReferences: [{ name: 'users', uid }] }, status: { phase: 'Bound' } });
  expect(at.conditions('ThinRuntime')['Synced']).toContain('InvalidSpec');
});

test('what names owners of the old cluster is collected without a trace, and comes with the next restore by the page', async () => {
  const from = await origin('juicefs');
  // The controller could be faster than the garbage collector.
  const at = await restored(from, { ...ALL, tool: 'kubectl', runs: false });
  expect(at.server.all('JuiceFSRuntime').map(({ metadata }) => metadata.name)).toEqual([]);
  expect(at.conditions('Dataset')['NotReady']).toContain('RuntimeNotFound');
  await restoreAll(at, from, { ...ALL, tool: 'page' });
  await at.quiet();
  expect(faultsIn(at)).toEqual([]);
  expect(madeIn(at)).toEqual(from.made);
  await deletedAll(at);
});
