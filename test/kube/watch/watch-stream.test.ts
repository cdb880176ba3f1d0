import { afterEach, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { ResourceType, WatchEvent } from '../../../src/kube/types.ts';
import { aMoment, manualClock, until } from '../../support/manual-clock.ts';
import { hang, json, lines, pieces, reset, type ScriptedServer, type Step, scriptedServer } from '../../support/scripted-server.ts';

const CONFIG_MAP: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const added = (name: string, resourceVersion: string) => ({
  type: 'ADDED',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns', resourceVersion } },
});

let server: ScriptedServer;
let client: KubeClient;
afterEach(async () => {
  await client.close();
  await server.close();
});

/** Watches until the end; `error` is how it ended. */
async function watch(step: Step, clock = manualClock()) {
  server = await scriptedServer([step]);
  client = createClient({ server: server.url }, { fieldManager: 'sluice', clock });
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  let error: unknown;
  const ended = (async () => {
    try {
      for await (const event of client.watch(CONFIG_MAP, { resourceVersion: '1', timeoutSeconds: 300, signal: stop.signal }))
        events.push(event);
    } catch (caught) {
      error = caught;
    }
    return error;
  })();
  return { clock, stop, events, ended };
}

test('asks for bookmarks, from the version given', async () => {
  const { stop, ended } = await watch(lines());
  await until(() => server.requests.length === 1, 'no watch');
  expect(server.requests[0]?.path).toBe('/api/v1/configmaps?watch=true&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=300');
  stop.abort();
  expect(await ended).toBeUndefined();
});

test('an event may be cut anywhere, within a character too', async () => {
  const bytes = Buffer.from(`${JSON.stringify(added('größe-✓', '2'))}\n${JSON.stringify(added('b', '3'))}\n`);
  const cut = bytes.indexOf(Buffer.from('✓')) + 1;
  const { events, ended } = await watch(pieces(bytes.subarray(0, cut), bytes.subarray(cut, cut + 1), bytes.subarray(cut + 1)));
  expect(await ended).toBeUndefined();
  expect(events.map(({ object }) => object.metadata.name)).toEqual(['größe-✓', 'b']);
});

test('a line that is no JSON ends it, without being quoted', async () => {
  const { events, ended } = await watch(pieces(`${JSON.stringify(added('a', '2'))}\n{"type":"ADDED","object":{"hunter2\n`));
  const error = await ended;
  expect(events).toHaveLength(1);
  expect(error).toBeInstanceOf(SyntaxError);
  expect(String(error)).not.toContain('hunter2');
});

test('JSON that is no event ends it', async () => {
  const { ended } = await watch(pieces('{"hello":1}\n'));
  expect(await ended).toBeInstanceOf(SyntaxError);
});

test('an event that breaks off with the connection is an error, not an event', async () => {
  const { events, ended } = await watch(pieces(`${JSON.stringify(added('a', '2'))}\n{"type":"ADD`));
  expect(await ended).toBeInstanceOf(SyntaxError);
  expect(events).toHaveLength(1);
});

test('an ERROR event is thrown as what it says', async () => {
  const { ended } = await watch(lines({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } }));
  expect(await ended).toMatchObject({ name: 'ApiError', status: 410, reason: 'Expired', method: 'WATCH' });
});

test('a refusal is thrown as what it says', async () => {
  const { ended } = await watch(json(429, { kind: 'Status', reason: 'TooManyRequests' }, { 'retry-after': '3' }));
  expect(await ended).toMatchObject({ status: 429, retryAfterMs: 3_000 });
});

test('a broken connection is no answer', async () => {
  const { ended } = await watch(reset);
  expect(await ended).toMatchObject({ name: 'NoAnswer' });
});

test('a server that does not even begin is given up', async () => {
  const { clock, ended } = await watch(hang);
  await until(() => server.requests.length === 1, 'no watch');
  clock.advance(30_000);
  expect(await ended).toMatchObject({ name: 'NoAnswer', code: 'TIMEOUT' });
});

test('one that has spoken and then says nothing for 90 s is dead', async () => {
  const { clock, events, ended } = await watch(lines(added('a', '2')));
  await until(() => events.length === 1, 'no event');
  clock.advance(89_999);
  await aMoment();
  clock.advance(1);
  expect(await ended).toMatchObject({ name: 'NoAnswer', code: 'TIMEOUT' });
});

test('one that has not spoken yet may be silent until its time is over', async () => {
  const { clock, stop, events, ended } = await watch(lines());
  await until(() => clock.waits.includes(330_000), 'not open');
  clock.advance(329_999);
  await aMoment();
  expect(events).toEqual([]);
  stop.abort();
  expect(await ended).toBeUndefined();
});

/** A watch with one event, and whether its connection was closed. */
function observed(): { step: Step; isClosed: () => boolean } {
  let closed = false;
  const step: Step = (response) => {
    response.on('close', () => {
      closed = true;
    });
    lines(added('a', '2'))(response);
  };
  return { step, isClosed: () => closed };
}

test('stopping ends it at once and closes the connection', async () => {
  const { step, isClosed } = observed();
  const { stop, events, ended } = await watch(step);
  await until(() => events.length === 1, 'no event');
  stop.abort();
  expect(await ended).toBeUndefined();
  await until(isClosed, 'the connection stays open');
});

test('a reader that stops closes the connection', async () => {
  const { step, isClosed } = observed();
  server = await scriptedServer([step]);
  client = createClient({ server: server.url }, { fieldManager: 'sluice' });
  const stop = new AbortController();
  for await (const { type } of client.watch(CONFIG_MAP, { resourceVersion: '1', timeoutSeconds: 300, signal: stop.signal })) {
    expect(type).toBe('ADDED');
    break;
  }
  await until(isClosed, 'the connection stays open');
});
