import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import { type Reflector, type ReflectorStatus, reflect } from '../../../src/kube/watch/reflector.ts';
import { whyStale } from '../../../src/kube/watch/staleness.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { type ManualClock, manualClock, until } from '../../support/manual-clock.ts';
import { json, lines, reset, type ScriptedServer, type Step, scriptedServer } from '../../support/scripted-server.ts';

const CONFIG_MAP: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const list = (resourceVersion: string) => json(200, { metadata: { resourceVersion }, items: [] });
const event = (resourceVersion: string) => ({
  type: 'ADDED',
  object: { metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion } },
});

let server: ScriptedServer;
let client: KubeClient;
let clock: ManualClock;
let reflector: Reflector<KubeObject>;
afterEach(async () => {
  reflector.stop();
  await client.close();
  await server.close();
});
async function start(...script: readonly Step[]): Promise<void> {
  server = await scriptedServer(script);
  clock = manualClock();
  client = createClient({ server: server.url }, { fieldManager: 'sluice', clock });
  reflector = reflect(client, CONFIG_MAP, { onChange: () => {}, clock });
  // The process has been away for a moment now.
  clock.advance(1);
}
const asked = (): string[] =>
  server.requests.map(({ path }) => {
    const query = new URL(path, server.url).searchParams;
    return query.has('watch') ? `watch from ${query.get('resourceVersion')}` : 'list';
  });
const requestsSeen = (count: number) => until(() => asked().length === count, `${count} requests expected: ${asked().join(', ')}`);
const watching = () => until(() => reflector.status.awayMs === 0, 'it does not watch');

describe('a watch that is open and says nothing', () => {
  test('is restarted 7 s after a write that it should show', async () => {
    await start(list('5'), lines(), lines(event('9')));
    await watching();
    reflector.expect('9');
    expect(whyStale(reflector.status)).toBeUndefined();
    clock.advance(7_000);
    expect(whyStale(reflector.status)).toBe('behind what was written');
    await clock.passes(100);
    await until(() => whyStale(reflector.status) === undefined, 'it is behind for good');
    expect(asked()).toEqual(['list', 'watch from 5', 'watch from 5']);
    expect(reflector.store.size).toBe(1);
  });

  test('is listed again when it stays silent', async () => {
    await start(list('5'), lines(), lines(), list('9'), lines());
    await watching();
    reflector.expect('9');
    clock.advance(7_000);
    await clock.passes(100);
    await requestsSeen(3);
    await watching();
    clock.advance(7_000);
    await clock.passes(200);
    await until(() => reflector.status.lists === 2 && !reflector.status.behind, 'not listed');
    await requestsSeen(5);
    expect(asked().slice(2)).toEqual(['watch from 5', 'list', 'watch from 9']);
  });

  test('costs nothing where nothing is written', async () => {
    await start(list('5'), lines());
    await watching();
    clock.advance(60_000);
    expect(asked()).toEqual(['list', 'watch from 5']);
    expect(whyStale(reflector.status)).toBeUndefined();
    expect(reflector.status.silentMs).toBe(60_000);
  });
});

test('a watch that broke and cannot be restarted counts as away since the last message', async () => {
  await start(list('5'), lines(event('6')), reset);
  await watching();
  clock.advance(20_000);
  await server.close();
  await until(() => reflector.status.failures > 0, 'it did not notice');
  expect(reflector.status.awayMs).toBe(20_000);
  expect(whyStale(reflector.status)).toMatch(/^not watched for 20 s \(.+\)$/);
});

test.skipIf(process.platform !== 'linux')('the connection of a watch has TCP keep-alive every few seconds', async () => {
  await start(list('5'), lines());
  await watching();
  const port = server.port.toString(16).toUpperCase().padStart(4, '0');
  // proc(5), /proc/net/tcp: 01 is ESTABLISHED; timer 02 is keep-alive, and its end in hundredths of a second.
  const timers = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === '01')
    .map(([, , , , , timer = '']) => timer.split(':'));
  expect(timers.length).toBeGreaterThan(0);
  for (const [kind, left = ''] of timers) {
    expect(kind).toBe('02');
    expect(Number.parseInt(left, 16)).toBeLessThanOrEqual(400);
  }
});

describe('staleness of', () => {
  const well: ReflectorStatus = {
    synced: true,
    lists: 1,
    watches: 1,
    failures: 0,
    unknownKind: false,
    lastError: undefined,
    lastSyncAt: 0,
    resourceVersion: '5',
    silentMs: 0,
    awayMs: 0,
    behind: false,
  };
  test.each<[string, Partial<ReflectorStatus>, string | undefined]>([
    ['a watch', {}, undefined],
    ['a watch of something to which nothing happens', { silentMs: 59_000 }, undefined],
    ['a watch that is being restarted', { awayMs: 14_999, failures: 3 }, undefined],
    ['a watch that is not restarted for 15 s', { awayMs: 15_000 }, 'not watched for 15 s'],
    ['a collection that cannot be listed', { synced: false, lastError: 'forbidden' }, 'not listed yet (forbidden)'],
    ['a watch that is behind', { behind: true }, 'behind what was written'],
  ])('%s', (_, status, why) => expect(whyStale({ ...well, ...status })).toBe(why));
});
