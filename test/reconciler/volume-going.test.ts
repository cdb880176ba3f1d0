/** An administrator deletes the PersistentVolume of a Dataset. Kubernetes keeps it for as long as the claim exists. */
import { expect, test } from 'vitest';
import * as write from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

async function going(pods: readonly string[]): Promise<Harness> {
  const at = await boundHarness([write.openDataset('demo'), write.thinRuntime('demo', { profileName: 'profile' })]);
  for (const name of pods) at.put(write.reader(name, 'demo'));
  const volume = at.get('PersistentVolume', 'ml-demo')!;
  const { resourceVersion: _, ...metadata } = volume.metadata;
  at.server.put({ ...volume, metadata: { ...metadata, finalizers: ['kubernetes.io/pv-protection'] } });
  at.delete('PersistentVolume', 'ml-demo');
  for (let i = 0; i < 6; i++) await at.advance(5000);
  return at;
}

test('its deletion is reported by runtime and Dataset while a pod mounts the claim', async () => {
  const at = await going(['app']);
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False VolumePending: the volume is being deleted; /);
  expect(at.conditions('Dataset')['Ready']).toContain('VolumePending: The ddc runtime is ready. the volume is being deleted');
  expect(at.get('PersistentVolumeClaim')?.metadata.deletionTimestamp).toBeUndefined();
});
test('claim and volume are created again once no pod mounts the claim', async () => {
  const at = await going(['app']);
  const before = at.get('PersistentVolume', 'ml-demo')!.metadata.uid;
  at.delete('Pod', 'app');
  for (let i = 0; i < 12; i++) await at.advance(5000);
  const volume = at.get('PersistentVolume', 'ml-demo');
  expect(volume?.metadata.uid).not.toBe(before);
  expect(volume?.metadata.deletionTimestamp).toBeUndefined();
  expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Bound' });
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
});
