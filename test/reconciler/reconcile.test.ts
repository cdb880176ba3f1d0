import { NoAnswer } from '../../src/kube/errors.ts';
import { describe, expect, test } from 'vitest';
import { InvalidSpec } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Cluster } from '../../src/reconciler/cluster.ts';
import { reconcile } from '../../src/reconciler/reconcile.ts';
import * as write from '../support/objects.ts';
import { boundScene, demo, exampleRuntime, openDataset, scene, thinRuntime } from './scene.ts';

const setUp = [
  'create DaemonSet/demo-fuse',
  'create ConfigMap/demo-fuse-conf',
  'create PersistentVolume/ml-demo',
  'create PersistentVolumeClaim/demo',
];

describe('set-up', () => {
  test.each([
    ['the Dataset comes first', [openDataset(), thinRuntime()]],
    ['the runtime comes first', [thinRuntime(), openDataset()]],
  ])('binds when %s', async (_, objects) => {
    const { put, converge, dataset, written } = scene();
    for (const object of objects) {
      put(object);
      await converge();
    }
    expect(dataset()).toMatchObject({
      phase: 'Bound',
      runtimes: [{ name: 'demo', namespace: 'ml', type: 'thin', category: 'Accelerate' }],
    });
    expect(written('create').toSorted()).toEqual(setUp.toSorted());
  });

  test('marks both objects before it makes anything', async () => {
    const { put, written, cluster } = scene();
    put(openDataset());
    put(thinRuntime());
    await reconcile(cluster, demo);
    expect(written().slice(0, 2)).toEqual(['mark ThinRuntime/demo', 'mark Dataset/demo']);
  });

  test('makes the claim only when its volume is there', async () => {
    const { put, get, cluster } = scene();
    put(openDataset());
    put(thinRuntime());
    await reconcile(cluster, demo);
    expect(get('PersistentVolume', 'ml-demo')).toBeDefined();
    expect(get('PersistentVolumeClaim')).toBeUndefined();
  });

  test('waits for masters and mounts before it makes workers', async () => {
    const { put, converge, cluster, get, dataset } = scene();
    cluster.objects.unready.add('ml/demo-master');
    put(openDataset());
    put(exampleRuntime());
    await converge();
    expect(get('StatefulSet', 'demo-worker')).toBeUndefined();
    cluster.objects.unready.clear();
    cluster.commandFails = () => true;
    await reconcile(cluster, demo);
    while (cluster.step());
    await reconcile(cluster, demo);
    expect(get('StatefulSet', 'demo-worker')).toBeUndefined();
    cluster.commandFails = () => false;
    await converge();
    expect(dataset().phase).toBe('Bound');
  });

  test('writes nothing for a hold that passes within a second', async () => {
    const { put, cluster, written } = scene();
    put(openDataset());
    put(thinRuntime());
    expect(await reconcile(cluster, demo, 600)).toEqual({ after: 600 });
    expect(written('status')).toEqual([]);
  });

  test('tells a hold that has lasted a second, and looks no more until something happens', async () => {
    const { put, cluster, conditions } = scene();
    put(openDataset());
    put(thinRuntime());
    expect(await reconcile(cluster, demo, 0)).toBe('on-change');
    expect(conditions('Dataset')['NotReady']).toBe('True VolumePending: volume is not there yet');
  });

  test('a second pass over a bound dataset writes nothing', async () => {
    const { cluster, written } = await boundScene();
    expect(await reconcile(cluster, demo)).toBe('on-change');
    expect(written()).toEqual([]);
  });

  test('a pass over nothing does nothing', async () => {
    const { cluster, written } = scene();
    expect(await reconcile(cluster, demo)).toBe('on-change');
    expect(written()).toEqual([]);
  });

  test('tells a Dataset without a runtime, and a runtime without a Dataset', async () => {
    const lonely = scene();
    lonely.put(openDataset());
    await lonely.converge();
    expect(lonely.conditions('Dataset')['NotReady']).toBe('True RuntimeNotFound: no runtime is called demo in namespace ml');
    const single = scene();
    single.put(thinRuntime());
    await single.converge();
    expect(single.conditions('ThinRuntime')['Synced']).toBe('False DatasetNotFound: No dataset can be bound to the runtime, waiting.');
    expect(single.get('ThinRuntime')?.metadata.finalizers).toBeUndefined();
  });
});

describe('secrets', () => {
  const secretive = (): KubeObject =>
    write.datasetObject('demo', {
      mounts: [
        { mountPoint: 's3://b', name: 'b', encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
      ],
    });
  test('are waited for, and nothing is made before they are there', async () => {
    const { put, converge, conditions, written, cluster } = scene();
    put(secretive());
    put(thinRuntime());
    await converge();
    expect(conditions('Dataset')['NotReady']).toBe('True DatasetFailedToSetup: waiting for Secret keys');
    expect(written('create')).toEqual([]);
    expect(await reconcile(cluster, demo)).toEqual({ after: 500 });
  });
  test('bind the dataset when they come', async () => {
    const { put, converge, conditions, dataset } = scene();
    put(secretive());
    put(thinRuntime());
    await converge();
    put(write.secret('keys', { k: 'v' }));
    await converge();
    expect(dataset().phase).toBe('Bound');
    expect(conditions('Dataset')).toEqual({
      NotReady: 'False DatasetReady: The ddc runtime is ready.',
      Ready: 'True DatasetReady: The ddc runtime is ready.',
    });
  });
  test('that go once the dataset is bound do not unbind it', async () => {
    const { put, converge, delete: remove, dataset } = scene();
    put(secretive());
    put(thinRuntime());
    put(write.secret('keys', { k: 'v' }));
    await converge();
    remove('Secret', 'keys');
    await converge();
    expect(dataset().phase).toBe('Bound');
  });
});

describe('an invalid spec', () => {
  const invalid = () => write.thinRuntime('demo', { profileName: 'profile', fuse: { resources: { requests: { memory: 'much' } } } });

  test('is told once, on both objects, and only an edit is waited for', async () => {
    const { put, cluster, conditions, written } = scene();
    put(openDataset());
    put(invalid());
    expect(await reconcile(cluster, demo)).toBe('on-change');
    expect(conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec: .*memory.*"much"/);
    expect(conditions('Dataset')['NotReady']).toMatch(/^True DatasetFailedToSetup: .*memory/);
    const told = written().length;
    await reconcile(cluster, demo);
    expect(written()).toHaveLength(told);
    expect(cluster.notices).toHaveLength(2);
  });
  test('of a shape that the CRD would not let through, stored under another CRD, is told and harms nothing that is there', async () => {
    const { cluster, conditions, converge, get } = await boundScene();
    const faulty = new InvalidSpec({ path: 'spec.fuse.args', expected: 'a list', found: '"-f"' });
    const invalid: Cluster = {
      ...cluster,
      scene: (key) => {
        const { runtimes, ...rest } = cluster.scene(key);
        return { ...rest, runtimes: runtimes.map((candidate) => ({ ...candidate, invalid: faulty })) };
      },
    };
    await reconcile(invalid, demo);
    expect(conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec: spec\.fuse\.args: expected a list, found "-f"/);
    expect(get('DaemonSet', 'demo-fuse')).toBeDefined();
    await converge();
    expect(conditions('ThinRuntime')['Synced']).toMatch(/^True/);
  });
  test('leaves what is bound as it is', async () => {
    const { edit, converge, dataset, written, conditions } = await boundScene();
    edit('ThinRuntime', { fuse: { resources: { requests: { memory: 'much' } } } });
    await converge();
    expect(dataset().phase).toBe('Bound');
    expect(conditions('Dataset')['Ready']).toMatch(/^True/);
    expect(written('create', 'apply', 'delete')).toEqual([]);
  });
  test('is forgiven when it is edited', async () => {
    const { edit, put, converge, dataset, conditions } = scene();
    put(openDataset());
    put(invalid());
    await converge();
    edit('ThinRuntime', { fuse: {} });
    await converge();
    expect(dataset().phase).toBe('Bound');
    expect(conditions('ThinRuntime')['Synced']).toBe('True Synced: Every object is as the spec says.');
  });
  test('does not keep the runtime from being deleted', async () => {
    const { edit, converge, get, delete: remove } = await boundScene();
    edit('ThinRuntime', { fuse: { resources: { requests: { memory: 'much' } } } });
    await converge();
    remove('ThinRuntime');
    await converge();
    expect(get('ThinRuntime')).toBeUndefined();
    expect(get('PersistentVolume', 'ml-demo')).toBeUndefined();
  });
});

describe('two runtimes of one name', () => {
  test('the older serves the dataset, the other is told', async () => {
    const { put, converge, conditions, get, dataset, cluster } = scene();
    put(openDataset());
    put(exampleRuntime());
    cluster.objects.now += 5000;
    put(thinRuntime());
    await converge();
    expect(dataset().runtimes?.[0]?.type).toBe('example');
    expect(conditions('ThinRuntime')).toEqual({ DatasetTaken: 'True DatasetTaken: ExampleRuntime demo serves the dataset' });
    expect(get('ThinRuntime')?.metadata.finalizers).toBeUndefined();
  });
  test('the one that serves already keeps the dataset from an older one', async () => {
    const { put, converge, dataset } = await boundScene();
    put({ ...exampleRuntime(), metadata: { name: 'demo', creationTimestamp: '2020-01-01T00:00:00Z' } });
    await converge();
    expect(dataset().runtimes?.[0]?.type).toBe('thin');
  });
  test('the other takes over when the first is deleted, and no longer says that it is not served', async () => {
    const { put, converge, dataset, delete: remove, conditions, get } = await boundScene();
    put(exampleRuntime());
    await converge();
    expect(conditions('ExampleRuntime')['DatasetTaken']).toBeDefined();
    remove('ThinRuntime');
    await converge();
    expect(dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ type: 'example' }] });
    expect(conditions('ExampleRuntime')['DatasetTaken']).toBeUndefined();
    expect(get('ThinRuntime')).toBeUndefined();
  });
});

describe('drift', () => {
  test.each([
    ['DaemonSet', 'demo-fuse'],
    ['ConfigMap', 'demo-fuse-conf'],
    ['PersistentVolumeClaim', 'demo'],
  ])('a deleted %s is made again', async (kind, name) => {
    const { delete: remove, converge, get, written, dataset } = await boundScene();
    const { uid } = get(kind, name)!.metadata;
    remove(kind, name);
    await converge();
    expect(get(kind, name)?.metadata.uid).not.toBe(uid);
    expect(written('create')).toEqual([`create ${kind}/${name}`]);
    expect(dataset().phase).toBe('Bound');
  });
  test('a lost claim finds its volume again', async () => {
    const { delete: remove, converge, get, written } = await boundScene();
    remove('PersistentVolumeClaim');
    await converge();
    expect(written('release')).toEqual(['release PersistentVolume/ml-demo']);
    expect(get('PersistentVolumeClaim')?.status).toEqual({ phase: 'Bound' });
  });
  test('claim and volume, both deleted, are made again', async () => {
    const { delete: remove, converge, get } = await boundScene();
    remove('PersistentVolumeClaim');
    remove('PersistentVolume', 'ml-demo');
    await converge();
    expect(get('PersistentVolumeClaim')?.status).toEqual({ phase: 'Bound' });
  });
  test('a volume that was taken from under its claim is made again, and bound to it', async () => {
    const { get, put, delete: remove, converge, cluster } = await boundScene();
    const { uid } = get('PersistentVolumeClaim')!.metadata;
    const before = get('PersistentVolume', 'ml-demo')!;
    put({ ...before, metadata: { ...before.metadata, finalizers: [] } });
    remove('PersistentVolume', 'ml-demo');
    while (cluster.step());
    expect(get('PersistentVolumeClaim')?.status).toEqual({ phase: 'Lost' });
    await converge();
    expect(get('PersistentVolumeClaim')).toMatchObject({ metadata: { uid }, status: { phase: 'Bound' } });
  });
  test('an edited field is set back', async () => {
    const { get, put, converge, written } = await boundScene();
    const config = get('ConfigMap', 'demo-fuse-conf')!;
    put({ ...config, data: { 'config.json': 'edited' } });
    await converge();
    expect(written()).toEqual(['apply ConfigMap/demo-fuse-conf']);
    expect(get('ConfigMap', 'demo-fuse-conf')?.['data']).toEqual(config['data']);
  });
  test('what is no longer wanted is pruned', async () => {
    const { get, put, converge, written } = await boundScene();
    put({ ...get('ConfigMap', 'demo-fuse-conf')!, metadata: { ...get('ConfigMap', 'demo-fuse-conf')!.metadata, name: 'demo-old' } });
    await converge();
    expect(written()).toEqual(['delete ConfigMap/demo-old']);
  });
  test('a workload that is gone is told', async () => {
    const { cluster, delete: remove, dataset, conditions, converge } = await boundScene(exampleRuntime());
    cluster.refuse = ({ kind, metadata }) => (kind === 'StatefulSet' && metadata.name === 'demo-worker' ? 'ApplyFailed' : undefined);
    remove('StatefulSet', 'demo-worker');
    await converge();
    expect(dataset().phase).toBe('Failed');
    expect(conditions('Dataset')['Ready']).toBe('False DatasetFailed: StatefulSet/demo-worker: refused');
    expect(conditions('ExampleRuntime')['WorkersReady']).toBe('False Workers are ready: The workers are gone.');
    cluster.refuse = () => undefined;
    await converge();
    expect(dataset().phase).toBe('Bound');
  });
});

describe('an object that is refused', () => {
  test('stops no other, but the promise of a claim', async () => {
    const { put, converge, cluster, get, dataset, conditions } = scene();
    cluster.refuse = ({ kind }) => (kind === 'ConfigMap' ? 'NameTaken' : undefined);
    put(openDataset());
    put(thinRuntime());
    await converge();
    expect(get('DaemonSet', 'demo-fuse')).toBeDefined();
    expect(get('PersistentVolume', 'ml-demo')).toBeDefined();
    expect(get('PersistentVolumeClaim')).toBeUndefined();
    expect(dataset().phase).toBe('NotBound');
    expect(conditions('Dataset')).toEqual({ NotReady: 'True DatasetFailedToSetup: ConfigMap/demo-fuse-conf: refused' });
    expect(conditions('ThinRuntime')['Synced']).toBe('False NameTaken: ConfigMap/demo-fuse-conf: refused');
  });
  test('fails the pass, so that it is tried again', async () => {
    const { put, cluster } = scene();
    cluster.refuse = ({ kind }) => (kind === 'ConfigMap' ? 'ApplyFailed' : undefined);
    put(openDataset());
    put(thinRuntime());
    await expect(reconcile(cluster, demo)).rejects.toThrow('ConfigMap/demo-fuse-conf: refused');
  });
  test('is not told when it was but a race that is a moment old', async () => {
    const { put, cluster, written } = scene();
    cluster.refuse = ({ kind }) => (kind === 'ConfigMap' ? 'Conflict' : undefined);
    put(openDataset());
    put(thinRuntime());
    await expect(reconcile(cluster, demo, 1000)).rejects.toThrow('refused');
    expect(written('status')).toEqual([]);
  });
  test('keeps everything from being pruned', async () => {
    const { get, put, cluster, written } = await boundScene();
    const config = get('ConfigMap', 'demo-fuse-conf')!;
    put({ ...config, metadata: { ...config.metadata, name: 'demo-old' } });
    put({ ...config, data: {} });
    cluster.refuse = ({ kind }) => (kind === 'ConfigMap' ? 'ApplyFailed' : undefined);
    await expect(reconcile(cluster, demo)).rejects.toThrow('refused');
    expect(written('delete')).toEqual([]);
  });
});

describe('edits of a bound dataset', () => {
  test('more workers are a condition and an event, once', async () => {
    const { edit, converge, conditions, cluster, runtime } = await boundScene(exampleRuntime());
    edit('ExampleRuntime', { replicas: 3 });
    await converge();
    expect(conditions('ExampleRuntime')['WorkersScaledOut']).toBe(
      'True Workers scaled out: Workers scaled out from 1 replicas to 3 replicas.',
    );
    expect(cluster.notices.map(({ reason, note }) => `${reason}: ${note}`)).toEqual(['Succeed: Runtime scaled out from 1 to 3 workers']);
    expect(runtime('ExampleRuntime')).toMatchObject({ desiredWorkerNumberScheduled: 3, workerNumberReady: 3, workerPhase: 'Ready' });
  });
  test('a mount is added by a command, and the dataset says Updating until it is there', async () => {
    const { edit, converge, cluster, dataset } = await boundScene(exampleRuntime());
    edit('Dataset', {
      mounts: [
        { mountPoint: 's3://bucket', name: 'data' },
        { mountPoint: 's3://more', name: 'more' },
      ],
    });
    await reconcile(cluster, demo);
    expect(dataset()).toMatchObject({ phase: 'Updating', mounts: [{ name: 'data' }] });
    await converge();
    expect(dataset()).toMatchObject({ phase: 'Bound', mounts: [{ name: 'data' }, { name: 'more' }] });
  });
  test('what cannot change is told with what is and what should be', async () => {
    const { edit, converge, conditions, dataset } = await boundScene();
    edit('Dataset', { accessModes: ['ReadWriteMany'] });
    await converge();
    expect(conditions('ThinRuntime')['ImmutableFieldChanged']).toContain(
      'PersistentVolumeClaim/demo spec.accessModes[0]: "ReadOnlyMany" → "ReadWriteMany"',
    );
    expect(dataset().phase).toBe('Bound');
  });
});

describe('deletion', () => {
  const left = (objects: readonly KubeObject[]) =>
    objects.filter(({ kind }) => kind !== 'ThinRuntimeProfile').map(({ kind, metadata }) => `${kind}/${metadata.name}`);

  test.each([
    ['the Dataset', ['Dataset']],
    ['the runtime, then the Dataset', ['ExampleRuntime', 'Dataset']],
    ['the Dataset, then the runtime', ['Dataset', 'ExampleRuntime']],
  ])('of %s leaves nothing behind', async (_, kinds) => {
    const { delete: remove, converge, cluster } = await boundScene(exampleRuntime());
    for (const kind of kinds) remove(kind);
    await converge();
    expect(left(cluster.objects.all())).toEqual([]);
    expect([...cluster.nodeLabels.values()].flatMap(Object.keys)).toEqual([]);
  });
  test('of the Dataset first still cleans the cache', async () => {
    const { delete: remove, converge, written } = await boundScene(exampleRuntime());
    remove('Dataset');
    await converge();
    expect(written('clean')).toEqual(['clean demo']);
  });
  test('of the runtime alone leaves a Dataset that can be bound again', async () => {
    const { delete: remove, converge, put, cluster, dataset } = await boundScene(exampleRuntime());
    remove('ExampleRuntime');
    await converge();
    expect(left(cluster.objects.all())).toEqual(['Dataset/demo']);
    expect(dataset()).toMatchObject({ phase: 'NotBound', runtimes: [], cacheStates: {} });
    put(thinRuntime());
    await converge();
    expect(dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ type: 'thin' }] });
  });
  test('takes the claim first, then the volume, then the workloads', async () => {
    const { delete: remove, converge, written } = await boundScene(exampleRuntime());
    remove('ExampleRuntime');
    await converge();
    const deleted = written('delete');
    expect(deleted.slice(0, 2)).toEqual(['delete PersistentVolumeClaim/demo', 'delete PersistentVolume/ml-demo']);
    expect(deleted.slice(2).toSorted()).toEqual([
      'delete DaemonSet/demo-fuse',
      'delete Service/demo-master',
      'delete StatefulSet/demo-master',
      'delete StatefulSet/demo-worker',
    ]);
    expect(written('delete', 'unlabel', 'unmark').at(-1)).toBe('unmark ExampleRuntime/demo');
  });
  test.each(['Dataset', 'ThinRuntime'])('of the %s is refused while a pod mounts it, and goes on when the pod is gone', async (kind) => {
    const { delete: remove, converge, put, get, cluster, conditions } = await boundScene();
    put(write.reader('reader', 'demo'));
    remove(kind);
    await converge();
    expect(get(kind)?.metadata.deletionTimestamp).toBeDefined();
    expect(get('PersistentVolumeClaim')?.metadata.deletionTimestamp).toBeUndefined();
    expect(cluster.notices.map(({ reason, note }) => `${reason}: ${note}`)).toContain(
      `ErrorDelete${kind === 'Dataset' ? 'Dataset' : 'Runtime'}: waiting for pods that mount the dataset: reader`,
    );
    if (kind === 'ThinRuntime') expect(conditions('ThinRuntime')['Synced']).toMatch(/^False StillMounted/);
    remove('Pod', 'reader');
    await converge();
    expect(get(kind)).toBeUndefined();
  });
  test('ends although the cache cannot be cleaned', async () => {
    const { delete: remove, converge, written, cluster, get } = await boundScene(exampleRuntime());
    cluster.commandFails = ({ argv }) => argv[0] === 'rm';
    remove('ExampleRuntime');
    await converge();
    expect(written('clean')).toHaveLength(5);
    expect(get('ExampleRuntime')).toBeUndefined();
  });
  test('of a runtime lets another one of the same name come only when it is gone', async () => {
    const { delete: remove, put, cluster, converge, written, dataset } = await boundScene();
    put(write.reader('reader', 'demo'));
    remove('ThinRuntime');
    put(exampleRuntime());
    await converge();
    expect(written('create')).toEqual([]);
    remove('Pod', 'reader');
    await converge();
    expect(dataset().runtimes?.[0]?.type).toBe('example');
    expect(cluster.objects.get('DaemonSet', 'ml', 'demo-fuse')).toBeDefined();
  });
});

test('a look-up that keeps failing is told on the runtime', async () => {
  const { put, cluster, conditions } = scene();
  put(openDataset());
  put(thinRuntime());
  cluster.observe = () => Promise.reject(new NoAnswer({ method: 'GET', path: '/secrets' }, 'refused', { mayHaveArrived: false }));
  await expect(reconcile(cluster, demo)).rejects.toThrow('refused');
  expect(conditions('ThinRuntime')['Synced']).toBe('False LookupFailed: GET /secrets: refused');
});
