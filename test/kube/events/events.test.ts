import { afterEach, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import { cut, type EventSink, eventSink, type Occurrence } from '../../../src/kube/events/events.ts';
import { type ManualClock, manualClock, until } from '../../support/manual-clock.ts';
import { hang, json, type ScriptedServer, type Step, scriptedServer } from '../../support/scripted-server.ts';

const failed: Occurrence = {
  regarding: { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', namespace: 'ns', name: 'demo', uid: 'u1' },
  type: 'Warning',
  reason: 'MountFailed',
  note: 'no such bucket',
};

let server: ScriptedServer;
let client: KubeClient;
let clock: ManualClock;
let sink: EventSink;
let logged: string[];
afterEach(async () => {
  await server.close();
  await client.close();
});

async function start(script: readonly Step[], { deadline }: { deadline?: () => number } = {}): Promise<void> {
  server = await scriptedServer(script);
  clock = manualClock();
  logged = [];
  const say = (level: string) => (_: object, message: string) => void logged.push(`${level} ${message}`);
  client = createClient({ server: server.url }, { fieldManager: 'sluice', clock, ...(deadline && { deadline }) });
  sink = eventSink(client, {
    reportingController: 'data.fluid.io/sluice',
    reportingInstance: 'sluice-0_1',
    clock,
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
  });
}
const ok = json(201, {});
const bodyOf = (index: number) => JSON.parse(server.requests[index]?.body ?? '{}');
const methods = () => server.requests.map(({ method }) => method);

test('an event says who, what, why and when', async () => {
  await start([ok]);
  sink.emit(failed);
  await sink.flush();
  expect(server.requests[0]?.path).toBe('/apis/events.k8s.io/v1/namespaces/ns/events?fieldManager=sluice');
  expect(bodyOf(0)).toMatchObject({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: expect.stringMatching(/^demo\.[0-9a-f]+$/), namespace: 'ns' },
    eventTime: '2026-01-02T03:04:05.678000Z',
    reportingController: 'data.fluid.io/sluice',
    reportingInstance: 'sluice-0_1',
    type: 'Warning',
    reason: 'MountFailed',
    action: 'MountFailed',
    note: 'no such bucket',
    regarding: failed.regarding,
  });
});

test('events about objects without a namespace are written in the namespace default', async () => {
  await start([ok]);
  sink.emit({ ...failed, regarding: { apiVersion: 'v1', kind: 'Node', name: 'n1' } });
  await sink.flush();
  expect(bodyOf(0).metadata.namespace).toBe('default');
});

test('the same again is no new event: its series is updated, at most once a minute', async () => {
  await start([ok, ok, ok]);
  sink.emit(failed);
  await sink.flush();
  for (let second = 1; second <= 119; second++) {
    clock.advance(1_000);
    sink.emit(failed);
    await sink.flush();
  }
  expect(methods()).toEqual(['POST', 'PATCH']);
  expect(server.requests[1]?.path).toContain(`/events/${bodyOf(0).metadata.name}`);
  expect(bodyOf(1)).toEqual({ series: { count: 61, lastObservedTime: '2026-01-02T03:05:05.678000Z' } });
});

test('another reason, note or object is another event', async () => {
  await start([ok, ok, ok, ok]);
  sink.emit(failed);
  sink.emit({ ...failed, note: 'no such key' });
  sink.emit({ ...failed, reason: 'Unmounted' });
  sink.emit({ ...failed, regarding: { ...failed.regarding, uid: 'u2' } });
  await sink.flush();
  expect(methods()).toEqual(['POST', 'POST', 'POST', 'POST']);
  expect(new Set([0, 1, 2, 3].map((index) => bodyOf(index).metadata.name)).size).toBe(4);
});

test('ten quiet minutes later it is a new event', async () => {
  await start([ok, ok]);
  sink.emit(failed);
  await sink.flush();
  clock.advance(600_000);
  sink.emit(failed);
  await sink.flush();
  expect(methods()).toEqual(['POST', 'POST']);
});

test('a series whose event has expired is written again', async () => {
  await start([ok, json(404, { kind: 'Status', reason: 'NotFound' }), ok]);
  sink.emit(failed);
  await sink.flush();
  clock.advance(60_000);
  sink.emit(failed);
  await sink.flush();
  expect(methods()).toEqual(['POST', 'PATCH', 'POST']);
  expect(bodyOf(2).series.count).toBe(2);
});

test('a namespace that is going away is not worth a line', async () => {
  const terminating = { kind: 'Status', code: 403, reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } };
  await start([
    json(403, terminating),
    json(404, { kind: 'Status', reason: 'NotFound' }),
    json(403, { kind: 'Status', reason: 'Forbidden' }),
  ]);
  for (const note of ['a', 'b', 'c']) sink.emit({ ...failed, note });
  await sink.flush();
  expect(logged).toEqual(['debug event not sent', 'debug event not sent', 'warn event not sent']);
  expect(sink.dropped).toBe(3);
});

test('a server in trouble is asked three times, then the next event has its turn', async () => {
  await start([json(500, {}), json(500, {}), json(500, {}), ok]);
  sink.emit(failed);
  sink.emit({ ...failed, note: 'next' });
  await clock.passes(100);
  await clock.passes(200);
  await sink.flush();
  expect(bodyOf(3).note).toBe('next');
  expect(sink.dropped).toBe(1);
});

test('a former leader sends no event', async () => {
  await start([], { deadline: () => 0 });
  sink.emit(failed);
  await sink.flush();
  expect(server.requests).toEqual([]);
  expect(sink.dropped).toBe(1);
});

test('too many at once: the oldest are dropped, and counted', async () => {
  await start([hang]);
  for (let i = 0; i < 1_101; i++) sink.emit({ ...failed, note: String(i) });
  await until(() => server.requests.length === 1, 'none sent');
  expect(sink.dropped).toBe(100);
});

test('a namespace whose events are not answered keeps no other waiting, nor its events from being sent', async () => {
  const others = Array.from({ length: 3 }, () => ok);
  await start([hang, ...others]);
  const of = (namespace: string, note: string) => sink.emit({ ...failed, regarding: { ...failed.regarding, namespace }, note });
  for (let i = 0; i < 1_500; i++) of('slow', String(i));
  for (const namespace of ['a', 'b', 'c']) of(namespace, namespace);
  await until(() => server.requests.length === 4, 'not sent');
  expect(server.requests.map(({ path }) => path.split('/')[5])).toEqual(['slow', 'a', 'b', 'c']);
});

test('events of a namespace stay in order', async () => {
  await start([ok, ok, ok]);
  for (const note of ['1', '2', '3']) sink.emit({ ...failed, note });
  await sink.flush();
  expect([0, 1, 2].map((i) => bodyOf(i).note)).toEqual(['1', '2', '3']);
});

test('a note is cut at 1,024 bytes, between characters', async () => {
  await start([ok]);
  sink.emit({ ...failed, note: 'é'.repeat(2_000) });
  await sink.flush();
  expect(Buffer.byteLength(bodyOf(0).note)).toBeLessThanOrEqual(1_024);
  expect(bodyOf(0).note).toMatch(/^é+…$/);
  expect(cut('short', 1_024)).toBe('short');
  expect(cut('x'.repeat(1_024), 1_024)).toHaveLength(1_024);
});
