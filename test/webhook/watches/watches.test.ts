import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Dataset, GROUP, VERSION } from '../../../src/api/index.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { type ApiServer, createApiServer } from '../../../src/api-server/index.ts';
import type { Knowledge } from '../../../src/webhook/knowledge.ts';
import { startWatches } from '../../../src/webhook/watches/watches.ts';
import { aMoment, manualClock, until } from '../../support/manual-clock.ts';

const runtime = { plural: 'juicefsruntimes', kind: 'JuiceFSRuntime' };
const ours = ({ plural, kind }: { plural: string; kind: string }): ResourceType => ({
  group: GROUP,
  version: VERSION,
  plural,
  kind,
  namespaced: true,
});
const object = (apiVersion: string, kind: string, metadata: object, rest: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'demo', namespace: 'ml', ...metadata }, ...rest }) as KubeObject;
const custom = `${GROUP}/${VERSION}`;

const claim = (name: string, labels: Record<string, string> = {}) => object('v1', 'PersistentVolumeClaim', { name, labels });
const dataset = (metadata: object = {}, status: object = {}) => object(custom, 'Dataset', metadata, { spec: {}, status });
const volume = object(
  'v1',
  'PersistentVolume',
  { name: 'ml-demo', namespace: undefined },
  {
    spec: {
      claimRef: { namespace: 'ml', name: 'demo' },
      csi: {
        driver: 'fuse.csi.fluid.io',
        volumeAttributes: { fluid_path: '/runtime-mnt/juicefs/ml/demo/juicefs-fuse', mount_type: 'JuiceFS', fluid_sub_path: 'a' },
      },
    },
  },
);
const daemonSet = (metadata: object = {}) =>
  object(
    'apps/v1',
    'DaemonSet',
    {
      name: 'demo-fuse',
      ownerReferences: [{ apiVersion: custom, kind: runtime.kind, name: 'demo', uid: 'r', controller: true }],
      ...metadata,
    },
    { spec: { template: { metadata: {}, spec: { containers: [{ name: 'fuse', image: 'juicefs' }] } } } },
  );

let server: ApiServer;
let watches: Knowledge;
const start = (kinds: readonly ResourceType[] = [ours(Dataset), ours(runtime)]) => {
  server = createApiServer({ kinds, namespaces: ['ml', 'fluid-system'] });
};
const watch = async (clock?: Clock) => {
  watches = startWatches({
    client: server.client(),
    runtimes: [runtime],
    namespace: 'fluid-system',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...(clock && { clock }),
  });
  await until(() => watches.notReady() === undefined, 'ready');
};
beforeEach(() => start());
afterEach(() => watches.stop());

describe('a claim', () => {
  test.each([
    ['of a Dataset has its name', 'demo', { 'fluid.io/s-ml-demo': 'true' }, { dataset: 'demo' }],
    ['behind a Dataset names it', 'source', { 'fluid.io/managed-by': 'demo' }, { dataset: 'demo' }],
    ["has Fluid's older label", 'source', { 'fluid.io/wrapped-by': 'demo' }, { dataset: 'demo' }],
    ['of anything else is known, and no more', 'scratch', {}, {}],
    ['that Fluid itself manages is no Dataset', 'scratch', { 'fluid.io/managed-by': 'fluid' }, {}],
  ])('%s', async (_, name, labels, known) => {
    server.put(claim(name, labels));
    await watch();
    expect(watches.known.claim('ml', name)).toEqual(known);
    expect(watches.known.claim('other', name)).toBeUndefined();
  });
  test('may be that of a Dataset called fluid', async () => {
    server.put(dataset({ name: 'fluid' }));
    server.put(claim('source', { 'fluid.io/managed-by': 'fluid' }));
    await watch();
    expect(watches.known.claim('ml', 'source')).toEqual({ dataset: 'fluid' });
  });
});

describe('a Dataset', () => {
  test('is known by its phase, its fault and its first runtime', async () => {
    server.put(
      dataset(
        {},
        {
          phase: 'Failed',
          conditions: [{ type: 'NotReady', status: 'True', message: 'no store' }],
          runtimes: [{ type: 'juicefs', namespace: 'ml', name: 'demo', category: 'Accelerate' }],
        },
      ),
    );
    await watch();
    expect(watches.known.dataset('ml', 'demo')).toEqual({
      identity: { namespace: 'ml', name: 'demo', uid: expect.any(String), collides: false },
      phase: 'Failed',
      notReady: 'no store',
      runtime: { type: 'juicefs', namespace: 'ml', name: 'demo' },
    });
  });
  test('collides if its label says its UID though the name would fit', async () => {
    const long = 'n'.repeat(61);
    for (const name of ['demo', long]) {
      const { uid } = server.put(dataset({ name })).metadata;
      server.put(dataset({ name, labels: { 'fluid.io/dataset-id': uid } }));
    }
    await watch();
    expect(watches.known.dataset('ml', 'demo')?.identity.collides).toBe(true);
    expect(watches.known.dataset('ml', long)?.identity.collides).toBe(false);
  });
});

test('a volume of Fluid is known with its claim, any other is not', async () => {
  server.put(volume);
  server.put({ ...volume, metadata: { name: 'nfs' }, spec: { nfs: {}, claimRef: { namespace: 'ml', name: 'demo' } } });
  await watch();
  expect(watches.known.volume('nfs')).toBeUndefined();
  expect(watches.known.volume('ml-demo')).toEqual({
    path: '/runtime-mnt/juicefs/ml/demo/juicefs-fuse',
    mountType: 'JuiceFS',
    subPath: 'a',
    claim: { namespace: 'ml', name: 'demo' },
  });
});

describe('a fuse DaemonSet', () => {
  test('is found by its name, as it is now, with what only the API server writes', async () => {
    const { uid } = server.put(daemonSet()).metadata;
    await watch();
    const known = watches.known.fuse('ml', 'demo-fuse');
    expect(known).toMatchObject({ uid, generation: 1, template: { spec: { containers: [{ name: 'fuse', image: 'juicefs' }] } } });
    expect(Object.keys(known ?? {}).toSorted()).toEqual(['generation', 'size', 'template', 'uid']);
    server.remove('DaemonSet', 'ml', 'demo-fuse');
    await until(() => watches.known.fuse('ml', 'demo-fuse') === undefined, 'gone');
  });
  test('of no runtime is not kept', async () => {
    server.put(daemonSet({ ownerReferences: [{ apiVersion: 'acme.io/v1', kind: 'X', name: 'demo', uid: 'd', controller: true }] }));
    await watch();
    expect(watches.known.fuse('ml', 'demo-fuse')).toBeUndefined();
  });
});

describe("the controller's record on a volume of its fuse DaemonSet", () => {
  const annotated = (annotations: object) => ({ ...volume, metadata: { ...volume.metadata, annotations } }) as KubeObject;

  test('is known with what the runtime says of sidecars', async () => {
    server.put(
      annotated({
        'data.fluid.io/verified-fuse': 'demo-fuse/uid/3/hash',
        'data.fluid.io/sidecar': '{"caches":["cache-dir-0"],"refused":"no"}',
      }),
    );
    await watch();
    expect(watches.known.volume('ml-demo')?.fuse).toEqual({
      name: 'demo-fuse',
      uid: 'uid',
      generation: 3,
      hash: 'hash',
      sidecar: { caches: ['cache-dir-0'], refused: 'no' },
    });
  });
  test('whose note cannot be read has no client that can be a sidecar', async () => {
    server.put(annotated({ 'data.fluid.io/verified-fuse': 'demo-fuse/uid/3/hash', 'data.fluid.io/sidecar': 'x' }));
    await watch();
    expect(watches.known.volume('ml-demo')?.fuse?.sidecar.refused).toContain(
      'annotation data.fluid.io/sidecar: expected JSON {caches: [names], refused?: text}, found x',
    );
  });
  test.each(['', 'demo-fuse', 'demo-fuse/uid/3', 'demo-fuse/uid/0/hash', 'demo-fuse/uid/x/hash', 'demo-fuse//3/hash', 'a/b/3/c/d'])(
    'and nothing could be true of %j, is no record',
    async (text) => {
      server.put(annotated({ 'data.fluid.io/verified-fuse': text }));
      await watch();
      expect(watches.known.volume('ml-demo')?.fuse).toBeUndefined();
    },
  );
});

test('a runtime is known by where its cache is, and by what its metrics are read from', async () => {
  const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }];
  server.put(
    object(
      custom,
      runtime.kind,
      {},
      {
        spec: { fuse: { metrics: { scrapeTarget: 'MountPod,Sidecar' } } },
        status: { cacheAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
      },
    ),
  );
  server.put(object(custom, runtime.kind, { name: 'plain' }, { spec: {} }));
  await watch();
  expect(watches.known.runtime('juicefs', 'ml', 'demo')).toEqual({ size: expect.any(Number), cacheAffinity: terms, scrapesSidecars: true });
  expect(watches.known.runtime('juicefs', 'ml', 'plain')).toEqual({ size: 2, cacheAffinity: [], scrapesSidecars: false });
  expect(watches.known.runtime('cache', 'ml', 'demo')).toBeUndefined();
});

test('a kind that is not installed keeps no replica from being ready', async () => {
  start([]);
  await watch();
  expect(watches.known.dataset('ml', 'demo')).toBeUndefined();
  expect(server.requestsThat({ kind: 'Secret' })).toEqual([]);
});

describe('while claims are not watched', () => {
  const unwatched = async () => {
    const clock = manualClock();
    server.put(claim('scratch'));
    server.put(claim('demo', { 'fluid.io/s-ml-demo': 'true' }));
    await watch(clock);
    server.rules.refuse({ kind: 'PersistentVolumeClaim', verb: 'watch' }, { status: 500 });
    server.endWatches('PersistentVolumeClaim');
    await aMoment();
    return clock;
  };
  test('one that is of no Dataset may have become one, and is read', async () => {
    const clock = await unwatched();
    expect(watches.known.claim('ml', 'scratch')).toEqual({});
    clock.advance(16_000);
    expect(watches.known.claim('ml', 'scratch')).toEqual({ isStale: true });
    expect(watches.known.claim('ml', 'demo')).toEqual({ dataset: 'demo' });
    expect(watches.known.claim('ml', 'missing')).toBeUndefined();
    const read = await watches.read([{ kind: 'claim', namespace: 'ml', name: 'scratch' }], new AbortController().signal);
    expect(read.claim('ml', 'scratch')).toEqual({});
  });
  test('for a minute, the webhook is not ready', async () => {
    const clock = await unwatched();
    clock.advance(30_000);
    expect(watches.notReady()).toBeUndefined();
    clock.advance(40_000);
    expect(watches.notReady()).toMatch(/^out of touch: persistentvolumeclaims: not watched for \d+ s/);
  });
});

describe('objects that are read before a pod is denied', () => {
  const signal = new AbortController().signal;

  test('is these objects alone, and counts more than what the watches know', async () => {
    await watch();
    server.hold('PersistentVolumeClaim');
    server.hold('DaemonSet');
    server.put(claim('demo', { 'fluid.io/s-ml-demo': 'true' }));
    server.put(daemonSet());
    server.put(daemonSet({ name: 'other-fuse', ownerReferences: [] }));
    server.forgetRequests();
    const known = await watches.read(
      [
        { kind: 'claim', namespace: 'ml', name: 'demo' },
        { kind: 'claim', namespace: 'ml', name: 'missing' },
        { kind: 'fuse', namespace: 'ml', name: 'demo-fuse' },
        { kind: 'volume', name: 'ml-demo' },
        { kind: 'claim', namespace: 'ml', name: '../../secrets/keys' },
      ],
      signal,
    );
    expect(watches.known.claim('ml', 'demo')).toBeUndefined();
    expect(known.claim('ml', 'demo')).toEqual({ dataset: 'demo' });
    expect(known.claim('ml', 'missing')).toBeUndefined();
    expect(known.fuse('ml', 'demo-fuse')?.template).toBeDefined();
    expect(server.requests.map(({ verb, kind, name }) => [verb, kind, name].join(' ')).toSorted()).toMatchInlineSnapshot(`
      [
        "get DaemonSet demo-fuse",
        "get PersistentVolume ml-demo",
        "get PersistentVolumeClaim demo",
        "get PersistentVolumeClaim missing",
      ]
    `);
  });
  test('is an error if the API server cannot say', async () => {
    await watch();
    server.rules.refuse({ kind: 'PersistentVolumeClaim' }, { status: 500 });
    await expect(watches.read([{ kind: 'claim', namespace: 'ml', name: 'demo' }], signal)).rejects.toThrow('500');
  });
});
