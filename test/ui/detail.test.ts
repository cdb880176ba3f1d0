import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import type { DatasetView, EditPreview, NodeView } from '../../src/ui/wire.ts';
import { ask, own, signIn } from './requests.ts';
import { apiServer, localUi, pair } from './scene.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const LONG_AGO = '2026-01-02T03:04:05Z';
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const crashing = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: LONG_AGO }],
  containerStatuses: [
    { name: 'worker', ready: false, restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m' } } },
  ],
};

/** A Dataset with a worker that crashes, a fuse pod on one of two nodes, and a pod that reads there. */
function scene() {
  const api = apiServer();
  const [dataset, runtime] = pair(
    'ml',
    'demo',
    { phase: 'Bound', conditions: [{ type: 'Ready', status: 'True', reason: 'DatasetReady', lastTransitionTime: LONG_AGO }] },
    { conditions: [{ type: 'Synced', status: 'True', reason: 'Synced', lastTransitionTime: LONG_AGO }] },
  ).map((object) => api.put(object)) as [KubeObject, KubeObject];
  const uid = runtime.metadata.uid ?? '';
  const put = (kind: string, apiVersion: string, name: string, fields: object, metadata: object = {}) =>
    api.put({ kind, apiVersion, metadata: { namespace: 'ml', name, ...metadata }, ...fields } as KubeObject);
  const labelled = (role: string) => ({ app: 'alluxio', release: 'demo', role });
  const owner = (kind: string, name: string, of: string) => ({
    ownerReferences: [
      { apiVersion: kind === 'AlluxioRuntime' ? 'data.fluid.io/v1alpha1' : 'apps/v1', kind, name, uid: of, controller: true },
    ],
  });
  const workload = (kind: string, name: string, role: string, fields: object, status: object) =>
    put(
      kind,
      'apps/v1',
      name,
      {
        spec: {
          selector: { matchLabels: labelled(role) },
          template: { metadata: { labels: labelled(role) }, spec: { containers: [{ name: 'worker', image: 'x' }] } },
          ...fields,
        },
        status,
      },
      { labels: { 'data.fluid.io/owner-uid': uid }, ...owner('AlluxioRuntime', 'demo', uid) },
    );
  const workers = workload('StatefulSet', 'demo-worker', 'worker', { serviceName: 'demo', replicas: 1 }, { replicas: 1, readyReplicas: 0 });
  const fuse = workload('DaemonSet', 'demo-fuse', 'fuse', {}, { desiredNumberScheduled: 1, numberReady: 1 });
  const pod = (name: string, role: string, node: string, status: object, of?: KubeObject, volumes: readonly object[] = []) =>
    put(
      'Pod',
      'v1',
      name,
      { spec: { nodeName: node, containers: [{ name: 'worker', image: 'x' }], volumes }, status },
      {
        labels: { ...labelled(role), 'fluid.io/dataset-id': 'ml-demo' },
        ...(of && owner(of.kind, of.metadata.name, of.metadata.uid ?? '')),
      },
    );
  const worker = pod('demo-worker-0', 'worker', 'node-a', crashing, workers);
  pod('demo-fuse-x', 'fuse', 'node-b', running, fuse);
  put('Pod', 'v1', 'reader', {
    spec: {
      nodeName: 'node-b',
      containers: [{ name: 'c', image: 'x' }],
      volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'demo' } }],
    },
    status: running,
  });
  for (const [name, ready] of [
    ['node-a', 'True'],
    ['node-b', 'False'],
  ] as const)
    api.put({ kind: 'Node', apiVersion: 'v1', metadata: { name }, status: { conditions: [{ type: 'Ready', status: ready }] } });
  const event = {
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting, token=hunter2hunter2',
    count: 7,
    lastTimestamp: LONG_AGO,
  };
  put('Event', 'v1', 'demo-worker-0.1', {
    ...event,
    involvedObject: { kind: 'Pod', namespace: 'ml', name: 'demo-worker-0', uid: worker.metadata.uid },
  });
  put('Event', 'v1', 'other', {
    ...event,
    reason: 'Other',
    involvedObject: { kind: 'Pod', namespace: 'ml', name: 'demo-worker-0', uid: 'another' },
  });
  return { api, dataset };
}

async function viewing(api = scene().api) {
  const ui = await localUi(api);
  ends.push(ui.stop);
  const headers = await signIn(ui.port, ui.token);
  return { api, ui, headers, get: (path: string) => ask(ui.port, path, { headers }) };
}

test('the picture leads from the store by the workers to nodes, clients and readers, and says why a worker fails', async () => {
  const { get } = await viewing();
  const { picture, explanations } = (await get('/api/datasets/ml/demo')).json<DatasetView>();
  expect(Object.fromEntries(picture.parts.map(({ id, ...part }) => [id, part]))).toMatchObject({
    'store/0': { role: 'store', title: 's3://bucket/data', state: 'well' },
    'worker/demo-worker': { role: 'worker', state: 'failing', detail: '0 of 1 ready', why: expect.stringContaining('CrashLoopBackOff') },
    'node/node-b': { role: 'node', state: 'failing', why: 'the node is not ready' },
    'pod/demo-fuse-x': { role: 'fuse', state: 'well' },
    'pod/reader': { role: 'application', state: 'well' },
  });
  const way = ['store/0', 'worker/demo-worker', 'node/node-b', 'pod/demo-fuse-x', 'pod/reader'];
  expect(picture.links).toEqual(way.slice(1).map((to, i) => ({ from: way[i], to })));
  const [, runtime] = explanations;
  expect(runtime).toMatchObject({ object: 'AlluxioRuntime ml/demo', healthy: false });
  expect(runtime?.causes[0]?.toDo).toContain('kubectl logs demo-worker-0 -n ml');
});

test('advice is in Chinese for who asks for that, and in English in any other language', async () => {
  const { get } = await viewing();
  const adviceIn = async (query: string) =>
    (await get(`/api/datasets/ml/demo${query}`)).json<DatasetView>().explanations.flatMap(({ causes }) => causes.map(({ toDo }) => toDo));
  expect((await adviceIn('?language=zh')).some((text) => /[\u4e00-\u9fff]/.test(text))).toBe(true);
  expect(await adviceIn('?language=fr')).toEqual(await adviceIn(''));
  expect((await adviceIn('')).some((text) => /[\u4e00-\u9fff]/.test(text))).toBe(false);
});

test('history has conditions and events of the objects of the Dataset alone, without credentials', async () => {
  const { get } = await viewing();
  const { history } = (await get('/api/datasets/ml/demo')).json<DatasetView>();
  expect(history.filter(({ from }) => from === 'event')).toEqual([
    {
      at: Date.parse(LONG_AGO),
      object: 'Pod ml/demo-worker-0',
      from: 'event',
      severity: 'warning',
      reason: 'BackOff',
      message: 'Back-off restarting, token=[redacted]',
      count: 7,
    },
  ]);
  expect(history.filter(({ from }) => from === 'condition').map(({ reason }) => reason)).toEqual([
    'Ready True: DatasetReady',
    'Synced True: Synced',
  ]);
});

test('manifests have no managedFields, and no values that look secret', async () => {
  const { api, dataset } = scene();
  const [mount] = (dataset['spec'] as { mounts: object[] }).mounts;
  const options = { 'aws.secretKey': 'hunter2', region: 'x' };
  api.put({ ...dataset, spec: { mounts: [{ ...mount, options }] } });
  const { get } = await viewing(api);
  const { manifests } = (await get('/api/datasets/ml/demo')).json<DatasetView>();
  expect(manifests.map(({ title }) => title)).toEqual(['Dataset ml/demo', 'AlluxioRuntime ml/demo']);
  expect(manifests[0]?.yaml).toContain('aws.secretKey: "[redacted]"');
  expect(manifests[0]?.yaml).toContain('region: x');
  expect(JSON.stringify(manifests)).not.toMatch(/hunter2|managedFields/);
});

test('nodes have the caches and clients there, by the workload that owns a pod and not by its labels', async () => {
  const { api, get } = await viewing();
  api.put({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { namespace: 'ml', name: 'forged', labels: { 'fluid.io/dataset-id': 'ml-demo', release: 'demo', role: 'alluxio-fuse' } },
    spec: { nodeName: 'node-a', containers: [{ name: 'c', image: 'x' }] },
    status: running,
  });
  expect((await get('/api/nodes')).json<readonly NodeView[]>()).toEqual([
    {
      name: 'node-a',
      ready: true,
      cordoned: false,
      plugin: false,
      caches: [{ dataset: 'ml/demo', pod: 'demo-worker-0', ready: false }],
      clients: [],
    },
    {
      name: 'node-b',
      ready: false,
      cordoned: false,
      plugin: false,
      caches: [],
      clients: [{ dataset: 'ml/demo', pod: 'demo-fuse-x', ready: true }],
    },
  ]);
});

test('no request reads a Secret, or a ConfigMap without an edit, and none changes anything', async () => {
  const { api, get, ui, headers } = await viewing();
  const before = api.all();
  const { manifests } = (await get('/api/datasets/ml/demo')).json<DatasetView>();
  await get('/api/nodes');
  const kindsRead = () => new Set(api.requests.map(({ kind }) => kind));
  expect(kindsRead()).not.toContain('ConfigMap');
  await ask(ui.port, '/api/preview/ml/demo', { method: 'POST', headers: { ...headers, ...own }, body: manifests[1]?.yaml ?? '' });
  expect(kindsRead()).not.toContain('Secret');
  expect([...kindsRead()]).toEqual(expect.arrayContaining(['ConfigMap', 'Pod', 'Event', 'Node', 'DaemonSet']));
  expect(api.all()).toEqual(before);
});

test('a preview of an edit has the difference of each object, or the faults of the manifest with their places', async () => {
  const { get, ui, headers } = await viewing();
  const { manifests } = (await get('/api/datasets/ml/demo')).json<DatasetView>();
  const preview = async (body: string) =>
    (await ask(ui.port, '/api/preview/ml/demo', { method: 'POST', headers: { ...headers, ...own }, body })).json<EditPreview>();
  const yaml = manifests[1]?.yaml ?? '';
  const { faults, changes } = await preview(yaml.replace('replicas: 1', 'replicas: 3'));
  expect(faults).toEqual([]);
  expect(changes.find(({ object }) => object === 'StatefulSet ml/demo-worker')).toMatchObject({
    diff: expect.stringContaining('+  replicas: 3'),
  });
  expect(await preview(yaml.replace('replicas: 1', 'replicas: many'))).toMatchObject({
    faults: [expect.stringMatching(/^edit:\d+: AlluxioRuntime ml\/demo: spec\.replicas: expected /)],
    changes: [],
  });
  expect((await preview('kind: [')).faults).toHaveLength(1);
  expect((await preview(yaml.replace('namespace: ml', 'namespace: vision'))).faults).toEqual([
    'AlluxioRuntime vision/demo: expected an object of namespace ml',
  ]);
});

test('a Dataset that does not exist is answered as any that may not be seen, and other paths with 404', async () => {
  const { get } = await viewing();
  const { status, text } = await get('/api/datasets/ml/nothing');
  expect([status, text]).toEqual([404, '{"message":"expected the name of a Dataset that exists and that you may see"}']);
  for (const path of ['/api/datasets/ml', '/api/datasets/ml/demo/x', '/api/datasets/../secrets', '/api/datasets/ml/%2e%2e', '/api/x', '/x'])
    expect((await get(path)).status).toBe(404);
});
