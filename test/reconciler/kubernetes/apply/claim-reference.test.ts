import { expect, test } from 'vitest';
import { openDataset, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, harness } from '../../harness.ts';

interface VolumeSpec {
  readonly claimRef?: { readonly uid?: string };
}
test('a new volume names the UID of the claim, also when it is applied again', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  const claim = () => at.get('PersistentVolumeClaim');
  const reference = () => (at.get('PersistentVolume', 'ml-demo')?.['spec'] as VolumeSpec | undefined)?.claimRef?.uid;
  // As etcd would lose it: its claim is Lost, and no volume of the name will do but one that names its UID.
  at.server.remove('PersistentVolume', undefined, 'ml-demo');
  await at.quiet();
  expect(reference()).toBe(claim()?.metadata.uid);
  expect(claim()?.['status']).toMatchObject({ phase: 'Bound' });
  at.forget();
  at.put({
    ...at.get('Dataset')!,
    metadata: { ...at.get('Dataset')!.metadata, annotations: { 'pvc.fluid.io/resources.requests.storage': '5Gi' } },
  });
  await at.quiet();
  expect(at.get('PersistentVolume', 'ml-demo')?.['spec']).toMatchObject({ capacity: { storage: '5Gi' } });
  expect(reference()).toBe(claim()?.metadata.uid);
  // Nor was it removed in between, and set again: its first write after the takeover of fields is the last.
  expect(at.server.requestsThat({ kind: 'PersistentVolume', verb: ['patch', 'apply'] }).map(({ verb }) => verb)).toEqual([
    'patch',
    'apply',
  ]);
});

test('a claim that we completed stays so when it is applied again', async () => {
  const at = await harness();
  at.controllers.paused.add('claims');
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  const completed = () => at.get('PersistentVolumeClaim')?.metadata.annotations?.['pv.kubernetes.io/bind-completed'];
  expect(completed()).toBe('yes');
  at.put({ ...at.get('PersistentVolumeClaim')!, metadata: { ...at.get('PersistentVolumeClaim')!.metadata, labels: {} } });
  at.forget();
  await at.quiet();
  expect(at.written()).toContain('apply PersistentVolumeClaim/demo');
  expect(completed()).toBe('yes');
});

test('a volume of ours that another writer bound to a foreign claim is bound to our claim again', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  const { uid } = at.get('PersistentVolumeClaim')!.metadata;
  at.edit('PersistentVolume', { claimRef: { namespace: 'other', name: 'demo', uid: 'foreign' } }, 'ml-demo');
  await at.quiet();
  expect(at.written({ verb: 'delete' })).toEqual([]);
  expect(at.get('PersistentVolume', 'ml-demo')?.['spec']).toMatchObject({ claimRef: { namespace: 'ml', name: 'demo', uid } });
  expect(at.get('PersistentVolumeClaim')).toMatchObject({ metadata: { uid }, status: { phase: 'Bound' } });
});
