import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type ClientOptions,
  createClient,
  isConflict,
  isInvalid,
  isNotFound,
  type KubeClient,
  type RequestInfo,
} from '../../src/kube/client/kube-client.ts';
import type { ClusterConnection } from '../../src/kube/client/connection.ts';
import { eventSink } from '../../src/kube/events/events.ts';
import { type ElectionOptions, elect, type LeaderElection } from '../../src/kube/lease/lease.ts';
import { LEASE } from '../../src/kube/lease/lease-record.ts';
import { listAll } from '../../src/kube/watch/pages.ts';
import { type ReflectOptions, type Reflector, reflect } from '../../src/kube/watch/reflector.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane/control-plane.ts';
import { type Forwarder, forwardTo } from '../support/forwarder.ts';
import { aMoment, until } from '../support/manual-clock.ts';

/** Only what hangs takes so long. */
const HANGS_MS = 100_000;

const CONFIG_MAP: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const NAMESPACE: ResourceType = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
const CLUSTER_ROLE: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};

let plane: ControlPlane;
let connection: ClusterConnection;
let client: KubeClient;
let namespace: string;
let serial = 0;
/** Resources that the test has opened, closed last first. */
let opened: (() => unknown)[] = [];

beforeAll(async () => {
  plane = await startControlPlane({ nodes: 0 });
  connection = connectionFrom(plane.kubeconfig);
  client = createClient(connection, { fieldManager: 'sluice-test' });
});
afterAll(async () => {
  await client?.close();
  await plane?.stop();
});
afterEach(async () => {
  for (const close of opened.toReversed()) await close();
  opened = [];
});

const plain = (base64: string) => Buffer.from(base64, 'base64').toString();

/** A kubeconfig with everything embedded. */
function connectionFrom(path: string): ClusterConnection {
  const { clusters, users } = parse(readFileSync(path, 'utf8'));
  return {
    server: clusters[0].cluster.server,
    ca: plain(clusters[0].cluster['certificate-authority-data']),
    cert: plain(users[0].user['client-certificate-data']),
    key: plain(users[0].user['client-key-data']),
  };
}

async function freshNamespace(): Promise<string> {
  const name = `kube-${++serial}`;
  await client.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data,
});
const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error,
  );

const createSelected = (name: string) => client.create(CONFIG_MAP, configMap(name, {}, { case: 'yes' }));

const removeSelected = (name: string) => client.delete(CONFIG_MAP, { namespace, name });

/** A client whose connections the test can break. */
async function breakable(options: Partial<ClientOptions> = {}): Promise<{ client: KubeClient; wire: Forwarder }> {
  const wire = await forwardTo(connection.server);
  const client = createClient({ ...connection, server: `https://127.0.0.1:${wire.port}` }, { fieldManager: 'sluice-test', ...options });
  opened.push(
    () => wire.close(),
    () => client.close(),
  );
  return { client, wire };
}

describe('requests', () => {
  beforeAll(async () => {
    namespace = await freshNamespace();
  });

  test('an object is applied, read, patched and deleted', async () => {
    const applied = await client.apply(CONFIG_MAP, configMap('a', { x: '1' }), { force: true, fieldValidation: 'Strict' });
    expect(applied['data']).toEqual({ x: '1' });
    expect(applied.metadata.managedFields).toMatchObject([{ manager: 'sluice-test', operation: 'Apply' }]);

    const at = { namespace, name: 'a' };
    const patched = await client.patch(CONFIG_MAP, at, { data: { y: '2' } }, { type: 'merge' });
    expect(patched['data']).toEqual({ x: '1', y: '2' });
    expect((await client.get(CONFIG_MAP, at)).metadata.resourceVersion).toBe(patched.metadata.resourceVersion);
    await client.update(CONFIG_MAP, { ...patched, data: {} });
    expect(isConflict(await failure(client.update(CONFIG_MAP, patched)))).toBe(true);

    await client.delete(CONFIG_MAP, at, { uid: applied.metadata.uid, propagation: 'Background' });
    expect(isNotFound(await failure(client.get(CONFIG_MAP, at)))).toBe(true);
  });

  test('a dry run changes nothing', async () => {
    await client.create(CONFIG_MAP, configMap('dry'), { dryRun: true });
    expect(isNotFound(await failure(client.get(CONFIG_MAP, { namespace, name: 'dry' })))).toBe(true);
  });

  test('strict validation names the unknown field', async () => {
    const error = await failure(client.create(CONFIG_MAP, { ...configMap('b'), nonsense: 1 }, { fieldValidation: 'Strict' }));
    expect(isInvalid(error)).toBe(true);
    expect(error.message).toContain('nonsense');
  });

  test('a field of another manager is a conflict unless forced', async () => {
    await client.apply(CONFIG_MAP, configMap('owned', { x: 'theirs' }), { fieldManager: 'them' });
    const error = await failure(client.apply(CONFIG_MAP, configMap('owned', { x: 'ours' })));
    expect(isConflict(error)).toBe(true);
    expect(error.message).toContain('them');
    expect(await client.apply(CONFIG_MAP, configMap('owned', { x: 'ours' }), { force: true })).toMatchObject({ data: { x: 'ours' } });
  });

  test('a JSON Patch whose test does not hold is a conflict; one that makes the object invalid is not', async () => {
    await client.create(CONFIG_MAP, configMap('tested'));
    const patch = (operation: object) => client.patch(CONFIG_MAP, { namespace, name: 'tested' }, [operation], { type: 'json' });
    const stale = await failure(patch({ op: 'test', path: '/metadata/uid', value: 'another' }));
    const invalid = await failure(patch({ op: 'add', path: '/metadata/labels', value: { '-': '' } }));
    expect([isConflict(stale), isInvalid(stale)]).toEqual([true, false]);
    expect([isConflict(invalid), isInvalid(invalid)]).toEqual([false, true]);
  });

  test('preconditions protect an object that was created again', async () => {
    await client.create(CONFIG_MAP, configMap('again'));
    expect(isConflict(await failure(client.delete(CONFIG_MAP, { namespace, name: 'again' }, { uid: 'another' })))).toBe(true);
    const gone = { ...configMap('never'), metadata: { name: 'never', namespace, uid: 'another' } };
    expect(isConflict(await failure(client.apply(CONFIG_MAP, gone, { force: true })))).toBe(true);
  });

  test('upper case in a name stays', async () => {
    const name = 'Test:MiXed';
    await client.apply(CLUSTER_ROLE, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] });
    expect((await client.get(CLUSTER_ROLE, { name })).metadata.name).toBe(name);
  });

  test('metadata only: nothing else comes, under the kind’s own name', async () => {
    await client.create(CONFIG_MAP, configMap('heavy', { x: 'y' }, { only: 'meta' }));
    const { items } = await client.list(CONFIG_MAP, { namespace, labelSelector: 'only=meta', metadataOnly: true });
    expect(items).toMatchObject([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'heavy' } }]);
    expect(items[0]).not.toHaveProperty('data');
  });

  test('a server whose certificate no known authority signed gets no request, after one try', async () => {
    const requests: RequestInfo[] = [];
    const stranger = createClient(
      { ...connection, ca: undefined },
      { fieldManager: 'sluice-test', onRequest: (info) => requests.push(info) },
    );
    opened.push(() => stranger.close());
    const error = await failure(stranger.version());
    expect(error).toMatchObject({ name: 'NoAnswer', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', mayHaveArrived: false });
    expect(requests).toMatchObject([{ status: 0, retries: 0 }]);
  });

  test('a token says who we are', async () => {
    const token = (await plane.kubectl('create', 'token', 'default', '-n', 'default')).trim();
    const { server, ca } = connection;
    const account = createClient({ server, ca, token: () => token }, { fieldManager: 'sluice-test' });
    opened.push(() => account.close());
    expect(await failure(account.list(CONFIG_MAP, { namespace }))).toMatchObject({
      status: 403,
      message: /system:serviceaccount:default:default/,
    });
    expect(await account.version()).toMatchObject({ gitVersion: /^v1\./ });
  });

  test('1,203 objects come in thirteen pages and equal one list', async () => {
    const names = Array.from({ length: 1_203 }, (_, i) => `many-${i}`);
    await Promise.all(names.map((name) => client.create(CONFIG_MAP, configMap(name, {}, { many: 'yes' }))));
    const requests: RequestInfo[] = [];
    const counted = createClient(connection, { fieldManager: 'sluice-test', onRequest: (request) => requests.push(request) });
    opened.push(() => counted.close());
    const all = await listAll(counted, CONFIG_MAP, { namespace, labelSelector: 'many=yes' });
    expect(requests).toHaveLength(13);
    expect(new Set(all.items.map(({ metadata }) => metadata.name))).toEqual(new Set(names));
  });
});

describe('reflector', () => {
  let changes: string[];
  beforeAll(async () => {
    namespace = await freshNamespace();
  });

  function watch(client: KubeClient, options: Partial<ReflectOptions<KubeObject>> = {}): Reflector<KubeObject> {
    changes = [];
    const reflector = reflect(client, CONFIG_MAP, {
      namespace,
      labelSelector: 'case=yes',
      onChange: ({ type, object }) => void changes.push(`${type} ${object.metadata.name}`),
      ...options,
    });
    opened.push(() => reflector.stop());
    return reflector;
  }
  const changesSeen = (...expected: string[]) =>
    until(() => changes.length >= expected.length, `expected ${expected.join(', ')}; saw ${changes.join(', ')}`, HANGS_MS).then(() =>
      expect(changes).toEqual(expected),
    );
  afterEach(async () => {
    const { items } = await client.list(CONFIG_MAP, { namespace, labelSelector: 'case=yes' });
    await Promise.all(items.map(({ metadata }) => removeSelected(metadata.name)));
  });

  test('sees what is there and what happens, by selector', async () => {
    await createSelected('a');
    const reflector = watch(client);
    await reflector.synced;
    await createSelected('b');
    await client.create(CONFIG_MAP, configMap('unselected'));
    await client.patch(CONFIG_MAP, { namespace, name: 'a' }, { data: { x: '1' } }, { type: 'merge' });
    await client.patch(CONFIG_MAP, { namespace, name: 'b' }, { metadata: { labels: { case: null } } }, { type: 'merge' });
    await removeSelected('a');
    await createSelected('a');
    await changesSeen('added a', 'added b', 'changed a', 'deleted b', 'deleted a', 'added a');
    expect([...reflector.store.keys()]).toEqual([`${namespace}/a`]);
    await removeSelected('b');
  });

  test('a broken connection is resumed without a new list; nothing is lost, nothing comes twice', async () => {
    const { client: ours, wire } = await breakable();
    const reflector = watch(ours);
    await reflector.synced;
    await createSelected('a');
    await changesSeen('added a');
    await wire.block();
    await createSelected('b');
    await removeSelected('a');
    await createSelected('a');
    await wire.unblock();
    await changesSeen('added a', 'added b', 'deleted a', 'added a');
    expect(reflector.status).toMatchObject({ lists: 1, failures: 0 });
  });

  test('a version that the server has forgotten: a new list, compared with the store', async () => {
    const { client: ours, wire } = await breakable();
    for (const name of ['same', 'changed', 'remade', 'gone']) await createSelected(name);
    const reflector = watch(ours);
    await reflector.synced;
    await wire.block();
    await client.patch(CONFIG_MAP, { namespace, name: 'changed' }, { data: { x: '1' } }, { type: 'merge' });
    for (const name of ['gone', 'remade']) await removeSelected(name);
    for (const name of ['remade', 'born']) await createSelected(name);
    // A new API server remembers nothing from before its start.
    await plane.restartApiServer();
    changes.length = 0;
    await wire.unblock();
    await until(() => changes.length >= 5, `saw ${changes.join(', ')}`, HANGS_MS);
    await aMoment(200);
    expect(changes.toSorted()).toEqual(['added born', 'added remade', 'changed changed', 'deleted gone', 'deleted remade']);
    expect(changes.indexOf('deleted remade')).toBeLessThan(changes.indexOf('added remade'));
    expect(reflector.status.lists).toBe(2);
  });

  test('the API server is killed and started again: the store is true again, by itself', async () => {
    const reflector = watch(client);
    await reflector.synced;
    await createSelected('before');
    await changesSeen('added before');
    await plane.restartApiServer();
    await createSelected('after');
    await removeSelected('before');
    await until(
      () => reflector.store.has(`${namespace}/after`) && !reflector.store.has(`${namespace}/before`),
      `saw ${changes.join(', ')}`,
      40_000,
    );
    expect(changes).toEqual(['added before', 'added after', 'deleted before']);
  });

  test('25 reflectors at once, and requests between them', async () => {
    const reflectors = Array.from({ length: 25 }, () => watch(client));
    await Promise.all(reflectors.map(({ synced }) => synced));
    await createSelected('for-all');
    await until(() => reflectors.every(({ store }) => store.size === 1), 'not everywhere', HANGS_MS);
    expect((await client.get(CONFIG_MAP, { namespace, name: 'for-all' })).metadata.name).toBe('for-all');
  });

  test('a kind whose CRD comes later', async () => {
    const type: ResourceType = { group: 'late.example', version: 'v1', plural: 'guests', kind: 'Guest', namespaced: true };
    const names: string[] = [];
    const reflector = reflect(client, type, { onChange: ({ object }) => names.push(object.metadata.name) });
    opened.push(() => reflector.stop());
    await until(() => reflector.status.unknownKind, 'not noticed', HANGS_MS);
    await plane.kubectlApply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: guests.late.example }
spec:
  group: late.example
  names: { kind: Guest, plural: guests }
  scope: Namespaced
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`);
    await reflector.synced;
    await client.create(type, { apiVersion: 'late.example/v1', kind: 'Guest', metadata: { name: 'g', namespace } });
    await until(() => names.length === 1, 'not seen', HANGS_MS);
  });
});

describe('lease', () => {
  let order: string[];
  let at: { namespace: string; name: string };
  beforeAll(async () => {
    namespace = await freshNamespace();
  });

  /** One candidate more, for a lease of this test's own. */
  function candidate(identity: string, with_: KubeClient = client, options: Partial<ElectionOptions> = {}): LeaderElection {
    const election = elect(with_, {
      ...at,
      identity,
      onStarted: () => void order.push(`${identity} starts`),
      onStopped: () => void order.push(`${identity} stops`),
      onFailed: (error) => void order.push(`${identity} fails: ${String(error)}`),
      ...options,
    });
    opened.push(() => election.stop());
    return election;
  }
  function freshLease(): void {
    order = [];
    at = { namespace, name: `lease-${++serial}` };
  }
  const becomes = (last: string) => until(() => order.at(-1) === last, `expected ${last}: ${order.join(', ')}`, HANGS_MS);
  const specOf = async () => (await client.get(LEASE, at))['spec'] as Record<string, unknown>;

  test('one leads, the other takes over when it stops', async () => {
    freshLease();
    const first = candidate('first');
    await becomes('first starts');
    const second = candidate('second');
    await until(() => second.holder === 'first', 'not seen', HANGS_MS);
    expect([first.isLeader, second.isLeader]).toEqual([true, false]);
    const { acquireTime } = await specOf();
    expect(acquireTime).toMatch(/T\d\d:\d\d:\d\d\.\d{6}Z$/);
    await first.stop();
    await becomes('second starts');
    expect(order).toEqual(['first starts', 'first stops', 'second starts']);
    expect(await specOf()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1, leaseDurationSeconds: 6 });
    await second.stop();
    expect(await specOf()).toMatchObject({ holderIdentity: '' });
  });

  test('a leader that is cut off has stopped before the other starts', async () => {
    freshLease();
    const { client: lonely, wire } = await breakable();
    const first = candidate('first', lonely);
    await becomes('first starts');
    const second = candidate('second');
    await until(() => second.holder === 'first', 'not seen', HANGS_MS);
    await wire.block();
    await becomes('second starts');
    expect(order).toEqual(['first starts', 'first stops', 'second starts']);
    expect(first.writeDeadline()).toBe(0);
    await wire.unblock();
    await until(() => first.holder === 'second', 'not seen', HANGS_MS);
    expect(order).toHaveLength(3);
  });

  test('a process that is restarted in its place leads at once', async () => {
    freshLease();
    const { client: killed, wire } = await breakable();
    candidate('pod_1', killed);
    await becomes('pod_1 starts');
    // As SIGKILL would: no word to the server.
    await wire.block();
    const waits: string[] = [];
    candidate('pod_2', client, {
      alive: (holder) => holder !== 'pod_1',
      onStarted: () => void waits.push('pod_2 starts'),
    });
    await until(() => waits.length === 1, 'not leading', HANGS_MS);
    // The dead one had no time to notice: no candidate waited for a lease to expire.
    expect(order).toEqual(['pod_1 starts']);
  });

  test('a quiet leader sends renewals and nothing else; a standby only watches', async () => {
    freshLease();
    const sent: Record<'leader' | 'standby', RequestInfo[]> = { leader: [], standby: [] };
    const observed = (who: 'leader' | 'standby') => {
      const own = createClient(connection, { fieldManager: who, onRequest: (request) => sent[who].push(request) });
      opened.push(() => own.close());
      return own;
    };
    candidate('leader', observed('leader'));
    await becomes('leader starts');
    const before = sent.leader.length;
    const standby = candidate('standby', observed('standby'));
    await until(() => sent.leader.length >= before + 3, 'no renewals', HANGS_MS);
    expect(new Set(sent.leader.slice(before).map(({ method, status }) => `${method} ${status}`))).toEqual(new Set(['PUT 200']));
    expect(standby.holder).toBe('leader');
    expect(sent.standby.map(({ method }) => method)).toEqual(['GET', 'WATCH']);
  });

  test('a Lease that is deleted or edited by hand stays with its leader', async () => {
    freshLease();
    const leader = candidate('leader');
    await becomes('leader starts');
    await client.patch(LEASE, at, { metadata: { labels: { by: 'hand' } } }, { type: 'merge' });
    const renewal = leader.writeDeadline();
    await until(() => leader.writeDeadline() > renewal, 'not renewed', HANGS_MS);
    expect((await client.get(LEASE, at)).metadata.labels).toMatchObject({ by: 'hand' });
    await client.delete(LEASE, at);
    await until(() => leader.writeDeadline() > renewal + 2_500, 'not renewed', HANGS_MS);
    expect(await specOf()).toMatchObject({ holderIdentity: 'leader' });
    expect(order).toEqual(['leader starts']);
  });

  test('after a restart of the API server the same leader leads, and no other does meanwhile', async () => {
    freshLease();
    const leader = candidate('leader');
    await becomes('leader starts');
    await plane.restartApiServer();
    await until(() => leader.isLeader && order.at(-1) === 'leader starts', `not leading: ${order.join(', ')}`, HANGS_MS);
    await client.create(CONFIG_MAP, configMap(`after-${serial}`));
  });
});

const sinkOf = (warnings: string[]) =>
  eventSink(client, {
    reportingController: 'data.fluid.io/sluice',
    reportingInstance: 'sluice-0_1',
    log: { debug() {}, info() {}, warn: (fields) => void warnings.push(JSON.stringify(fields)), error() {} },
  });

describe('events', () => {
  test('people see them with kubectl, on the object that they are about', async () => {
    namespace = await freshNamespace();
    const { metadata } = await client.create(CONFIG_MAP, configMap('subject'));
    const warnings: string[] = [];
    const sink = sinkOf(warnings);
    const regarding = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'subject', uid: metadata.uid };
    sink.emit({ regarding, type: 'Warning', reason: 'MountFailed', note: `no such bucket ${'é'.repeat(2_000)}` });
    sink.emit({ regarding: { apiVersion: 'v1', kind: 'Node', name: 'n1' }, type: 'Normal', reason: 'Labelled', note: 'a node' });
    await sink.flush();
    expect(warnings).toEqual([]);
    const described = await plane.kubectl('describe', 'configmap', 'subject', '-n', namespace);
    expect(described).toMatch(/Warning\s+MountFailed\s+.*sluice.*no such bucket/);
    expect(await plane.kubectl('get', 'events', '-n', 'default')).toContain('Labelled');
  });

  test('a repeated one is one event with a count', async () => {
    namespace = await freshNamespace();
    let minutes = 0;
    const warnings: string[] = [];
    const sink = eventSink(client, {
      reportingController: 'data.fluid.io/sluice',
      reportingInstance: 'sluice-0_1',
      clock: { wall: () => Date.now() + minutes * 60_000, monotonic: () => minutes * 60_000, after: () => () => {}, random: () => 0 },
      log: { debug() {}, info() {}, warn: (fields) => void warnings.push(JSON.stringify(fields)), error() {} },
    });
    for (; minutes < 3; minutes++) {
      sink.emit({
        regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'x' },
        type: 'Normal',
        reason: 'Again',
        note: 'and again',
      });
      await sink.flush();
    }
    expect(warnings).toEqual([]);
    const { items } = JSON.parse(await plane.kubectl('get', 'events.events.k8s.io', '-n', namespace, '-o', 'json'));
    expect(items).toMatchObject([{ reason: 'Again', series: { count: 3 } }]);
  });

  test('a namespace that is being deleted, or is deleted, causes no error', async () => {
    namespace = await freshNamespace();
    await client.create(CONFIG_MAP, { ...configMap('keeps-it'), metadata: { name: 'keeps-it', namespace, finalizers: ['test/wait'] } });
    await client.delete(NAMESPACE, { name: namespace });
    const warnings: string[] = [];
    const sink = sinkOf(warnings);
    for (const where of [namespace, 'no-such-namespace']) {
      sink.emit({
        regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace: where, name: 'x' },
        type: 'Normal',
        reason: 'Late',
        note: 'too late',
      });
    }
    await sink.flush();
    expect(warnings).toEqual([]);
    expect(sink.dropped).toBe(2);
    await client.patch(CONFIG_MAP, { namespace, name: 'keeps-it' }, { metadata: { finalizers: null } }, { type: 'merge' });
  });
});
