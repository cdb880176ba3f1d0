import { describe, expect, test } from 'vitest';
import { datasetObject, secret, thinRuntime } from '../../../support/objects.ts';
import { harness } from '../../harness.ts';

const withKey = datasetObject('demo', {
  mounts: [{ mountPoint: 's3://b', name: 'b', encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }],
});
const runtime = thinRuntime('demo', { profileName: 'profile' });

describe('a spec that is invalid by what was looked up', () => {
  test('is followed once the Secret has the key', async () => {
    const at = await harness({ settings: { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } } });
    at.put(secret('s', { wrong: 'x' }));
    at.put(withKey);
    at.put(runtime);
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False SecretNotFound: waiting for key k of Secret/);
    at.put({ ...secret('s', {}), data: { k: 'eA==' } });
    await at.advance(31_000);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });

  const volume = (name: string, source: object) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { ...source, claimRef: { namespace: 'ml', name: 'data' } },
    status: { phase: 'Bound' },
  });
  const claim = (volumeName: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { volumeName },
    status: { phase: 'Bound' },
  });
  test('is followed once the claim has a volume of CSI', async () => {
    const at = await harness();
    at.controllers.paused.add('volumes');
    at.put(volume('old', { hostPath: { path: '/x' } }));
    at.put(claim('old'));
    at.put(datasetObject('demo', { mounts: [{ mountPoint: 'pvc://data', name: 'b' }] }));
    at.put(runtime);
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec: .*CSI/);
    at.server.remove('PersistentVolumeClaim', 'ml', 'data');
    at.controllers.paused.delete('volumes');
    at.put({ ...volume('new', { csi: { driver: 'd', volumeHandle: 'h' } }), status: { phase: 'Available' } });
    at.put({ ...claim('new'), status: { phase: 'Pending' } });
    await at.advance(31_000);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    // The label by which the claim says who reads it: once, however many passes the set-up took.
    expect(at.written({ kind: 'PersistentVolumeClaim', name: 'data' })).toEqual(['patch PersistentVolumeClaim/data']);
    expect(at.get('PersistentVolumeClaim', 'data')?.metadata.labels).toEqual({ 'fluid.io/managed-by': 'demo' });
  });

  test('is planned again with back-off, and at least every 30 s', async () => {
    const at = await harness({ settings: { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } } });
    at.put(secret('s', { wrong: 'x' }));
    at.put(withKey);
    at.put(runtime);
    at.start();
    await at.advance(60_000);
    at.forget();
    await at.advance(300_000);
    const reads = at.server.requestsThat({ verb: 'get', kind: 'Secret', name: 's' }).length;
    expect(reads).toBeGreaterThanOrEqual(9);
    expect(reads).toBeLessThanOrEqual(12);
    expect(at.written()).toEqual([]);
  });
});

test('a spec that is invalid by itself waits for an edit', async () => {
  const at = await harness();
  at.put(
    datasetObject('demo', {
      mounts: [
        { mountPoint: 's3://b', name: 'same' },
        { mountPoint: 's3://c', name: 'same' },
      ],
    }),
  );
  at.put(runtime);
  await at.quiet();
  at.forget();
  await at.advance(300_000);
  expect(at.passes).toEqual([]);
});
