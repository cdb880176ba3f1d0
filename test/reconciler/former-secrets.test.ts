/** The copy of a Secret of another namespace is no longer readable in the tenant's once the plan no longer has it. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { type Harness, harness } from './harness.ts';

const COPY = 'demo-thin-publish-secret';
const copyOf = (at: Harness) => at.server.get('Secret', 'ml', COPY);
const POLICY = 'CopyNodePublishSecretAndMountIfNotExists';

async function copied(): Promise<Harness> {
  const at = await harness();
  const storage = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'] };
  for (const object of [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'csi-admin', namespace: 'default' }, data: { password: 'c2VjcmV0' } },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-csi' },
      spec: {
        ...storage,
        claimRef: { namespace: 'ml', name: 'user-pvc' },
        csi: { driver: 'x.csi', volumeHandle: 'h', nodePublishSecretRef: { name: 'csi-admin', namespace: 'default' } },
      },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'user-pvc', namespace: 'ml' },
      spec: { volumeName: 'pv-csi', accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Bound' },
    },
    write.thinProfile('copying', { fileSystemType: 'fuse.x', fuse: { image: 'i', imageTag: '1' }, nodePublishSecretPolicy: POLICY }),
  ] as KubeObject[])
    at.server.put(object);
  at.put(write.datasetObject('demo', { mounts: [{ mountPoint: 'pvc://user-pvc', name: 'd' }] }));
  at.put(write.thinRuntime('demo', { profileName: 'copying' }));
  await at.quiet();
  expect(copyOf(at)).toBeDefined();
  return at;
}
function forbid(at: Harness): void {
  const { metadata, ...profile } = at.server.get('ThinRuntimeProfile', undefined, 'copying')!;
  const { resourceVersion: _, ...kept } = metadata;
  const spec = { ...(profile['spec'] as object), nodePublishSecretPolicy: 'NotMountNodePublishSecret' };
  at.server.put({ ...profile, metadata: kept, spec } as KubeObject);
}

test('after the policy of the profile was changed', async () => {
  const at = await copied();
  forbid(at);
  await at.quiet();
  expect(copyOf(at)).toBeUndefined();
});
test('after the policy of the profile was changed while no controller ran', async () => {
  const at = await copied();
  at.kill();
  forbid(at);
  await at.restart();
  await at.quiet();
  expect(copyOf(at)).toBeUndefined();
});
test('but not before the pods have ended that mount it', async () => {
  const at = await copied();
  const node = at.get('Node', 'node-1')!;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  await at.quiet();
  const [pod] = at.server.all('Pod');
  expect(pod).toBeDefined();
  forbid(at);
  await at.quiet();
  expect(copyOf(at)).toBeDefined();
  at.server.delete('Pod', 'ml', pod!.metadata.name);
  await at.quiet();
  expect(copyOf(at)).toBeUndefined();
});
test('a Secret of that name that a user created stays', async () => {
  const at = await copied();
  const { resourceVersion: _, labels: _l, ownerReferences: _o, ...metadata } = copyOf(at)!.metadata;
  at.server.delete('Secret', 'ml', COPY);
  forbid(at);
  at.server.put({
    ...copyOf(at),
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: metadata.name, namespace: 'ml' },
    data: {},
  } as KubeObject);
  await at.quiet();
  expect(copyOf(at)).toBeDefined();
});
test('also when the process ended before it could delete it', async () => {
  const at = await copied();
  const refusal = at.server.rules.refuse({ verb: 'delete', kind: 'Secret' }, { status: 503, reason: 'ServiceUnavailable' });
  forbid(at);
  await at.advance(2000);
  expect(copyOf(at)).toBeDefined();
  at.kill();
  refusal.remove();
  at.forget();
  await at.restart();
  await at.quiet();
  expect(copyOf(at)).toBeUndefined();
  at.kill();
  at.forget();
  await at.restart();
  await at.quiet();
  expect(at.server.requestsThat({ kind: 'Secret' }).length).toBeLessThanOrEqual(2);
});
test('also when the DaemonSet that mounted it was deleted meanwhile', async () => {
  const at = await copied();
  at.kill();
  forbid(at);
  at.delete('DaemonSet', 'demo-fuse');
  await at.restart();
  await at.quiet();
  expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
  expect(copyOf(at)).toBeUndefined();
});
test('a runtime that was never changed costs no request after a restart', async () => {
  const at = await copied();
  at.put(write.openDataset('other'));
  at.put(write.thinRuntime('other', { profileName: 'profile' }));
  await at.quiet();
  at.kill();
  at.forget();
  await at.restart();
  await at.quiet();
  const names = at.server.requestsThat({ kind: 'Secret' }).map(({ name }) => name);
  expect(names.filter((name) => name?.startsWith('other'))).toEqual([]);
});
test('one that a finalizer keeps is named, whether the plan has it or not', async () => {
  const at = await copied();
  const { resourceVersion: _, ...metadata } = copyOf(at)!.metadata;
  at.server.put({ ...copyOf(at)!, metadata: { ...metadata, finalizers: ['example.com/hold'] } });
  at.server.delete('Secret', 'ml', COPY);
  await at.advance(400_000);
  const said = `False Deleting: being deleted, and kept by finalizers: Secret/${COPY} (example.com/hold)`;
  expect(at.conditions('ThinRuntime')['Synced']).toBe(said);
  forbid(at);
  await at.advance(60_000);
  expect(at.conditions('ThinRuntime')['Synced']).toBe(said);
  at.server.put({ ...copyOf(at)!, metadata: { ...metadata, finalizers: [] } });
  await at.advance(20_000);
  expect(copyOf(at)).toBeUndefined();
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
});
