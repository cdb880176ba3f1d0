import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient, isAlreadyExists, isConflict, isInvalid, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { ClientOptions, RequestInfo } from '../../../src/kube/contract.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { aMoment, manualClock, until } from '../../support/manual-clock.ts';
import { hang, json, lines, reset, type ScriptedServer, type Step, scriptedServer, text } from '../../support/scripted-server.ts';

const CONFIG_MAP: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const CLUSTER_ROLE: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
const SECRET: ResourceType = { ...CONFIG_MAP, plural: 'secrets', kind: 'Secret' };
const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } };
const at = { namespace: 'ns', name: 'a' };

let server: ScriptedServer;
let client: KubeClient;
afterEach(async () => {
  await client.close();
  await server.close();
});

async function start(script: readonly Step[], options: Partial<ClientOptions> = {}): Promise<KubeClient> {
  server = await scriptedServer(script);
  client = createClient({ server: server.url }, { fieldManager: 'sluice', ...options });
  return client;
}

const failure = (promise: Promise<unknown>): Promise<Error & Record<string, unknown>> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error,
  );
const requestsSeen = (count: number) =>
  until(() => server.requests.length === count, `${count} requests expected, ${server.requests.length} came`);

const status = (code: number, reason: string, message: string, details?: object) =>
  json(code, { kind: 'Status', code, reason, message, details });
const collect = async <T>(all: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
};

describe('what goes over the wire', () => {
  test('apply is a PATCH with our field manager, forced when asked for', async () => {
    await start([json(200, object)]);
    await client.apply(CONFIG_MAP, object, { force: true, dryRun: true, fieldValidation: 'Strict' });
    expect(server.requests).toMatchObject([
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/ns/configmaps/a?fieldManager=sluice&dryRun=All&fieldValidation=Strict&force=true',
        headers: { 'content-type': 'application/apply-patch+yaml', 'user-agent': 'sluice' },
        body: JSON.stringify(object),
      },
    ]);
  });

  test('names keep their case and are encoded', async () => {
    await start([json(200, object)]);
    await client.get(CLUSTER_ROLE, { name: 'system:Öx' });
    expect(server.requests[0]?.path).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3A%C3%96x');
  });

  test.each(['', '.', '..', 'a/b', 'a%2fb'])('a name that is no path segment is refused: %j', async (name) => {
    await start([]);
    await expect(client.get(CONFIG_MAP, { namespace: 'ns', name })).rejects.toThrow('not a valid name');
    await expect(client.get(CONFIG_MAP, { namespace: name, name: 'a' })).rejects.toThrow('not a valid namespace');
  });

  test('a namespaced object without namespace is refused', async () => {
    await start([]);
    await expect(client.get(CONFIG_MAP, { name: 'a' })).rejects.toThrow('ConfigMap a needs a namespace');
  });

  test('a delete carries its preconditions', async () => {
    await start([json(200, {})]);
    await client.delete(CONFIG_MAP, at, { uid: 'u1', resourceVersion: '7', propagation: 'Foreground', gracePeriodSeconds: 1 });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      preconditions: { uid: 'u1', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 1,
    });
  });

  test('the token is asked for each request, and the path of the server is kept', async () => {
    server = await scriptedServer([json(200, object), json(200, object)]);
    let issued = 0;
    client = createClient({ server: `${server.url}/k8s/clusters/c-1/`, token: () => `token${++issued}` }, { fieldManager: 'sluice' });
    await client.get(CONFIG_MAP, at);
    await client.get(CONFIG_MAP, at);
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer token1', 'Bearer token2']);
    expect(server.requests[0]?.path).toBe('/k8s/clusters/c-1/api/v1/namespaces/ns/configmaps/a');
  });

  test('items of a list get the kind that the server leaves out', async () => {
    await start([
      json(200, { kind: 'ConfigMapList', metadata: { resourceVersion: '5', continue: '' }, items: [{ metadata: { name: 'a' } }] }),
    ]);
    expect(await client.list(CONFIG_MAP)).toEqual({
      items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
      resourceVersion: '5',
      size: expect.any(Number),
    });
  });

  // Two, since undici frees a connection a tick after the last byte of an answer.
  test('requests one after the other share two connections', async () => {
    await start(Array.from({ length: 20 }, () => json(200, object)));
    for (let i = 0; i < 20; i++) await client.get(CONFIG_MAP, at);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  test('never more requests at a time than allowed, first come first served', async () => {
    const release: (() => void)[] = [];
    const held: Step = (response) => void release.push(() => json(200, object)(response));
    await start([held, held, held, held], { maxConnections: 2 });
    const all = ['a', 'b', 'c', 'd'].map((name) => client.get(CONFIG_MAP, { namespace: 'ns', name }));
    await requestsSeen(2);
    await aMoment();
    expect(server.requests).toHaveLength(2);
    release[0]?.();
    await requestsSeen(3);
    expect(server.requests[2]?.path).toMatch(/c$/);
    release[1]?.();
    await requestsSeen(4);
    release[2]?.();
    release[3]?.();
    await Promise.all(all);
  });

  test('requests of one namespace that are answered late leave room for those of another', async () => {
    await start([hang, hang, hang, json(200, object)], { maxConnections: 4 });
    const stop = new AbortController();
    const late = Array.from({ length: 9 }, () => failure(client.create(CONFIG_MAP, object, { signal: stop.signal })));
    await requestsSeen(3);
    expect(await client.get(CONFIG_MAP, { namespace: 'other', name: 'a' })).toMatchObject({ metadata: { name: 'a' } });
    stop.abort(new Error('enough'));
    await Promise.all(late);
  });

  test('a process that has loaded nothing else can read and watch', async () => {
    await start([json(200, object), lines({ type: 'ADDED', object })]);
    const program = `
      import { createClient } from ${JSON.stringify(new URL('../../../src/kube/client/kube-client.ts', import.meta.url).href)};
      const client = createClient({ server: ${JSON.stringify(server.url)} }, { fieldManager: 'sluice' });
      const type = ${JSON.stringify(CONFIG_MAP)};
      const { metadata } = await client.get(type, ${JSON.stringify(at)});
      for await (const { type: kind } of client.watch(type, { resourceVersion: '1', timeoutSeconds: 300, signal: AbortSignal.timeout(60_000) })) {
        console.log(metadata.name, kind);
        process.exit();
      }`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('a ADDED\n');
  });

  test('25 watches leave the request connection free', async () => {
    await start([...Array.from({ length: 25 }, () => lines()), json(200, object)], { maxConnections: 1 });
    const stop = new AbortController();
    const watches = Array.from({ length: 25 }, () =>
      collect(client.watch(CONFIG_MAP, { resourceVersion: '1', timeoutSeconds: 300, signal: stop.signal })),
    );
    await requestsSeen(25);
    expect(await client.get(CONFIG_MAP, at)).toMatchObject({ metadata: { name: 'a' } });
    stop.abort();
    expect((await Promise.all(watches)).flat()).toEqual([]);
  });
});

describe('trying again', () => {
  test('a 429 keeps every request away for as long as the server says', async () => {
    const clock = manualClock();
    await start([json(429, {}, { 'retry-after': '7' }), json(200, object), json(200, object)], { clock });
    const turnedAway = client.apply(CONFIG_MAP, object);
    await until(() => clock.waits.includes(7_000), 'no pause');
    const other = client.get(CONFIG_MAP, at);
    clock.advance(6_999);
    await aMoment();
    expect(server.requests).toHaveLength(1);
    clock.advance(1);
    await Promise.all([turnedAway, other]);
    expect(server.requests).toHaveLength(3);
  });

  test('a 429 is not answered for ever', async () => {
    const clock = manualClock();
    const seen: RequestInfo[] = [];
    await start([json(429, {}), json(429, {}), json(429, {})], { clock, onRequest: (info) => seen.push(info) });
    const given = failure(client.get(CONFIG_MAP, at, { retries: 2 }));
    await clock.passes(1_000);
    await clock.passes(1_000);
    expect(await given).toMatchObject({ name: 'ApiError', status: 429 });
    expect(seen).toMatchObject([{ method: 'GET', resource: 'configmaps', status: 429, retries: 2, durationMs: 2_000 }]);
  });

  test('a server that asks for an hour of waiting: the caller gets the error at once', async () => {
    await start([json(429, {}, { 'retry-after': '3600' })]);
    expect(await failure(client.get(CONFIG_MAP, at))).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
  });

  test('a read that met a 503 with Retry-After is repeated, a write is not', async () => {
    const clock = manualClock();
    await start([json(503, {}, { 'retry-after': '2' }), json(200, object), json(503, {}, { 'retry-after': '2' })], { clock });
    const read = client.get(CONFIG_MAP, at);
    await clock.passes(2_000);
    await read;
    expect(await failure(client.update(CONFIG_MAP, object))).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(3);
  });

  test.each([429, 503])('a %i about one object, such as of an admission webhook, keeps no other request away', async (code) => {
    const clock = manualClock();
    const denied = { kind: 'Status', code, message: 'admission webhook "limits" denied the request: slow down' };
    await start([json(code, denied, { 'retry-after': '30' }), json(200, object)], { clock });
    expect(await failure(client.create(CONFIG_MAP, object))).toMatchObject({ status: code, retryAfterMs: 30_000 });
    expect(await client.get(CONFIG_MAP, at)).toMatchObject({ metadata: { name: 'a' } });
  });

  test('a request that the server asks to retry in a second is retried then, and other requests are sent meanwhile', async () => {
    const clock = manualClock();
    const later = { kind: 'Status', code: 429, message: 'storage is (re)initializing', details: { retryAfterSeconds: 1 } };
    await start([json(429, later, { 'retry-after': '1' }), json(200, object), json(200, object)], { clock });
    const turnedAway = client.apply(CONFIG_MAP, object);
    await until(() => clock.waits.includes(1_000), 'does not wait');
    await client.get(CONFIG_MAP, at);
    clock.advance(1_000);
    await turnedAway;
    expect(server.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'PATCH']);
  });

  test('a request that waits to be sent again is given up when its caller does', async () => {
    const clock = manualClock();
    const gone = new AbortController();
    await start([json(429, { kind: 'Status', code: 429 })], { clock });
    const given = failure(client.create(CONFIG_MAP, object, { signal: gone.signal }));
    await until(() => clock.waits.includes(1_000), 'does not wait');
    gone.abort(new Error('enough'));
    expect(await given).toMatchObject({ message: 'enough' });
    expect(clock.waits).toEqual([]);
  });

  test('a read whose connection broke is repeated', async () => {
    const clock = manualClock();
    await start([reset, reset, json(200, object)], { clock });
    const read = client.get(CONFIG_MAP, at);
    await clock.passes(100);
    await clock.passes(200);
    expect(await read).toMatchObject({ metadata: { name: 'a' } });
  });

  test('a write whose connection broke is not: it may have been done', async () => {
    await start([reset]);
    expect(await failure(client.create(CONFIG_MAP, object))).toMatchObject({ name: 'NoAnswer', mayHaveArrived: true });
    expect(server.requests).toHaveLength(1);
  });

  test('a write whose connection was refused is repeated: the server never saw it', async () => {
    const clock = manualClock();
    await start([], { clock });
    const { port } = server;
    await server.close();
    const write = client.create(CONFIG_MAP, object);
    await until(() => clock.waits.includes(100), 'no back-off');
    server = await scriptedServer([json(201, object)], port);
    clock.advance(100);
    await write;
    expect(server.requests).toHaveLength(1);
  });

  test('a server that does not exist is given up in the end', async () => {
    await start([]);
    await server.close();
    expect(await failure(client.get(CONFIG_MAP, at, { retries: 0 }))).toMatchObject({ code: 'ECONNREFUSED', mayHaveArrived: false });
  });

  test('no answer within the timeout is an error, and not repeated', async () => {
    const clock = manualClock();
    await start([hang], { clock, timeoutMs: 12_345 });
    const read = failure(client.get(CONFIG_MAP, at));
    await requestsSeen(1);
    await clock.passes(12_345);
    expect(await read).toMatchObject({ name: 'NoAnswer', code: 'TIMEOUT', mayHaveArrived: true });
    expect((await read).message).toBe('GET /api/v1/namespaces/ns/configmaps/a: no answer within 12345 ms');
  });
});

describe('giving up', () => {
  test('an abort ends a request under way and one that waits for its turn', async () => {
    await start([hang], { maxConnections: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const underWay = failure(client.get(CONFIG_MAP, at, { signal: first.signal }));
    await requestsSeen(1);
    const waiting = failure(client.get(CONFIG_MAP, at, { signal: second.signal }));
    second.abort(new Error('second'));
    expect((await waiting).message).toBe('second');
    first.abort(new Error('first'));
    expect((await underWay).message).toBe('first');
  });

  test('the place of an aborted request is free again', async () => {
    await start([hang, json(200, object)], { maxConnections: 1 });
    const stop = new AbortController();
    const given = failure(client.get(CONFIG_MAP, at, { signal: stop.signal }));
    await requestsSeen(1);
    stop.abort(new Error('enough'));
    await given;
    expect(await client.get(CONFIG_MAP, at)).toMatchObject({ kind: 'ConfigMap' });
  });
});

describe('the fence', () => {
  test('a write that waited for its connection until after the deadline is not sent, as where the process was stopped meanwhile', async () => {
    const clock = manualClock();
    const deadline = clock.wall() + 4_000;
    await start([json(201, object), json(200, object)], { clock, deadline: () => deadline });
    const write = failure(client.create(CONFIG_MAP, object));
    while (clock.waits.length === 0) await Promise.resolve();
    // No timer rings: what the stopped process finds first is its connection.
    clock.setWall(10_000);
    expect(await write).toMatchObject({ name: 'NotLeader' });
    await client.get(CONFIG_MAP, at);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('after the deadline no write is sent, reads are', async () => {
    const clock = manualClock();
    const deadline = clock.wall() + 4_000;
    await start([json(200, object), json(200, object)], { clock, deadline: () => deadline });
    clock.advance(3_999);
    await client.apply(CONFIG_MAP, object);
    clock.advance(1);
    for (const write of [
      () => client.apply(CONFIG_MAP, object),
      () => client.create(CONFIG_MAP, object),
      () => client.update(CONFIG_MAP, object),
      () => client.patch(CONFIG_MAP, at, [], { type: 'json' }),
      () => client.delete(CONFIG_MAP, at),
      () => client.raw('POST', '/apis/x', { body: {} }),
    ]) {
      expect(await failure(write())).toMatchObject({ name: 'NotLeader' });
    }
    await client.get(CONFIG_MAP, at);
    expect(server.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET']);
  });

  test('a write waits no longer than the deadline for its answer', async () => {
    const clock = manualClock();
    const deadline = clock.wall() + 1_500;
    await start([hang], { clock, deadline: () => deadline });
    const write = failure(client.apply(CONFIG_MAP, object));
    await requestsSeen(1);
    await clock.passes(1_500);
    expect(await write).toMatchObject({ name: 'NoAnswer', code: 'TIMEOUT' });
  });

  test('a write that had to wait for its turn is judged when it is sent', async () => {
    const clock = manualClock();
    const deadline = clock.wall() + 1_000;
    let answer: (() => void) | undefined;
    const held: Step = (response) => {
      answer = () => json(200, object)(response);
    };
    await start([held], { clock, deadline: () => deadline, maxConnections: 1 });
    const read = client.get(CONFIG_MAP, at);
    await requestsSeen(1);
    const write = failure(client.apply(CONFIG_MAP, object));
    clock.advance(1_000);
    answer?.();
    await read;
    expect(await write).toMatchObject({ name: 'NotLeader' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('errors', () => {
  test('name the request, the status and what the server says', async () => {
    await start([status(404, 'NotFound', 'configmaps "a" not found')]);
    expect((await failure(client.get(CONFIG_MAP, at))).message).toBe(
      'GET /api/v1/namespaces/ns/configmaps/a: 404 NotFound: configmaps "a" not found',
    );
  });

  test('of a proxy are readable', async () => {
    const page = `<html><head><style>body { color: red }</style></head><body>\n<h1>502 Bad Gateway</h1>${'<p>nginx</p>'.repeat(200)}</body></html>`;
    await start([text(502, page)]);
    const { message } = await failure(client.get(CONFIG_MAP, at));
    expect(message).toMatch(/: 502: 502 Bad Gateway nginx nginx/);
    expect(message.length).toBeLessThan(300);
  });

  test('about Secrets do not quote the answer', async () => {
    await start([status(422, 'Invalid', 'data: Invalid value: "hunter2"', { causes: [{ message: 'hunter2' }] }), text(502, 'hunter2')]);
    const secret = { ...object, kind: 'Secret', data: { password: 'hunter2' } };
    const errors = [await failure(client.create(SECRET, secret)), await failure(client.create(SECRET, secret))];
    expect(errors[0]?.message).toContain('422 Invalid');
    for (const error of errors) expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('hunter2');
  });

  test('a redirect is not taken for an answer', async () => {
    await start([text(302, 'to the login page', { location: '/login' })]);
    expect((await failure(client.get(CONFIG_MAP, at))).message).toContain('302: to the login page');
  });

  test('something in the way of a JSON Patch is a conflict, an invalid result is not', async () => {
    await start([
      status(422, 'Invalid', 'the server rejected our request due to an error in our request', {}),
      status(422, 'Invalid', 'ConfigMap "a" is invalid', { name: 'a', kind: 'ConfigMap', causes: [{ message: 'x' }] }),
      status(409, 'AlreadyExists', 'configmaps "a" already exists'),
    ]);
    const patch = () => failure(client.patch(CONFIG_MAP, at, [{ op: 'test', path: '/metadata/uid', value: 'x' }], { type: 'json' }));
    const [test, invalid, exists] = [await patch(), await patch(), await failure(client.create(CONFIG_MAP, object))];
    expect([isConflict(test), isInvalid(test)]).toEqual([true, false]);
    expect([isConflict(invalid), isInvalid(invalid)]).toEqual([false, true]);
    expect([isConflict(exists), isAlreadyExists(exists)]).toEqual([false, true]);
  });
});
