/** Secrets that pods take options from, when they are not as the specs name them. */
import { describe, expect, test } from 'vitest';
import { JFS_SECRET, jfsDataset, jfsRuntime, jfsSecret, openDataset, secret, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, type Harness, harness } from '../../harness.ts';

const OPTION = 'valueFrom.secretKeyRef in the Dataset';
const synced = (at: Harness, kind = 'JuiceFSRuntime') => at.conditions(kind)['Synced'];

describe('a key that a Secret lacks', () => {
  test('is reported with the field that names it before anything is created, and set-up goes on once it exists', async () => {
    const at = await harness();
    for (const object of [secret(JFS_SECRET, { metaurl: 'redis://redis' }), jfsDataset('demo'), jfsRuntime('demo')]) at.put(object);
    at.start();
    await at.advance(10_000);
    const keys = ['access-key', 'secret-key'].map(
      (key, i) => `key ${key} of Secret ml/${JFS_SECRET} of spec.mounts[0].encryptOptions[${i + 1}].${OPTION}`,
    );
    expect(synced(at)).toBe(`False SecretNotFound: waiting for ${keys.join(', ')}`);
    expect(at.conditions('Dataset')['NotReady']).toBe(`True DatasetFailedToSetup: waiting for ${keys.join(', ')}`);
    expect(at.get('DaemonSet', 'demo-fuse')).toBeUndefined();
    at.put(jfsSecret());
    await at.advance(30_000);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });
  test('is reported also if the contents are copied', async () => {
    const encryptOptions = [{ name: 'key', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }];
    const dataset = openDataset('demo', { mounts: [{ mountPoint: 's3://bucket', name: 'data', encryptOptions }] });
    const at = await harness({ settings: { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } } });
    for (const object of [secret('s', { other: 'x' }), dataset, thinRuntime('demo', { profileName: 'profile' })]) at.put(object);
    at.start();
    await at.advance(10_000);
    const lack = `waiting for key k of Secret ml/s of spec.mounts[0].encryptOptions[0].${OPTION}`;
    expect(synced(at, 'ThinRuntime')).toBe(`False SecretNotFound: ${lack}`);
  });
});

describe('a Secret that is deleted after the Dataset was bound', () => {
  const bound = () => boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  /** A pod of a user comes to this node, and its fuse pod cannot start. */
  const reads = (at: Harness) => {
    at.controllers.unready.add('ml/demo-fuse');
    const labels = { 'kubernetes.io/hostname': 'node-1', 'fluid.io/f-ml-demo': 'true' };
    at.put({ ...at.get('Node', 'node-1')!, metadata: { name: 'node-1', labels } });
  };

  test('is reported as soon as a pod that needs it does not start, until it exists again', async () => {
    const at = await bound();
    at.server.remove('Secret', 'ml', JFS_SECRET);
    await at.advance(60_000);
    reads(at);
    await at.advance(10_000);
    const lack = `waiting for Secret ml/${JFS_SECRET} of spec.mounts[0].encryptOptions[0].${OPTION}`;
    expect(synced(at)).toBe(`False SecretNotFound: ${lack}`);
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('Dataset')['Ready']).toBe(`True SecretNotFound: The ddc runtime is ready. ${lack}`);
    expect(at.events.map(({ regarding, reason }) => `${regarding.kind} ${reason}`)).toContain('Dataset ErrorProcessDataset');
    at.put(jfsSecret());
    await at.advance(60_000);
    expect(synced(at)).toMatch(/^True/);
  });
  test('is reported also if it lacks a key', async () => {
    const at = await bound();
    at.server.remove('Secret', 'ml', JFS_SECRET);
    at.put(secret(JFS_SECRET, { metaurl: 'x', 'access-key': 'x' }));
    await at.advance(60_000);
    reads(at);
    await at.advance(10_000);
    expect(synced(at)).toContain(`False SecretNotFound: waiting for key secret-key of Secret ml/${JFS_SECRET}`);
  });
  test('is not read while all pods are ready', async () => {
    const at = await bound();
    at.put({ ...at.get('Dataset')!, metadata: { ...at.get('Dataset')!.metadata, labels: { touched: 'x' } } });
    await at.advance(3_600_000);
    expect(at.passes.length).toBeGreaterThan(0);
    expect(at.server.requestsThat({ kind: 'Secret' })).toEqual([]);
  });
  test('changes nothing for what is bound if it cannot be read', async () => {
    const at = await bound();
    at.server.rules.refuse({ verb: 'get', kind: 'Secret' }, { status: 403, reason: 'Forbidden' });
    await at.advance(60_000);
    reads(at);
    await at.advance(10_000);
    expect(synced(at)).toMatch(/^True/);
  });
});
