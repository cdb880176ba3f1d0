import { describe, expect, test, vi } from 'vitest';
import { annotation, type Identity } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { identityRecord } from '../../src/planning/identity.ts';
import { datasetObject, openDataset, reader, thinProfile, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness, harness } from './harness.ts';

const labels = (at: Harness): Readonly<Record<string, string>> => at.get('Node', 'node-1')?.metadata.labels ?? {};
/** As the node plugin does where a pod uses the dataset. */
function label(at: Harness, key: string): void {
  const node = at.get('Node', 'node-1')!;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, [key]: 'true' } } });
}
const find = (at: Harness, kind: string, namespace: string, name: string): KubeObject | undefined => at.server.get(kind, namespace, name);
function change(at: Harness, object: KubeObject | undefined, metadata: object): void {
  const { resourceVersion: _, ...kept } = object!.metadata;
  at.server.put({ ...object!, metadata: { ...kept, ...metadata } });
}
const FINALIZER = 'thin-runtime-controller-finalizer';

/** Creates two Datasets of one joined name, the older one first. */
async function putNamesakes(at: Harness, afterEach: () => Promise<unknown> = async () => {}): Promise<void> {
  for (const [namespace, name, creationTimestamp] of [
    ['a-b', 'c', '2024-01-01T00:00:00Z'],
    ['a', 'b-c', '2024-01-02T00:00:00Z'],
  ] as const) {
    at.server.put({ ...openDataset(name), metadata: { namespace, name, creationTimestamp } });
    at.server.put({ ...thinRuntime(name, { profileName: 'profile' }), metadata: { namespace, name, creationTimestamp } });
    await afterEach();
  }
}
/** The first holds the joined name `a-b-c`, the second goes by its UID. */
async function namesakes() {
  const at = await harness();
  await putNamesakes(at, () => at.quiet());
  const second = find(at, 'Dataset', 'a', 'b-c')?.metadata.uid ?? '';
  return {
    at,
    second,
    volumes: () =>
      at.server
        .all('PersistentVolume')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
  };
}
/** As `kubectl delete dataset --cascade=orphan` and the garbage collector do together. */
async function orphan(at: Harness, namespace: string, name: string): Promise<void> {
  const runtime = find(at, 'ThinRuntime', namespace, name);
  change(at, runtime, { ownerReferences: [] });
  const dataset = find(at, 'Dataset', namespace, name);
  change(at, dataset, { finalizers: [...(dataset?.metadata.finalizers ?? []), 'orphan'] });
  at.server.delete('Dataset', namespace, name);
  await at.settle();
  const left = find(at, 'Dataset', namespace, name);
  if (left) change(at, left, { finalizers: left.metadata.finalizers?.filter((each) => each !== 'orphan') });
  await at.quiet();
}

test('a runtime records its names once, with its UID', async () => {
  const { at, second } = await namesakes();
  const recordOf = (namespace: string, name: string) => {
    const { metadata } = find(at, 'ThinRuntime', namespace, name)!;
    return [metadata.uid, JSON.parse(metadata.annotations?.[annotation.identity] ?? '')];
  };
  const [uid, record] = recordOf('a', 'b-c');
  expect(record).toEqual({ for: uid, dataset: second, names: 'uid' });
  expect(recordOf('a-b', 'c')[1]).toMatchObject({ names: 'joined' });
  at.forget();
  await at.restart();
  await at.quiet();
  expect(at.written()).toEqual([]);
});

describe('a runtime that is deleted', () => {
  test('takes nothing from the one of its name that serves', async () => {
    const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
    label(at, 'fluid.io/f-ml-demo');
    at.put(reader('app', 'demo'));
    const { uid } = at.get('Dataset')!.metadata;
    const owner = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', name: 'demo', uid };
    // As Fluid leaves them: both are marked.
    at.put({
      ...datasetObject('demo', {}),
      kind: 'JuiceFSRuntime',
      metadata: {
        name: 'demo',
        labels: { 'fluid.io/dataset-id': 'ml-demo' },
        finalizers: ['juicefs-runtime-controller-finalizer'],
        ownerReferences: [owner],
      } as KubeObject['metadata'],
    });
    await at.quiet();
    expect(at.conditions('JuiceFSRuntime')).toHaveProperty('DatasetTaken');
    at.forget();
    at.delete('JuiceFSRuntime');
    await at.quiet();
    expect(at.get('JuiceFSRuntime')).toBeUndefined();
    expect(labels(at)).toHaveProperty('fluid.io/f-ml-demo');
    expect(at.written({ verb: 'delete' })).toEqual([]);
    expect(at.dataset().phase).toBe('Bound');
  });

  test('takes nothing from another tenant, though its own Dataset is gone and it went by its UID', async () => {
    const { at, second, volumes } = await namesakes();
    label(at, 'fluid.io/f-a-b-c');
    label(at, `fluid.io/f-${second}`);
    await orphan(at, 'a', 'b-c');
    expect(find(at, 'Dataset', 'a', 'b-c')).toBeUndefined();
    at.server.delete('ThinRuntime', 'a', 'b-c');
    await at.quiet();
    expect(find(at, 'ThinRuntime', 'a', 'b-c')).toBeUndefined();
    expect(labels(at)).toHaveProperty('fluid.io/f-a-b-c');
    expect(labels(at)).not.toHaveProperty([`fluid.io/f-${second}`]);
    expect(volumes()).toEqual(['a-b-c']);
  });

  test.each<[string, (victim: Identity, uid: string) => object]>([
    ['a record', (victim, uid) => ({ annotations: { [annotation.identity]: identityRecord(uid, { ...victim, collides: true }) } })],
    ['a label', (victim) => ({ labels: { 'fluid.io/dataset-id': victim.uid } })],
  ])('takes nothing from the runtime that has the UID that %s of it names', async (_, forged) => {
    const { at, second } = await namesakes();
    label(at, `fluid.io/f-${second}`);
    const metadata = { namespace: 'evil', name: 'x', finalizers: [FINALIZER] };
    const { uid = '' } = at.server.put({ ...thinRuntime('x', { profileName: 'profile' }), metadata }).metadata;
    change(at, find(at, 'ThinRuntime', 'evil', 'x'), forged({ namespace: 'a', name: 'b-c', uid: second, collides: true }, uid));
    await at.quiet();
    at.server.delete('ThinRuntime', 'evil', 'x');
    await at.quiet();
    expect(find(at, 'ThinRuntime', 'evil', 'x')).toBeUndefined();
    expect(labels(at)).toHaveProperty([`fluid.io/f-${second}`]);
  });

  test('takes nothing that it would have been called, from who is called so', async () => {
    const { at } = await namesakes();
    label(at, 'fluid.io/f-a-b-c');
    await orphan(at, 'a-b', 'c');
    // Never served, and marked by its user.
    at.server.delete('Dataset', 'a', 'b-c');
    await at.quiet();
    at.server.put({
      ...thinRuntime('b-c', { profileName: 'profile' }),
      metadata: { namespace: 'a', name: 'b-c', finalizers: [FINALIZER] },
    });
    await at.quiet();
    at.server.delete('ThinRuntime', 'a', 'b-c');
    await at.quiet();
    expect(find(at, 'ThinRuntime', 'a', 'b-c')).toBeUndefined();
    expect(labels(at)).toHaveProperty('fluid.io/f-a-b-c');
  });

  test('takes its own with it', async () => {
    const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
    label(at, 'fluid.io/f-ml-demo');
    at.delete('ThinRuntime');
    await at.quiet();
    expect(labels(at)).not.toHaveProperty('fluid.io/f-ml-demo');
  });
});

describe('the names of what is bound', () => {
  const stripped = { labels: {}, annotations: {} };
  test.each<[string, readonly string[]]>([
    ['Dataset', ['Dataset']],
    ['Runtime', ['ThinRuntime']],
    ['Dataset and the Runtime', ['ThinRuntime', 'Dataset']],
  ])('stay when `kubectl replace` strips the metadata of the %s, and the runtime that had the joined name is gone', async (_, kinds) => {
    const { at, second, volumes } = await namesakes();
    at.server.delete('Dataset', 'a-b', 'c');
    await at.quiet();
    expect(volumes()).toEqual([second]);
    for (const kind of kinds) change(at, find(at, kind, 'a', 'b-c'), stripped);
    await at.quiet();
    expect(volumes()).toEqual([second]);
    expect(find(at, 'Dataset', 'a', 'b-c')?.metadata.labels).toMatchObject({ 'fluid.io/dataset-id': second });
    expect(find(at, 'ThinRuntime', 'a', 'b-c')?.metadata.annotations?.[annotation.identity]).toContain('"uid"');
  });

  test('are not taken by a tenant who writes them on its own objects', async () => {
    const { at, second, volumes } = await namesakes();
    const runtime = find(at, 'ThinRuntime', 'a', 'b-c')!;
    const record = identityRecord(runtime.metadata.uid ?? '', { namespace: 'a', name: 'b-c', uid: second, collides: false });
    change(at, runtime, { labels: { 'fluid.io/dataset-id': 'a-b-c' }, annotations: { [annotation.identity]: record } });
    change(at, find(at, 'Dataset', 'a', 'b-c'), { labels: { 'fluid.io/dataset-id': 'a-b-c' } });
    await at.quiet();
    expect(volumes()).toEqual(['a-b-c', second].toSorted());
    expect(find(at, 'DaemonSet', 'a-b', 'c-fuse')?.['spec']).toMatchObject({
      template: { spec: { nodeSelector: { 'fluid.io/f-a-b-c': 'true' } } },
    });
    expect(JSON.stringify(find(at, 'DaemonSet', 'a', 'b-c-fuse')?.['spec'])).not.toContain('fluid.io/f-a-b-c');
  });
});

test('a namespace whose webhook answers after ten seconds keeps no dataset of another waiting', async () => {
  const at = await harness({ nodes: 2 });
  at.put(thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } }));
  at.server.rules.delay({ verb: ['create', 'apply', 'patch'], namespace: 'slow' }, 10_000);
  for (let i = 0; i < 60; i++) {
    at.server.put({ ...openDataset(`d${i}`), metadata: { namespace: 'slow', name: `d${i}` } });
    at.server.put({ ...thinRuntime(`d${i}`, { profileName: 'profile' }), metadata: { namespace: 'slow', name: `d${i}` } });
  }
  at.start();
  await at.advance(1_000);
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.advance(10_000);
  expect(at.dataset().phase).toBe('Bound');
});

test.each([-1000, 0])('two Datasets that want the same names at once are both bound; their creations are %d ms apart', async (ms) => {
  const at = await harness();
  const create = (namespace: string, name: string) => {
    at.server.put({ ...openDataset(name), metadata: { namespace, name } });
    at.server.put({ ...thinRuntime(name, { profileName: 'profile' }), metadata: { namespace, name } });
  };
  // Each decides before the other has recorded its decision, and the first before it sees the second.
  const marks = at.server.rules.hold({ verb: 'patch', kind: 'Dataset' });
  at.start();
  create('a', 'b-c');
  await at.settle();
  // An API server whose clock is behind.
  vi.setSystemTime(Date.now() + ms);
  create('a-b', 'c');
  await at.settle();
  marks.release();
  await at.quiet();
  const volumes = [find(at, 'PersistentVolumeClaim', 'a', 'b-c'), find(at, 'PersistentVolumeClaim', 'a-b', 'c')].map((claim) => ({
    phase: (claim?.status as { phase?: string } | undefined)?.phase,
    volume: (claim?.['spec'] as { volumeName?: string } | undefined)?.volumeName,
  }));
  expect(volumes.map(({ phase }) => phase)).toEqual(['Bound', 'Bound']);
  expect(volumes.filter(({ volume }) => volume === 'a-b-c')).toHaveLength(1);
  const phases = [find(at, 'Dataset', 'a', 'b-c'), find(at, 'Dataset', 'a-b', 'c')].map(
    (each) => (each?.status as { phase?: string } | undefined)?.phase,
  );
  expect(phases).toEqual(['Bound', 'Bound']);
});

test.each(['record', 'label'])('a text in the %s of a runtime that is no UID takes no labels of the Dataset that it names', async (how) => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  label(at, 'fluid.io/f-ml-demo');
  await at.quiet();
  const put = at.server.put({
    ...thinRuntime('x', { profileName: 'profile' }),
    metadata: { namespace: 'default', name: 'x', finalizers: [FINALIZER] },
  });
  change(
    at,
    put,
    how === 'record'
      ? { annotations: { [annotation.identity]: JSON.stringify({ for: put.metadata.uid, dataset: 'ml-demo', names: 'uid' }) } }
      : {
          labels: { 'fluid.io/dataset-id': 'ml-demo' },
          ownerReferences: [{ apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', name: 'x', uid: 'ml-demo' }],
        },
  );
  await at.quiet();
  at.server.delete('ThinRuntime', 'default', 'x');
  await at.quiet();
  expect(find(at, 'ThinRuntime', 'default', 'x')).toBeUndefined();
  expect(labels(at)).toHaveProperty('fluid.io/f-ml-demo');
});

test('a UID in the record of a runtime takes no labels of a Dataset whose joined name it is', async () => {
  const at = await harness();
  const [namespace, name] = ['0c0ffee0-0000-4000-8000', 'abcdef012345'];
  const uid = `${namespace}-${name}`;
  at.server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  at.server.put({ ...openDataset(name), metadata: { namespace, name } });
  at.server.put({ ...thinRuntime(name, { profileName: 'profile' }), metadata: { namespace, name } });
  await at.quiet();
  label(at, `fluid.io/f-${uid}`);
  const metadata = { namespace: 'default', name: 'x', finalizers: [FINALIZER] };
  const put = at.server.put({ ...thinRuntime('x', { profileName: 'profile' }), metadata });
  change(at, put, { annotations: { [annotation.identity]: JSON.stringify({ for: put.metadata.uid, dataset: uid, names: 'uid' }) } });
  await at.quiet();
  at.server.delete('ThinRuntime', 'default', 'x');
  await at.quiet();
  expect(labels(at)).toHaveProperty(`fluid.io/f-${uid}`);
});

test('a record that claims a name which an older Dataset would have had delays neither', async () => {
  const at = await harness();
  await putNamesakes(at);
  const { uid = '' } = find(at, 'Dataset', 'a', 'b-c')!.metadata;
  const forger = find(at, 'ThinRuntime', 'a', 'b-c')!;
  const record = identityRecord(forger.metadata.uid ?? '', { namespace: 'a', name: 'b-c', uid, collides: false });
  change(at, forger, { annotations: { [annotation.identity]: record } });
  await at.quiet();
  const phases = ['a-b/c', 'a/b-c'].map((each) => find(at, 'Dataset', ...(each.split('/') as [string, string]))?.['status']);
  expect(phases).toMatchObject([{ phase: 'Bound' }, { phase: 'Bound' }]);
  expect(new Set(at.server.all('PersistentVolume').map(({ metadata }) => metadata.name)).size).toBe(2);
});

test('a volume for a claim of another namespace is no concern of the runtime that its label names', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  const conditions = () =>
    [at.get('Dataset', 'demo'), at.get('ThinRuntime', 'demo')].map(
      (each) => (each?.['status'] as { conditions?: unknown } | undefined)?.conditions,
    );
  const before = conditions();
  // Whoever may create volumes may write this, and keep it with a finalizer of its own.
  const { metadata, ...volume } = at.server.all('PersistentVolume')[0]!;
  const claimRef = { namespace: 'other', name: 'spy' };
  at.server.put({
    ...volume,
    metadata: { name: 'spy', labels: { ...metadata.labels }, finalizers: ['example.com/stays'] },
    spec: { ...(volume['spec'] as object), claimRef },
  } as KubeObject);
  await at.quiet();
  expect(conditions()).toEqual(before);
  expect(at.server.get('PersistentVolume', undefined, 'spy')?.metadata.deletionTimestamp).toBeUndefined();
});

test('labels by the UID of a Dataset go when its runtime serves another Dataset of that name', async () => {
  const { at, second } = await namesakes();
  const runtime = find(at, 'ThinRuntime', 'a', 'b-c')!;
  const { resourceVersion: _, ...metadata } = runtime.metadata;
  at.server.put({ ...runtime, metadata, spec: { profileName: 'workers', worker: { enabled: true }, replicas: 1 } } as KubeObject);
  at.put(thinProfile('workers', { fileSystemType: 'fuse', fuse: { image: 'f', imageTag: '1' }, worker: { image: 'w', imageTag: '1' } }));
  await at.quiet();
  const carried = () => Object.keys(labels(at)).filter((key) => key.includes(second));
  expect(carried()).not.toEqual([]);
  await orphan(at, 'a', 'b-c');
  at.server.put({ ...openDataset('b-c'), metadata: { namespace: 'a', name: 'b-c' } });
  await at.quiet();
  await at.advance(5_000);
  expect(find(at, 'Dataset', 'a', 'b-c')?.metadata.uid).not.toBe(second);
  expect(carried()).toEqual([]);
});
