/** From a pod, a claim or a volume to what it waits for. */
import { expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { findings } from '../../src/explain/findings.ts';
import { gather } from '../../src/explain/gather.ts';
import { askedOf } from '../../src/explain/names.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { ApiError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/types.ts';

const LONG_AGO = '2026-01-02T03:00:00Z';
const NOW = Date.parse('2026-01-02T03:04:05Z');
const LABEL = 'fluid.io/f-ml-demo';
const of = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'ml', name, uid: `${kind}-${name}`, creationTimestamp: LONG_AGO, ...metadata },
  ...more,
});
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const pod = (status: object, volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'demo' } }], more: object = {}) =>
  of('Pod', 'reader', { spec: { nodeName: 'node-1', volumes }, status }, more);
const CREATING = { phase: 'Pending', containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ContainerCreating' } } }] };
const claim = (phase: string) => of('PersistentVolumeClaim', 'demo', { spec: { volumeName: 'ml-demo' }, status: { phase } });
const attributes = { runtime_namespace: 'ml', runtime_name: 'demo', mount_pod_node_selector_key: LABEL };
const volume = of(
  'PersistentVolume',
  'ml-demo',
  {
    spec: { claimRef: { namespace: 'ml', name: 'demo' }, csi: { driver: 'fuse.csi.fluid.io', volumeAttributes: attributes } },
    status: { phase: 'Bound' },
  },
  { namespace: undefined },
);
const dataset = of('Dataset', 'demo', { status: { phase: 'Bound', conditions: [] } });
const runtime = of('ThinRuntime', 'demo', { status: { conditions: [{ type: 'Synced', status: 'True' }] } });
const daemon = of(
  'DaemonSet',
  'demo-fuse',
  {
    spec: { selector: { matchLabels: { role: 'fuse' } }, template: { spec: { nodeSelector: { [LABEL]: 'true' } } } },
    status: { desiredNumberScheduled: 1, numberReady: 1 },
  },
  { labels: { 'data.fluid.io/owner-uid': 'ThinRuntime-demo' } },
);
const node = (labels: object = { [LABEL]: 'true' }) => of('Node', 'node-1', {}, { namespace: undefined, labels });
const csiNode = (drivers = ['fuse.csi.fluid.io']) =>
  of('CSINode', 'node-1', { spec: { drivers: drivers.map((name) => ({ name })) } }, { namespace: undefined });
const fuse = (status: object) => of('Pod', 'demo-fuse-a', { spec: { nodeName: 'node-1' }, status }, { labels: { role: 'fuse' } });
const plugin = (status: object) =>
  of(
    'Pod',
    'sluice-csi-a',
    { spec: { nodeName: 'node-1' }, status },
    { namespace: 'fluid-system', labels: { 'app.kubernetes.io/component': 'csi' } },
  );
const WELL = [claim('Bound'), volume, dataset, runtime, daemon, node(), csiNode(), fuse(READY)];
const without = (...kinds: readonly string[]) => WELL.filter(({ kind }) => !kinds.includes(kind));

/** An API server with these objects, that lets nobody read these kinds. */
function client(objects: readonly KubeObject[], secret: readonly string[] = []): KubeClient {
  // The playground has no CSINodes.
  const served = ['PersistentVolumeClaim', 'PersistentVolume', 'Node'];
  const check = (kind: string, namespace = 'ml') => {
    if (secret.includes(kind) || secret.includes(namespace)) throw new ApiError({ method: 'GET', path: `/${kind}` }, 403, 'no');
  };
  const list = async (
    { kind }: { kind: string },
    { namespace, labelSelector = '' }: { namespace?: string; labelSelector?: string } = {},
  ) => {
    check(kind, namespace);
    const [key = '', value] = labelSelector.split(',').at(-1)?.split('=') ?? [];
    const items = objects.filter(
      (each) =>
        each.kind === kind &&
        (namespace === undefined || each.metadata.namespace === namespace) &&
        (key === '' || (value === undefined ? key in (each.metadata.labels ?? {}) : each.metadata.labels?.[key] === value)),
    );
    return { items, resourceVersion: '1' };
  };
  const get = async ({ kind }: { kind: string }, { name }: { name: string }) => {
    check(kind);
    const found = objects.find((each) => each.kind === kind && each.metadata.name === name);
    if (!found)
      throw new ApiError({ method: 'GET', path: `/${kind}` }, 404, 'no', {
        body: { details: served.includes(kind) ? { name } : {} } as never,
      });
    return found;
  };
  return { list, get } as unknown as KubeClient;
}
async function explained(name: string, objects: readonly KubeObject[], secret: readonly string[] = []) {
  const input = await gather(client(objects, secret), runtimes, 'ml', [name]);
  return findings({ ...input, now: NOW });
}

test('a pod that is ready is well: its claim, its volume, its node and its fuse pod are named, then its Dataset and runtime', async () => {
  const found = await explained('pod/reader', [...WELL, pod(READY)]);
  expect(found.map(({ object, healthy }) => [object, healthy])).toEqual([
    ['Pod ml/reader', true],
    ['Dataset ml/demo', true],
    ['ThinRuntime ml/demo', true],
  ]);
  expect(found[0]).toMatchObject({
    phase: 'Running',
    causes: [],
    details: ['claim ml/demo: Bound, volume ml-demo: Bound', 'node node-1: node plugin registered', 'fuse pod ml/demo-fuse-a: ready'],
  });
});

const image = {
  phase: 'Pending',
  containerStatuses: [{ name: 'f', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }],
};
test.each<[string, readonly KubeObject[], string, RegExp, RegExp]>([
  ['whose claim does not exist', without('PersistentVolumeClaim'), 'ClaimNotFound', /claim ml\/demo does not exist/, /create the Dataset/],
  ['whose claim is not bound', [claim('Pending'), ...without('PersistentVolumeClaim')], 'ClaimNotBound', /is Pending/, /see the Dataset/],
  [
    'on a node without the node plugin',
    [csiNode([]), ...without('CSINode')],
    'NodePluginMissing',
    /not registered on node node-1, and has no pod there/,
    /selects and tolerates/,
  ],
  [
    'on a node whose plugin does not start',
    [csiNode([]), plugin(image), ...without('CSINode')],
    'NodePluginMissing',
    /sluice-csi-a .*no such image/,
    /pull secrets/,
  ],
  [
    'whose fuse pod does not start',
    [fuse(image), ...without('Pod')],
    'ImagePullBackOff',
    /fuse pod ml\/demo-fuse-a: .*no such image/,
    /pull secrets/,
  ],
  [
    'on a node without the label',
    [node({}), ...without('Node', 'Pod')],
    'NodeNotLabelled',
    /lacks the label fluid\.io\/f-ml-demo/,
    /log of the node plugin/,
  ],
  ['on a node with the label and no fuse pod', without('Pod'), 'NoFusePod', /although it has the label/, /see the Dataset/],
])('a pod %s says so first, then what the kubelet says', async (_, objects, reason, message, toDo) => {
  const mount = of('Event', 'e', {
    involvedObject: { uid: 'Pod-reader' },
    reason: 'FailedMount',
    message: 'is not mounted yet',
    lastTimestamp: LONG_AGO,
  });
  const [found] = await explained('po/reader', [...objects, pod(CREATING), mount]);
  expect([found?.object, found?.healthy]).toEqual(['Pod ml/reader', false]);
  expect(found?.causes[0]).toMatchObject({ reason, message: expect.stringMatching(message), toDo: expect.stringMatching(toDo) });
  expect(found?.causes.at(-1)).toMatchObject({ reason: 'FailedMount', since: LONG_AGO });
  expect(found?.causes).toHaveLength(2);
});

const CRASHING = { phase: 'Running', containerStatuses: [{ name: 'f', state: { waiting: { reason: 'CrashLoopBackOff' } } }] };
test('a pod that is ready is not well while the fuse pod of its node is in trouble', async () => {
  const [found] = await explained('pod/reader', [...without('Pod'), fuse(CRASHING), pod(READY)]);
  expect(found).toMatchObject({ healthy: false, causes: [{ reason: 'CrashLoopBackOff' }] });
  expect(found?.causes[0]?.message).toMatch(/^fuse pod ml\/demo-fuse-a: /);
});
test('a pod that has ended well needs no fuse pod', async () => {
  const [found] = await explained('pod/reader', [...without('Pod'), fuse(CRASHING), pod({ phase: 'Succeeded' })]);
  expect(found).toMatchObject({ healthy: true, causes: [] });
});

test('what the user may not read is said, and is no cause', async () => {
  const [found] = await explained('pod/reader', [...WELL, pod(CREATING)], ['PersistentVolume', 'Node', 'CSINode']);
  expect(found?.causes.map(({ reason }) => reason)).toEqual(['PodNotReady']);
  expect(found?.details).toEqual(['claim ml/demo: Bound, volume cannot be read', 'node node-1: node plugin cannot be read']);
});

test('pods of the node plugin that the user may not list are not said to be absent', async () => {
  const [found] = await explained('pod/reader', [csiNode([]), ...without('CSINode'), pod(CREATING)], ['fluid-system']);
  expect(found?.causes[0]).toMatchObject({ message: 'the node plugin is not registered on node node-1' });
});

test('a server without CSINodes, such as the playground, says nothing of the node plugin', async () => {
  const [found] = await explained('pod/reader', [...without('CSINode'), pod(CREATING)]);
  expect(found?.causes.map(({ reason }) => reason)).toEqual(['PodNotReady']);
});

test('a pod that reads by a sidecar leads to its Dataset, and one without leads nowhere', async () => {
  const labels = { 'dataset-name.sidecar.fluid.io/fluid-fuse-0': 'demo' };
  const found = await explained('pods/reader', [...WELL, pod(READY, [], { labels })]);
  expect(found[0]?.details).toEqual(['Dataset ml/demo, by a sidecar']);
  expect(found.map(({ object }) => object)).toContain('Dataset ml/demo');
  const [other, ...more] = await explained('pod/reader', [...WELL, pod(READY, [])]);
  expect([other?.details, more]).toEqual([['no Dataset'], []]);
});

test.each(['pvc/demo', 'pv/ml-demo'])('%s leads to its Dataset', async (name) => {
  const found = await explained(name, WELL);
  expect(found.map(({ object }) => object.split(' ')[0])).toEqual([
    name.startsWith('pvc') ? 'PersistentVolumeClaim' : 'PersistentVolume',
    'Dataset',
    'ThinRuntime',
  ]);
  expect(found[0]).toMatchObject({ phase: 'Bound', healthy: true });
});

test('a claim that is not bound is not well', async () => {
  const [found] = await explained('persistentvolumeclaims/demo', [claim('Pending'), ...without('PersistentVolumeClaim')]);
  expect([found?.healthy, found?.causes[0]?.reason]).toEqual([false, 'ClaimNotBound']);
});

test('a claim that is not there yet leads to the Dataset that it will have', async () => {
  const waiting = of('Dataset', 'demo', { status: { phase: 'NotBound', conditions: [] } });
  const objects = [waiting, ...without('Dataset', 'PersistentVolumeClaim', 'PersistentVolume')];
  const found = await explained('pvc/demo', objects);
  expect(found.map(({ object, phase, healthy }) => [object, phase, healthy])).toEqual([
    ['PersistentVolumeClaim ml/demo', 'does not exist', false],
    ['Dataset ml/demo', 'NotBound', false],
    ['ThinRuntime ml/demo', 'as its spec says', true],
  ]);
  expect(found[0]?.causes).toMatchObject([{ reason: 'ClaimNotFound', message: 'claim ml/demo does not exist' }]);
  await expect(explained('pvc/other', objects)).rejects.toThrow('expected a PersistentVolumeClaim that is called other, found none');
});

test('a claim that no Dataset has is not sent to one', async () => {
  const other = of('PersistentVolumeClaim', 'other', { spec: {}, status: { phase: 'Pending' } });
  const [found] = await explained('pvc/other', [...WELL, other]);
  expect(found).toMatchObject({ phase: 'Pending', healthy: false, details: ['no Dataset'] });
  expect(found?.causes).toMatchObject([{ reason: 'NotBound', toDo: 'see its storage class and its events: it is of no Dataset' }]);
});

test.each([
  ['alluxio/demo', 'AlluxioRuntime'],
  ['alluxioruntimes/demo', 'AlluxioRuntime'],
  ['AlluxioRuntime/demo', 'AlluxioRuntime'],
  ['v6d/demo', 'VineyardRuntime'],
  ['load/demo', 'DataLoad'],
  ['datasets.data.fluid.io/demo', 'Dataset'],
  ['dataprocesses/demo', 'DataProcess'],
  ['po/demo', 'Pod'],
])('%s is a %s, as for kubectl', (text, kind) => {
  expect(askedOf(text, runtimes)).toEqual({ text, name: 'demo', kind });
});

test('a kind from which no way leads to a Dataset, and a pod that does not exist, are wrong usage', async () => {
  expect(() => askedOf('service/demo', runtimes)).toThrow(/expected a kind, one of pod, .*dataload.*; found service/);
  await expect(explained('pod/nobody', WELL)).rejects.toThrow('expected a Pod that is called nobody, found none');
});
