import { afterEach, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import { createLimiter } from '../../../src/kube/turns/limiter.ts';
import { type ReflectOptions, type Reflector, reflect } from '../../../src/kube/watch/reflector.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { aMoment, type ManualClock, manualClock, until } from '../../support/manual-clock.ts';
import { and, json, lines, pieces, reset, type ScriptedServer, type Step, scriptedServer } from '../../support/scripted-server.ts';

const CONFIG_MAP: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };

/** A ConfigMap called `name`; its uid differs from that of one created later under the same name. */
const object = (name: string, resourceVersion: number, uid = `uid-of-${name}`) => ({
  metadata: { name, namespace: 'ns', uid, resourceVersion: String(resourceVersion), managedFields: [{}] },
});
const event = (type: string, ...is: Parameters<typeof object>) => ({ type, object: object(...is) });
const bookmark = (resourceVersion: number) => ({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(resourceVersion) } } });
const list = (resourceVersion: number, ...items: object[]) => json(200, { metadata: { resourceVersion: String(resourceVersion) }, items });
const page = (resourceVersion: number, next: string, ...items: object[]) =>
  json(200, { metadata: { resourceVersion: String(resourceVersion), continue: next }, items });
const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

let server: ScriptedServer;
let client: KubeClient;
let clock: ManualClock;
let reflector: Reflector<KubeObject>;
let changes: string[];
let logged: string[];
afterEach(async () => {
  reflector.stop();
  await client.close();
  await server.close();
});

async function start(script: readonly Step[], options: Partial<ReflectOptions<KubeObject>> = {}): Promise<void> {
  server = await scriptedServer(script);
  clock = manualClock();
  client = createClient({ server: server.url }, { fieldManager: 'sluice', clock });
  changes = [];
  logged = [];
  const say = (level: string) => (_: object, message: string) => void logged.push(`${level} ${message}`);
  reflector = reflect(client, CONFIG_MAP, {
    onChange: ({ type, object }) => void changes.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`),
    log: { debug() {}, info: say('info'), warn: say('warn'), error: say('error') },
    clock,
    ...options,
  });
}
const changesSeen = (count: number) => until(() => changes.length >= count, `${count} changes expected: ${changes.join(', ')}`);
const requestsSeen = (count: number) =>
  until(() => server.requests.length === count, `${count} requests expected, ${server.requests.length} came`);
/** The n-th request: `list`, `list after <token>`, or `watch from <version>`. */
const asked = (): string[] =>
  server.requests.map(({ path }) => {
    const query = new URL(path, server.url).searchParams;
    if (query.get('watch') !== null) return `watch from ${query.get('resourceVersion')}`;
    return `list${query.get('limit') ? '' : ' whole'}${query.get('continue') ? ` after ${query.get('continue')}` : ''}`;
  });
/** How many objects were asked for at a time, request by request. */
const limits = () =>
  server.requests.map(({ path }) => new URL(path, server.url).searchParams.get('limit')).map((limit) => limit && Number(limit));

test('lists, then watches from there, in order', async () => {
  await start([
    list(5, object('a', 3), object('b', 4)),
    lines(event('ADDED', 'c', 6), event('MODIFIED', 'a', 7), event('DELETED', 'b', 8)),
  ]);
  await changesSeen(5);
  expect(changes).toEqual(['added a@3', 'added b@4', 'added c@6', 'changed a@7', 'deleted b@8']);
  expect([...reflector.store.keys()]).toEqual(['ns/a', 'ns/c']);
  expect(asked()).toEqual(['list', 'watch from 5']);
});

test('is synced once the first list is in the store', async () => {
  const order: string[] = [];
  await start([list(5, object('a', 3))], { onChange: () => order.push('change'), onSynced: () => order.push('onSynced') });
  await reflector.synced;
  expect(order).toEqual(['change', 'onSynced']);
  expect(reflector.get('ns', 'a')?.metadata.name).toBe('a');
  expect(reflector.get('other', 'a')).toBeUndefined();
});

test('does not list while another does that shares its gate, until that one fails', async () => {
  const held = Promise.withResolvers<() => void>();
  const listing = createLimiter(1, manualClock());
  await start([(response) => held.resolve(() => json(500, {})(response)), list(5)], { listing });
  const other = reflect(client, CONFIG_MAP, { onChange() {}, listing, clock });
  const fail = await held.promise;
  await aMoment();
  expect(server.requests).toHaveLength(1);
  fail();
  await other.synced;
  other.stop();
});

test('keeps everything but managedFields', async () => {
  await start([list(5, object('a', 3))]);
  await reflector.synced;
  expect(reflector.get('ns', 'a')).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'ns', uid: 'uid-of-a', resourceVersion: '3' },
  });
});

test('the selection is asked for by list and watch alike', async () => {
  await start([list(5)], { namespace: 'ns', labelSelector: 'a=b', fieldSelector: 'metadata.name=x', metadataOnly: true });
  await requestsSeen(2);
  for (const { path, headers } of server.requests) {
    expect(path).toMatch(/^\/api\/v1\/namespaces\/ns\/configmaps\?labelSelector=a%3Db&fieldSelector=metadata\.name%3Dx&/);
    expect(headers['accept']).toContain('as=PartialObjectMetadata');
  }
});

test('an event about what is stored already is nothing new', async () => {
  await start([list(5, object('a', 3)), lines(event('ADDED', 'a', 3), event('MODIFIED', 'a', 3), event('MODIFIED', 'a', 6))]);
  await changesSeen(2);
  expect(changes).toEqual(['added a@3', 'changed a@6']);
});

test('the deletion of what is not stored is nothing', async () => {
  await start([list(5), lines(event('DELETED', 'a', 6), event('ADDED', 'b', 7))]);
  await changesSeen(1);
  expect(changes).toEqual(['added b@7']);
});

test('created again under the same name, the old one is deleted first', async () => {
  await start([
    list(5, object('a', 3, 'old')),
    lines(event('ADDED', 'a', 9, 'new'), event('DELETED', 'a', 8, 'old'), event('ADDED', 'z', 10)),
  ]);
  await changesSeen(4);
  expect(changes).toEqual(['added a@3', 'deleted a@3', 'added a@9', 'added z@10']);
});

test('a large collection comes in pages', async () => {
  await start([page(5, 'p2', object('a', 1)), page(5, 'p3', object('b', 2)), page(5, '', object('c', 3))]);
  await reflector.synced;
  await requestsSeen(4);
  expect(changes).toEqual(['added a@1', 'added b@2', 'added c@3']);
  expect(asked()).toEqual(['list', 'list after p2', 'list after p3', 'watch from 5']);
});

test('pages that expire on the way are read again, in pages, and those of before do not count', async () => {
  await start([page(5, 'p2', object('a', 1)), json(410, expired), page(9, 'q2', object('b', 2)), list(9, object('c', 3))]);
  await reflector.synced;
  await requestsSeen(5);
  expect(changes).toEqual(['added b@2', 'added c@3']);
  expect(asked()).toEqual(['list', 'list after p2', 'list', 'list after q2', 'watch from 9']);
});

test('a collection whose pages always expire is read in ever larger ones, and in the end restarted with back-off', async () => {
  const again = [page(5, 'p', object('a', 1)), page(5, 'p', object('b', 1)), json(410, expired)];
  await start([...again, ...again, ...again, ...again, list(9, object('a', 1))]);
  await clock.passes(100);
  await reflector.synced;
  await requestsSeen(14);
  expect(limits().filter((_, i) => i % 3 === 2)).toEqual([100, 400, 1_600, 6_400]);
});

test.each<[string, Step]>([
  ['429', json(429, { kind: 'Status', code: 429 })],
  ['500', json(500, { kind: 'Status', code: 500 })],
  ['a broken connection', reset],
])('one page that is not answered, by %s, is asked for again, and only that one', async (_, fault) => {
  await start([page(5, 'p2', object('a', 1)), page(5, 'p3', object('b', 2)), fault, fault, list(5, object('c', 3))]);
  await clock.passes(100);
  await clock.passes(200);
  await reflector.synced;
  await requestsSeen(6);
  expect(changes).toEqual(['added a@1', 'added b@2', 'added c@3']);
  expect(asked()).toEqual(['list', 'list after p2', 'list after p3', 'list after p3', 'list after p3', 'watch from 5']);
});

test('a page that is never answered is given up, and the list is restarted', async () => {
  const fault = json(500, {});
  await start([page(5, 'p2', object('a', 1)), fault, fault, fault, fault, fault, list(6, object('b', 2))]);
  for (const wait of [100, 200, 400, 800]) await clock.passes(wait);
  await requestsSeen(6);
  expect(reflector.status.synced).toBe(false);
  await clock.passes(100);
  await reflector.synced;
  expect(changes).toEqual(['added b@2']);
});

test('pages are as large as a megabyte of what comes, whether objects are small or large', async () => {
  const sized = (name: string, kilobytes: number) => ({ ...object(name, 1), data: 'x'.repeat(kilobytes * 1_000) });
  await start([
    page(5, 'p2', sized('a', 1)),
    page(5, 'p3', sized('b', 1_500)),
    page(5, 'p4', sized('c', 100), sized('d', 100)),
    list(5, sized('e', 1)),
  ]);
  await reflector.synced;
  await requestsSeen(5);
  expect(limits()).toEqual([20, 100, 1, 9, null]);
});

test.each<[string, Step]>([
  ['broken connection', and(lines(event('ADDED', 'b', 6), bookmark(8)), 'reset')],
  ['half an event', pieces(`${JSON.stringify(event('ADDED', 'b', 6))}\n${JSON.stringify(bookmark(8))}\n{"type":"ADDED","obj`)],
  ['early end', and(lines(event('ADDED', 'b', 6), bookmark(8)), 'close')],
])('%s: goes on where it stopped, without a new list', async (_, fault) => {
  await start([list(5, object('a', 3)), fault, lines(event('ADDED', 'c', 9))]);
  await changesSeen(2);
  await clock.passes(100);
  await changesSeen(3);
  expect(changes).toEqual(['added a@3', 'added b@6', 'added c@9']);
  expect(asked()).toEqual(['list', 'watch from 5', 'watch from 8']);
});

test('a watch that ends after a good while is resumed at once', async () => {
  let end: (() => void) | undefined;
  const open: Step = (response) => {
    lines(bookmark(7))(response);
    end = () => response.end();
  };
  await start([list(5), open, lines()]);
  await until(() => reflector.status.resourceVersion === '7', 'no bookmark');
  clock.advance(10_000);
  end?.();
  await requestsSeen(3);
  expect(asked()).toEqual(['list', 'watch from 5', 'watch from 7']);
  expect(reflector.status).toMatchObject({ failures: 0, lists: 1, watches: 2 });
});

test.each<[string, Step]>([
  ['as an event', lines({ type: 'ERROR', object: expired })],
  ['as an answer', json(410, expired)],
])('a version that is too old, reported %s: a new list shows what changed meanwhile', async (_, fault) => {
  const before = [object('gone', 1), object('same', 2), object('changed', 3), object('remade', 4, 'old')];
  await start([
    list(5, ...before),
    fault,
    list(20, object('same', 2), object('changed', 11), object('remade', 12, 'new'), object('born', 13)),
    lines(),
  ]);
  await changesSeen(4);
  changes.length = 0;
  await clock.passes(100);
  await changesSeen(5);
  expect(changes).toEqual(['deleted gone@1', 'changed changed@11', 'deleted remade@4', 'added remade@12', 'added born@13']);
  await requestsSeen(4);
  expect(asked()).toEqual(['list', 'watch from 5', 'list', 'watch from 20']);
  expect(changes).toHaveLength(5);
});

test('failures of every kind, one after the other: it waits longer each time and never dies', async () => {
  const faults: Step[] = [
    reset,
    json(500, { kind: 'Status', reason: 'InternalError' }),
    json(429, {}),
    json(503, {}),
    reset,
    json(403, {}),
  ];
  await start([list(5), ...faults, lines(event('ADDED', 'a', 6))]);
  for (const wait of [100, 200, 400, 800, 1_600, 3_200]) await clock.passes(wait);
  await changesSeen(1);
  expect(asked().filter((what) => what === 'list')).toHaveLength(1);
  expect(reflector.status.failures).toBe(0);
  // Said once when it lasts, and once when it is over.
  expect(logged).toEqual(['warn watch failed; retrying', 'info watching again']);
});

test('a first list that fails is repeated until there is one', async () => {
  await start([json(500, {}), json(403, {}), list(5, object('a', 3))]);
  await clock.passes(100);
  expect(reflector.status.synced).toBe(false);
  await clock.passes(200);
  await reflector.synced;
  expect(changes).toEqual(['added a@3']);
});

test('the server says how long to stay away', async () => {
  await start([list(5), json(429, {}, { 'retry-after': '9' }), lines(event('ADDED', 'a', 6))]);
  await clock.passes(9_000);
  await changesSeen(1);
});

test('a version that the server keeps refusing is given up for a new list', async () => {
  const refusal = json(500, { kind: 'Status', reason: 'InternalError', message: 'cannot decode event' });
  await start([list(5), refusal, refusal, refusal, refusal, refusal, list(9, object('a', 8))]);
  for (const wait of [100, 200, 400, 800, 1_600]) await clock.passes(wait);
  await changesSeen(1);
  await requestsSeen(8);
  expect(asked().slice(-2)).toEqual(['list', 'watch from 9']);
});

test('a kind that is not installed is reported once, and found when it comes', async () => {
  const unknown = json(404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' });
  await start([unknown, unknown, unknown, unknown, unknown, unknown, unknown, list(5, object('a', 3))]);
  // Never longer than 5 s, less jitter: a caller may be waiting for the kind.
  for (const wait of [100, 200, 400, 800, 1_600, 2_500]) await clock.passes(wait);
  expect(reflector.status).toMatchObject({ unknownKind: true, synced: false });
  expect(logged).toEqual(['warn kind not installed']);
  await clock.passes(2_500);
  await reflector.synced;
  expect(reflector.status.unknownKind).toBe(false);
});

test('a kind that goes away for a while keeps what is stored', async () => {
  await start([list(5, object('a', 3)), json(404, {}), json(404, {}), list(9, object('a', 3))]);
  await clock.passes(100);
  await clock.passes(200);
  await requestsSeen(5);
  expect(changes).toEqual(['added a@3']);
});

test('a kind that stays away for five minutes was uninstalled, and its objects with it', async () => {
  await start([list(5, object('a', 3)), ...Array.from({ length: 200 }, () => json(404, {}))]);
  const passed = async (ms: number) => {
    for (let i = 0; i < ms; i += 2_500) await clock.passes(2_500);
  };
  for (const wait of [100, 200, 400, 800, 1_600]) await clock.passes(wait);
  await passed(250_000);
  expect(changes).toEqual(['added a@3']);
  await passed(100_000);
  expect(changes).toEqual(['added a@3', 'deleted a@3']);
});

test('a handler that throws is logged, and the next change comes all the same', async () => {
  const seen: string[] = [];
  await start([list(5, object('a', 3)), lines(event('ADDED', 'b', 6))], {
    onChange: ({ object }) => {
      seen.push(object.metadata.name);
      throw new Error('not today');
    },
    onSynced: () => {
      throw new Error('nor then');
    },
  });
  await until(() => seen.length === 2, 'no second change');
  expect(logged).toEqual([
    'error the handler of a change threw',
    'error the handler of the first list threw',
    'error the handler of a change threw',
  ]);
  expect(reflector.status.failures).toBe(0);
  expect([...reflector.store.keys()]).toEqual(['ns/a', 'ns/b']);
});

const project = (object: KubeObject): KubeObject => {
  if (object.metadata.name === 'bad') throw new Error('not today');
  return { ...object, kind: 'Projected' };
};
test('an object that cannot be projected is logged and passed over', async () => {
  await start([list(5, object('bad', 1), object('a', 3)), lines(event('MODIFIED', 'bad', 6), event('ADDED', 'b', 7))], { project });
  await changesSeen(2);
  expect(changes).toEqual(['added a@3', 'added b@7']);
  expect([...reflector.values()].map(({ kind }) => kind)).toEqual(['Projected', 'Projected']);
  expect(logged).toEqual(['error an object could not be read; it is left out', 'error an object could not be read; it is left out']);
});

test('the store has a change before onChange is called', async () => {
  const sizes: number[] = [];
  await start([list(5, object('a', 3)), lines(event('ADDED', 'b', 6), event('DELETED', 'a', 7))], {
    onChange: () => sizes.push(reflector.store.size),
  });
  await until(() => sizes.length === 3, 'no third change');
  expect(sizes).toEqual([1, 2, 1]);
});

test('a reflector that is stopped reports no change and sends no request', async () => {
  await start([list(5), lines(), lines()], {});
  await requestsSeen(2);
  reflector.stop();
  await aMoment();
  clock.advance(600_000);
  await aMoment();
  expect(server.requests).toHaveLength(2);
  expect(changes).toEqual([]);
});

test('a page that is much larger than the one before is not read to its end: fewer objects are asked for', async () => {
  const huge = page(5, 'p3', { ...object('b', 1), data: 'x'.repeat(33_000_000) });
  await start([page(5, 'p2', object('a', 1)), huge, huge, page(5, 'p3', object('b', 1)), list(5, object('c', 1))]);
  await reflector.synced;
  await requestsSeen(6);
  expect(changes).toEqual(['added a@1', 'added b@1', 'added c@1']);
  expect(asked()).toEqual(['list', 'list after p2', 'list after p2', 'list after p2', 'list after p3', 'watch from 5']);
  expect(limits()).toEqual([20, 100, 13, 2, 100, null]);
});

test.each<[string, readonly Step[]]>([
  ['whose next page does not come', [page(5, 'p2', object('a', 1))]],
  ['that is not answered', []],
])('a list %s keeps those of other kinds waiting for seconds only', async (_, script) => {
  const listing = createLimiter(1, manualClock());
  await start(script, { listing });
  await requestsSeen(script.length + 1);
  server.play(list(7));
  const other = reflect(client, CONFIG_MAP, { onChange() {}, listing, clock });
  await aMoment();
  expect(server.requests).toHaveLength(script.length + 1);
  await clock.passes(5_000);
  await other.synced;
  other.stop();
});
