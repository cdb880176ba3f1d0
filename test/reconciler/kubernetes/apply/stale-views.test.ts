import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { openDataset, thinProfile, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, type Harness } from '../../harness.ts';

const worker = { image: 'example.io/worker', imageTag: 'v1' };
const profile = thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' }, worker });
const bound = () => boundHarness([profile, openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);

const deleted = (at: Harness) => at.written({ verb: 'delete' });
const uidOf = (at: Harness, kind: string, name?: string) => at.get(kind, name)?.metadata.uid ?? '';
/** Objects that another process of ours has made for the runtime meanwhile. */
function workers(at: Harness): KubeObject {
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'example.io/worker:v1' }] } };
  return at.put({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'demo-worker', labels: { 'data.fluid.io/owner-uid': uidOf(at, 'ThinRuntime') } },
    spec: { replicas: 2, serviceName: 'x', selector: { matchLabels: { app: 'x' } }, template },
  });
}

describe('pruning, while one watch hangs and the others do not,', () => {
  test('deletes nothing that the newest runtime asks for, and follows that one (A5)', async () => {
    const at = await bound();
    at.server.hold('ThinRuntime');
    at.edit('ThinRuntime', { worker: { enabled: true }, replicas: 2 });
    const { uid } = workers(at).metadata;
    await at.settle();
    await at.advance(1_000);
    expect(deleted(at)).toEqual([]);
    expect(uidOf(at, 'StatefulSet', 'demo-worker')).toBe(uid);
    // The newest plan's: it was repaired, though the watch still hangs.
    expect(at.written({ kind: 'StatefulSet' })).toContain('apply StatefulSet/demo-worker');
  });

  test('comes after what the newest profile asks for (A5)', async () => {
    const at = await bound();
    at.server.hold('ThinRuntimeProfile');
    at.edit('ThinRuntimeProfile', { fuse: { image: 'example.io/s3fs', imageTag: 'v2' } }, 'profile');
    workers(at);
    await at.settle();
    await at.advance(1_000);
    const written = at.written({ kind: ['DaemonSet', 'StatefulSet'] });
    expect(written).toEqual([expect.stringMatching('DaemonSet'), 'apply DaemonSet/demo-fuse', 'delete StatefulSet/demo-worker']);
  });

  test('deletes nothing of a runtime that was created again (A5)', async () => {
    const at = await bound();
    at.server.hold('ThinRuntime');
    workers(at);
    at.server.remove('ThinRuntime', 'ml', 'demo');
    at.put(thinRuntime('demo', { profileName: 'profile', worker: { enabled: true } }));
    await at.settle();
    await at.advance(1_000);
    expect(at.written({ verb: 'delete', kind: 'StatefulSet' })).toEqual([]);
  });

  test('deletes what the newest specs do not ask for (A13)', async () => {
    const at = await bound();
    workers(at);
    await at.quiet();
    expect(deleted(at)).toEqual(['delete StatefulSet/demo-worker']);
  });
});

test('an object that a predecessor seems to have left is not deleted for a runtime that is gone, by any clocks of two API servers (A5)', async () => {
  const at = await bound();
  const first = at.get('ThinRuntime')!;
  const { metadata: _, status: __, ...fuse } = at.get('DaemonSet', 'demo-fuse')!;
  at.server.hold('ThinRuntime');
  at.server.remove('ThinRuntime', 'ml', 'demo');
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  // As another process of ours makes it, whose API server's clock is behind.
  const owner = { apiVersion: first.apiVersion, kind: 'ThinRuntime', name: 'demo', uid: uidOf(at, 'ThinRuntime'), controller: true };
  at.server.remove('DaemonSet', 'ml', 'demo-fuse');
  const { uid } = at.put({
    ...fuse,
    metadata: {
      name: 'demo-fuse',
      creationTimestamp: first.metadata.creationTimestamp!,
      labels: { 'data.fluid.io/owner-uid': owner.uid },
      ownerReferences: [owner],
    },
  }).metadata;
  await at.settle();
  await at.advance(1_000);
  expect(at.written({ verb: 'delete', kind: 'DaemonSet' })).toEqual([]);
  expect(uidOf(at, 'DaemonSet', 'demo-fuse')).toBe(uid);
});

describe('reading afresh before a deletion', () => {
  const reads = (at: Harness) =>
    at.server
      .requestsThat({ verb: 'get' })
      .map(({ kind }) => kind)
      .toSorted();
  test('costs a request for each object that the plan was made from, when there is something to delete', async () => {
    const at = await bound();
    workers(at);
    await at.settle();
    expect(deleted(at)).toHaveLength(1);
    expect(reads(at)).toEqual(['Dataset', 'ThinRuntime', 'ThinRuntimeProfile']);
  });
  test('costs nothing when there is nothing to delete', async () => {
    const at = await bound();
    await at.pass();
    at.edit('ThinRuntime', { fuse: { options: { ro: '' } } });
    await at.settle();
    expect(reads(at).filter((kind) => /Dataset|Thin/.test(kind))).toEqual([]);
  });
});

describe('teardown', () => {
  test('of a runtime that was created again meanwhile deletes nothing of the new one', async () => {
    const at = await bound();
    // The finalizer keeps the claim while pods mount it.
    at.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'reader' },
      spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'demo' } }] },
    });
    at.delete('ThinRuntime');
    await at.advance(5_000);
    expect(deleted(at)).toEqual([]);
    at.server.hold('ThinRuntime');
    at.server.remove('ThinRuntime', 'ml', 'demo');
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    at.delete('Pod', 'reader');
    await at.advance(5_000);
    expect(deleted(at)).toEqual([]);
  });

  test('of a Dataset keeps a runtime that is no longer its own', async () => {
    const at = await bound();
    const runtime = at.get('ThinRuntime')!;
    expect(runtime.metadata.ownerReferences).toHaveLength(1);
    at.server.hold('ThinRuntime');
    at.put({ ...runtime, metadata: { ...runtime.metadata, ownerReferences: [] } });
    at.delete('Dataset');
    await at.advance(3_000);
    expect(deleted(at)).toEqual([]);
    expect(at.get('ThinRuntime')?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('a Dataset that is gone, which its watch does not show yet,', () => {
  const writes = (at: Harness) => at.server.requestsThat({ kind: 'Dataset', verb: 'patch' });
  test.each([{ ownerReferences: [] }, {}])('is written once at most while its runtime is taken down, %j', async (more) => {
    const at = await bound();
    at.server.hold('Dataset');
    at.server.remove('Dataset', 'ml', 'demo');
    const { metadata, ...runtime } = at.get('ThinRuntime')!;
    const { resourceVersion: _, ...kept } = metadata;
    at.put({ ...runtime, metadata: { ...kept, ...more } });
    at.delete('ThinRuntime');
    await at.advance(5_000);
    expect(writes(at).length).toBeLessThanOrEqual(1);
    expect(at.get('ThinRuntime')).toBeUndefined();
  });
  test('is written once while its runtime is changed', async () => {
    const at = await bound();
    at.server.hold('Dataset');
    at.controllers.paused.add('garbage');
    at.server.remove('Dataset', 'ml', 'demo');
    at.edit('ThinRuntime', { profileName: 'none' });
    await at.advance(3_000);
    expect(writes(at)).toHaveLength(1);
    expect(at.conditions('ThinRuntime')['Synced']).toContain('DatasetNotFound');
  });
  test('is not forgotten if only its status is not found', async () => {
    const at = await bound();
    at.server.rules.refuse({ kind: 'Dataset', subresource: 'status' }, { status: 404, reason: 'NotFound' });
    at.edit('ThinRuntime', { profileName: 'none' });
    await at.advance(3_000);
    expect(writes(at).length).toBeGreaterThan(0);
    expect(at.store.dataset({ namespace: 'ml', name: 'demo' })).toBeDefined();
  });
});

describe('a volume whose claim was lost', () => {
  /** Written by a manager of its own. */
  const freed = (at: Harness) => at.server.requestsThat({ kind: 'PersistentVolume', verb: 'patch', manager: 'sluice-binder' });
  test('is freed for a new one', async () => {
    const at = await bound();
    at.server.remove('PersistentVolumeClaim', 'ml', 'demo');
    await at.settle();
    await at.advance(1_000);
    expect(freed(at)).toHaveLength(1);
  });
  test('is not freed for a runtime that is being deleted', async () => {
    const at = await bound();
    at.server.hold('ThinRuntime');
    at.delete('ThinRuntime');
    at.server.remove('PersistentVolumeClaim', 'ml', 'demo');
    await at.settle();
    await at.advance(1_000);
    expect(freed(at)).toEqual([]);
  });
});

test('a runtime that was created again never gets a deleted Dataset as its owner, though the watch of Datasets hangs', async () => {
  const at = await bound();
  at.server.hold('Dataset');
  // A user starts again.
  for (const kind of ['ThinRuntime', 'Dataset']) at.server.remove(kind, 'ml', 'demo');
  at.put(openDataset('demo'));
  const { uid } = at.put(thinRuntime('demo', { profileName: 'profile' })).metadata;
  await at.settle();
  await at.advance(2_000);
  expect(uidOf(at, 'ThinRuntime')).toBe(uid);
  expect(at.get('ThinRuntime')?.metadata.ownerReferences).toMatchObject([{ uid: uidOf(at, 'Dataset') }]);
});

describe('while the API server does not know a kind, as when it starts or its CRD is created again,', () => {
  test.each(['Dataset', 'ThinRuntime', 'ThinRuntimeProfile'])('nothing follows from its answers about a %s', async (kind) => {
    const at = await bound();
    const rule = at.server.rules.refuse({ kind }, { status: 404 });
    at.server.endWatches(kind);
    at.server.compact();
    const { metadata: owned, ...config } = at.get('ConfigMap', 'demo-fuse-conf')!;
    at.put({ ...config, metadata: { ...owned, name: 'demo-old' } } as KubeObject);
    at.server.remove('DaemonSet', 'ml', 'demo-fuse');
    await at.advance(60_000);
    expect(at.written({ subresource: '' })).toEqual([]);
    rule.remove();
    await at.advance(600_000);
    expect(uidOf(at, 'DaemonSet', 'demo-fuse')).not.toBe('');
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
    expect(deleted(at)).toEqual(['delete ConfigMap/demo-old']);
  });
});
