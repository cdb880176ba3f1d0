import { Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { type Log, silent } from '../../../src/kube/types.ts';
import type { Mutation } from '../../../src/webhook/admission.ts';
import { Denied } from '../../../src/webhook/denied.ts';
import type { Unknown } from '../../../src/webhook/known.ts';
import { withLabels } from '../../../src/webhook/pod.ts';
import { createAdmissions } from '../../../src/webhook/server/admit.ts';
import type { Knowledge } from '../../../src/webhook/knowledge.ts';
import { admissionMetrics } from '../../../src/webhook/server/metrics.ts';
import { aMoment, manualClock } from '../../support/manual-clock.ts';
import { type Cluster, knownOf } from '../known.ts';

const SERVERLESS = { 'serverless.fluid.io/inject': 'true' };
const SERVERFUL = { 'fuse.serverful.fluid.io/inject': 'true' };
const marks: Mutation = (pod) => withLabels(pod, { 'done.sidecar.fluid.io/inject': 'true' });
const breaks: Mutation = () => {
  throw new TypeError('of undefined');
};
const many = (count: number, each: object) => Array.from({ length: count }, () => each);
const dataset = (name: string) => ({ identity: { namespace: 'ml', name, uid: 'u', collides: false }, phase: 'Bound' });

let reads: Unknown[][];
let registry: Registry;
let lines: (readonly [string, object])[];
interface Scene {
  readonly disabled?: boolean;
  readonly plugin?: Mutation;
  readonly memory?: Cluster;
  readonly server?: Cluster;
  readonly read?: Knowledge['read'];
}
function admissions({ plugin = marks, memory = {}, server = {}, read, disabled = false }: Scene = {}) {
  reads = [];
  lines = [];
  registry = new Registry();
  const chains = { withDataset: [plugin], withoutDataset: [plugin] };
  const clock = manualClock();
  const knowledge: Knowledge = {
    known: knownOf(memory),
    profile: () => ({ serverless: chains, serverful: chains }),
    notReady: () => undefined,
    async read(unknown, signal) {
      reads.push([...unknown]);
      return read ? read(unknown, signal) : knownOf(server);
    },
    stop() {},
  };
  const log: Log = { ...silent, info: (fields, message) => void lines.push([message ?? '', fields]) };
  const settings = { disabled, nativeSidecars: true, prefetcher: { image: 'sluice', isOurs: true } };
  const admit = createAdmissions({
    knowledge,
    settings,
    random: () => '0123456789ab',
    metrics: admissionMetrics(registry),
    log,
    clock,
  });
  const post = async (review: unknown, withinMs?: number, turn?: () => Promise<boolean>) => {
    const { status, body } = await admit(typeof review === 'string' ? review : JSON.stringify(review), withinMs, turn);
    return { status, body, ...(status === 200 && { answer: JSON.parse(body) as Answer }) };
  };
  return { post, clock, admitPod: async (pod: unknown, more: object = {}) => (await post(reviewOf(pod, more))).answer?.response };
}
interface Answer {
  readonly apiVersion: string;
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly patch?: string;
    readonly warnings?: readonly string[];
    readonly status?: { readonly code: number; readonly message: string };
  };
}
const reviewOf = (object: unknown, request: object = {}, apiVersion = 'admission.k8s.io/v1') => ({
  apiVersion,
  kind: 'AdmissionReview',
  request: {
    uid: 'the-uid',
    namespace: 'ml',
    operation: 'CREATE',
    resource: { group: '', version: 'v1', resource: 'pods' },
    object,
    ...request,
  },
});
const podOf = (labels: object, claims: readonly string[] = []) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { generateName: 'a-', labels },
  spec: {
    containers: [{ name: 'main', image: 'app' }],
    volumes: claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } })),
  },
});
const patchIn = (response: Answer['response'] | undefined) =>
  JSON.parse(Buffer.from(response?.patch ?? '', 'base64').toString('utf8')) as unknown;

afterEach(() => registry.clear());

describe('an AdmissionReview', () => {
  test.each(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'])(
    'of %s is answered in kind, with its uid and a patch',
    async (apiVersion) => {
      const { answer } = await admissions().post(reviewOf(podOf(SERVERLESS), {}, apiVersion));
      expect(answer).toMatchObject({
        apiVersion,
        kind: 'AdmissionReview',
        response: { uid: 'the-uid', allowed: true, patchType: 'JSONPatch' },
      });
      expect(patchIn(answer?.response)).toEqual([{ op: 'add', path: '/metadata/labels/done.sidecar.fluid.io~1inject', value: 'true' }]);
    },
  );
  test.each([
    [{ operation: 'UPDATE' }],
    [{ operation: 'DELETE', object: null }],
    [{ subResource: 'ephemeralcontainers' }],
    [{ resource: { group: 'apps', version: 'v1', resource: 'deployments' } }],
  ])('that is not the creation of a pod changes nothing: %j', async (request) =>
    expect(await admissions({ plugin: breaks }).admitPod(podOf(SERVERLESS), request)).toEqual({ uid: 'the-uid', allowed: true }),
  );
  test('of a pod that asks for nothing changes nothing', async () =>
    expect(await admissions({ plugin: breaks }).admitPod(podOf({}))).toEqual({ uid: 'the-uid', allowed: true }));
  test.each([
    ['{', 'body: expected an AdmissionReview as JSON, found another text'],
    ['[]', 'body: expected an AdmissionReview, found a list'],
    [{ kind: 'Pod' }, 'kind: expected AdmissionReview, found "Pod"'],
    [{ kind: 'AdmissionReview', apiVersion: 'v2' }, 'apiVersion: expected admission.k8s.io/v1 or admission.k8s.io/v1beta1, found "v2"'],
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }, 'request: expected an object, found nothing'],
    [reviewOf({}, { uid: 3 }), 'request.uid: expected a text, found 3'],
  ])('that is none is refused with the field: %j', async (review, message) =>
    expect(await admissions().post(review)).toEqual({ status: 400, body: `${message}\n` }),
  );
});

describe('a pod of any shape', () => {
  const spec = { containers: [] };
  test.each([
    [{ metadata: { labels: SERVERLESS } }, 'spec: expected an object, found nothing'],
    [{ metadata: { labels: SERVERLESS }, spec: { containers: 'x' } }, 'spec.containers: expected a list, found "x"'],
    [{ metadata: { labels: SERVERLESS }, spec: { ...spec, volumes: null } }, 'spec.volumes: expected a list, found null'],
    [{ metadata: { labels: SERVERLESS }, spec: { containers: [null] } }, 'spec.containers[0]: expected an object, found null'],
    [{ metadata: { labels: SERVERLESS }, spec: { containers: [{ env: [1] }] } }, 'spec.containers[0].env[0]: expected an object, found 1'],
    [{ metadata: { labels: { ...SERVERLESS, a: 1 } }, spec }, 'metadata.labels["a"]: expected a text, found 1'],
    [{ metadata: { labels: SERVERFUL, annotations: [] }, spec }, 'metadata.annotations: expected a map of texts, found a list'],
    [
      { metadata: { labels: SERVERLESS }, spec: { ...spec, volumes: [{ name: 'a', persistentVolumeClaim: {} }] } },
      'spec.volumes[0].persistentVolumeClaim.claimName: expected a text, found nothing',
    ],
  ])('is rejected with the field if it asks for something: %j', async (pod, message) =>
    expect(await admissions().admitPod(pod)).toMatchObject({ allowed: false, status: { code: 400, message } }),
  );
  test.each<[object, string]>([
    [{}, 'spec.containers: expected a list, found nothing'],
    [{ containers: [{ name: 7 }] }, 'spec.containers[0].name: expected a text, found 7'],
    [{ containers: [{ name: 'a', lifecycle: 'x' }] }, 'spec.containers[0].lifecycle: expected an object, found "x"'],
    [
      { ...spec, initContainers: [{ name: 'a', securityContext: [] }] },
      'spec.initContainers[0].securityContext: expected an object, found a list',
    ],
    [{ containers: [{ name: 'a', volumeMounts: [{ name: 1 }] }] }, 'spec.containers[0].volumeMounts[0].name: expected a text, found 1'],
    [
      { containers: [{ name: 'a', volumeMounts: [{ name: 'b' }] }] },
      'spec.containers[0].volumeMounts[0].mountPath: expected a text, found nothing',
    ],
    [{ ...spec, imagePullSecrets: [null] }, 'spec.imagePullSecrets[0]: expected an object, found null'],
    [{ ...spec, securityContext: 'root' }, 'spec.securityContext: expected an object, found "root"'],
    [{ ...spec, volumes: [{}] }, 'spec.volumes[0].name: expected a text, found nothing'],
    [{ ...spec, volumes: [{ name: 'a', hostPath: '/' }] }, 'spec.volumes[0].hostPath: expected an object, found "/"'],
  ])('is rejected with the field of its spec: %j', async (fields, message) =>
    expect(await admissions().admitPod({ metadata: { labels: SERVERLESS }, spec: fields })).toMatchObject({
      allowed: false,
      status: { code: 400, message },
    }),
  );
  test.each([[null], ['pod'], [{}], [{ metadata: null }], [{ metadata: { labels: 7 }, spec: [] }], [{ metadata: { labels: null } }]])(
    'is left to the API server if it asks for nothing: %j',
    async (pod) => expect(await admissions().admitPod(pod)).toEqual({ uid: 'the-uid', allowed: true }),
  );
  test('has keys that no program should trust, and they stay', async () => {
    const hostile = '{"__proto__":"x","constructor":"y","serverless.fluid.io/inject":"true"}';
    const text = JSON.stringify(reviewOf(podOf({ labels: 1 }))).replace('{"labels":1}', hostile);
    const { answer } = await admissions().post(text);
    expect(patchIn(answer?.response)).toEqual([{ op: 'add', path: '/metadata/labels/done.sidecar.fluid.io~1inject', value: 'true' }]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
  test('has more values than any that serves a purpose: it is not even parsed', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `${open.repeat(60_000)}1${close.repeat(60_000)}`;
      const text = JSON.stringify(reviewOf({ ...podOf(SERVERLESS), deep: 1 })).replace('"deep":1', `"deep":${deep}`);
      expect(await admissions().post(text)).toMatchObject({ status: 413, body: 'body: expected at most 50000 values, found more\n' });
    }
  });
  test('is nested as deeply as it may be', async () => {
    const deep = `${'['.repeat(49_000)}${']'.repeat(49_000)}`;
    const text = JSON.stringify(reviewOf({ ...podOf(SERVERLESS), deep: 1 })).replace('"deep":1', `"deep":${deep}`);
    expect((await admissions().post(text)).answer?.response.allowed).toBe(true);
    const field = JSON.stringify(reviewOf(podOf(SERVERLESS))).replace('"volumes":[]', `"volumes":{"a":${deep}}`);
    expect((await admissions().post(field)).answer?.response).toMatchObject({ allowed: false, status: { code: 400 } });
  });
  test('has texts that look like many values', async () => {
    const text = JSON.stringify(reviewOf({ ...podOf(SERVERLESS), text: `\\"${',[{'.repeat(100_000)}` }));
    expect((await admissions().post(text)).answer?.response.allowed).toBe(true);
  });
  test.each([
    ['spec.containers and spec.initContainers: expected at most 200 containers, found 201', { containers: many(201, { name: 'c' }) }],
    ['spec.volumes: expected at most 1000 volumes, found 1001', { containers: [], volumes: many(1001, { name: 'v' }) }],
    [
      'spec.containers: expected at most 3000 entries of volumeMounts, volumeDevices, env, envFrom, ports in all, found 3001',
      { containers: [{ name: 'c', env: many(3001, { name: 'A' }) }] },
    ],
  ])('is larger than any that serves a purpose: %s', async (message, spec) => {
    const never: Mutation = () => expect.unreachable();
    const asks = await admissions({ plugin: never }).admitPod({ ...podOf(SERVERLESS), spec });
    expect(asks).toMatchObject({ allowed: false, status: { code: 413, message } });
    const hints = await admissions({ plugin: never }).admitPod({ ...podOf(SERVERFUL), spec });
    expect(hints).toMatchObject({ allowed: true, warnings: [`${message}; the pod was created without hints for the scheduler`] });
    expect(await admissions().admitPod({ ...podOf({}), spec })).toEqual({ uid: 'the-uid', allowed: true });
  });
});

describe('what no watch knows', () => {
  const server = { claims: { 'ml/images': { dataset: 'images' } }, datasets: { 'ml/images': dataset('images') } };

  test('is read once before a pod is denied, one thing after the other, and the pod admitted', async () => {
    const { admitPod } = admissions({ server });
    expect(await admitPod(podOf(SERVERLESS, ['images']))).toMatchObject({ allowed: true });
    expect(reads).toEqual([[{ kind: 'claim', namespace: 'ml', name: 'images' }], [{ kind: 'dataset', namespace: 'ml', name: 'images' }]]);
  });
  test('or only what it was before the watch fell behind, is read once before the pod is let through', async () => {
    const { admitPod } = admissions({ memory: { claims: { 'ml/scratch': { isStale: true } } }, server: { claims: { 'ml/scratch': {} } } });
    expect(await admitPod(podOf(SERVERLESS, ['scratch']))).toMatchObject({ allowed: true });
    expect(reads).toEqual([[{ kind: 'claim', namespace: 'ml', name: 'scratch' }]]);
    await admitPod(podOf(SERVERFUL, ['scratch']));
    expect(reads).toHaveLength(1);
  });
  test('is not asked for if nothing is denied', async () => {
    await admissions({ memory: server }).admitPod(podOf(SERVERLESS, ['images']));
    await admissions({ memory: {} }).admitPod(podOf(SERVERFUL, ['images']));
    expect(reads).toEqual([]);
  });
  test('and does not exist denies the pod', async () => {
    expect(await admissions().admitPod(podOf(SERVERLESS, ['images']))).toMatchObject({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: expect.stringContaining('PersistentVolumeClaim ml/images does not exist') },
    });
    expect(reads).toHaveLength(1);
  });
  test('is at most 16 objects of one pod', async () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `c${i}`);
    expect(await admissions().admitPod(podOf(SERVERLESS, names))).toMatchObject({ allowed: false });
    expect(reads.map((each) => each.length)).toEqual([16]);
  });
  test('is waited for 8 s, and then the pod is denied', async () => {
    const { admitPod, clock } = admissions({ read: () => new Promise(() => {}) });
    const answer = admitPod(podOf(SERVERLESS, ['images']));
    await aMoment();
    clock.advance(8_000);
    expect(await answer).toMatchObject({
      allowed: false,
      status: { message: expect.stringContaining('could not read it again: the API server did not answer in time') },
    });
  });
  test.each([
    ['2 s less than the API server waits', 5_000, 3_000],
    ['8 s, though the API server waits longer', 30_000, 8_000],
  ])('is waited for %s', async (_, withinMs, ms) => {
    const { post, clock } = admissions({ read: () => new Promise(() => {}) });
    let isDenied = false;
    const answer = post(reviewOf(podOf(SERVERLESS, ['images'])), withinMs).then(({ answer: denial }) => {
      isDenied = denial?.response.allowed === false;
    });
    await aMoment();
    clock.advance(ms - 1);
    await aMoment();
    expect(isDenied).toBe(false);
    clock.advance(1);
    await answer;
    expect(isDenied).toBe(true);
  });
  test('is asked for by at most 16 pods at once, of which one namespace has 12', async () => {
    const { admitPod, clock } = admissions({ read: () => new Promise(() => {}) });
    const pods = (namespace: string) => Array.from({ length: 100 }, () => admitPod(podOf(SERVERLESS, ['images']), { namespace }));
    const flood = pods('flood');
    await aMoment();
    expect(reads).toHaveLength(12);
    const others = pods('other');
    await aMoment();
    expect(reads.flat().filter((each) => 'namespace' in each && each.namespace === 'other')).toHaveLength(4);
    expect(reads).toHaveLength(16);
    clock.advance(8_000);
    expect((await Promise.all([...flood, ...others])).filter((answer) => answer?.allowed)).toEqual([]);
    expect(reads).toHaveLength(16);
  });
  test('is computed again when its turn comes, and not for a client that is gone', async () => {
    const turns: ((isWanted: boolean) => void)[] = [];
    const turn = () => new Promise<boolean>((resolve) => void turns.push(resolve));
    const { post } = admissions({ server: { claims: { 'ml/images': { dataset: 'images' } } } });
    const answers = Array.from({ length: 2 }, () => post(reviewOf(podOf(SERVERLESS, ['images'])), undefined, turn));
    await aMoment();
    expect([reads.length, turns.length]).toEqual([2, 2]);
    for (const [i, go] of turns.entries()) go(i > 0);
    await aMoment();
    expect((await answers[0])?.answer?.response.status?.message).toBe('the client no longer waits for an answer');
    expect(reads).toHaveLength(3);
    turns[2]?.(false);
    await answers[1];
  });
  test('may not be readable, which the denial says', async () => {
    const { admitPod } = admissions({ read: () => Promise.reject(new Error('GET /claims: 503')) });
    expect((await admitPod(podOf(SERVERLESS, ['images'])))?.status?.message).toContain('could not read it again: GET /claims: 503');
  });
});

describe('warnings of plugins are in the answer', () => {
  const warns =
    (change: Mutation): Mutation =>
    (pod, admission) => {
      admission.warn('no files are prefetched');
      return change(pod, admission);
    };
  test('with a patch', async () => {
    const response = await admissions({ plugin: warns(marks) }).admitPod(podOf(SERVERFUL));
    expect(response).toMatchObject({ allowed: true, warnings: ['no files are prefetched'], patch: expect.any(String) });
  });
  test('without one', async () => {
    const response = await admissions({ plugin: warns((pod) => pod) }).admitPod(podOf(SERVERFUL));
    expect(response).toEqual({ uid: 'the-uid', allowed: true, warnings: ['no files are prefetched'] });
  });
});

test('with DISABLE_INJECTION no pod is looked at, and none counted as asking for something', async () => {
  const malformed = { metadata: { labels: SERVERLESS }, spec: 7 };
  expect(await admissions({ disabled: true }).admitPod(malformed)).toEqual({ uid: 'the-uid', allowed: true });
  expect(await registry.metrics()).toContain('sluice_webhook_admissions_total{outcome="unchanged",mode="none"} 1');
});

describe('a defect', () => {
  test('denies a pod that asks for a sidecar', async () =>
    expect(await admissions({ plugin: breaks }).admitPod(podOf(SERVERLESS))).toMatchObject({ allowed: false, status: { code: 500 } }));
  test('holds up no pod for its hints, and warns', async () => {
    const response = await admissions({ plugin: breaks }).admitPod(podOf(SERVERFUL));
    expect(response).toMatchObject({ allowed: true, warnings: [expect.stringContaining('without hints for the scheduler')] });
    expect(response).not.toHaveProperty('patch');
    const text = await registry.metrics();
    expect(text).toContain('sluice_webhook_defects_total 1');
    expect(text).toContain('sluice_webhook_admissions_total{outcome="failed",mode="serverful"} 1');
  });
});

test('admissions are counted by outcome and by what the pod asks for', async () => {
  const { admitPod } = admissions();
  await admitPod(podOf(SERVERLESS));
  await admitPod(podOf({}));
  await admitPod(podOf(SERVERLESS, ['missing', 'lost']));
  const text = await registry.metrics();
  for (const [outcome, mode] of [
    ['mutated', 'serverless'],
    ['unchanged', 'none'],
    ['denied', 'serverless'],
  ])
    expect(text).toContain(`sluice_webhook_admissions_total{outcome="${outcome}",mode="${mode}"} 1`);
  expect(text).toContain('sluice_webhook_lookups_total{result="read"} 2');
});

test('a plugin that denies with nothing to read denies at once', async () => {
  const denies: Mutation = () => {
    throw new Denied('spec: expected another one');
  };
  expect(await admissions({ plugin: denies }).admitPod(podOf(SERVERLESS))).toMatchObject({
    allowed: false,
    status: { code: 403, message: 'spec: expected another one' },
  });
  expect(reads).toEqual([]);
});

describe('the log', () => {
  const denies =
    (message: string): Mutation =>
    () => {
      throw new Denied(message);
    };
  const owned = (pod: ReturnType<typeof podOf>) => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      ownerReferences: [
        { kind: 'Node', name: 'x' },
        { kind: 'Job', name: 'train', controller: true },
      ],
    },
  });
  test('names a pod that is denied, its owner and the reason, and nothing else of it', async () => {
    const pod = owned(podOf(SERVERLESS));
    await admissions({ plugin: denies('Dataset ml/a: expected it to be bound, found phase NotBound') }).admitPod(pod);
    expect(lines).toEqual([
      [
        'denied a pod',
        {
          namespace: 'ml',
          generateName: 'a-',
          owner: 'Job/train',
          reason: 'Dataset ml/a: expected it to be bound, found phase NotBound',
        },
      ],
    ]);
  });
  test('has no text that was found in a field of the pod', async () => {
    const { admitPod } = admissions({ plugin: denies('metadata.annotations[x/extra-envs]: expected NAME=value, found "KEY hunter2"') });
    const note = 'no files are prefetched: metadata.annotations[x/image]: expected an image, found "hunter2"';
    const warns: Mutation = (pod, { warn }) => {
      warn(note);
      return pod;
    };
    await admissions({ plugin: warns }).admitPod(podOf(SERVERFUL));
    expect(lines).toMatchObject([['admitted a pod with warnings', { warnings: [note.split(', found')[0]] }]]);
    lines = [];
    await admitPod(podOf(SERVERLESS));
    await admitPod({ metadata: { name: 'a', labels: SERVERLESS }, spec: { containers: [{ env: ['KEY=hunter2'] }] } });
    expect(lines).toMatchObject([
      ['denied a pod', { generateName: 'a-', reason: 'metadata.annotations[x/extra-envs]: expected NAME=value' }],
      ['denied a pod', { name: 'a', reason: 'spec.containers[0].env[0]: expected an object' }],
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
  test('has the warnings of a pod that is admitted, which are counted', async () => {
    await admissions({ plugin: breaks }).admitPod(podOf(SERVERFUL));
    expect(lines).toEqual([['admitted a pod with warnings', { namespace: 'ml', generateName: 'a-', warnings: [expect.any(String)] }]]);
    expect(await registry.getSingleMetricAsString('sluice_webhook_warnings_total')).toContain('sluice_webhook_warnings_total 1');
  });
  test('has no line of a pod that is admitted as it should be', async () => {
    await admissions().admitPod(podOf(SERVERLESS));
    await admissions().admitPod(podOf({}));
    expect(lines).toEqual([]);
  });
});
