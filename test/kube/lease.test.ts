import { afterEach, describe, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../src/kube/kube-client.ts';
import { type ElectionOptions, elect, type LeaderElection } from '../../src/kube/lease.ts';
import { type Log, silent } from '../../src/kube/types.ts';
import { aMoment, type ManualClock, manualClock, until } from '../support/manual-clock.ts';
import { hang, json, lines, reset, type ScriptedServer, type Step, scriptedServer } from '../support/scripted-server.ts';

const NOW = '2026-01-02T03:04:05.678000Z';

/** The Lease as `holder` left it, an hour ago by its own clock. */
const lease = (holder: string, resourceVersion: number) => ({
  metadata: {
    name: 'sluice',
    namespace: 'fluid-system',
    uid: 'u',
    resourceVersion: String(resourceVersion),
    labels: { by: 'hand' },
    managedFields: [{}],
  },
  spec: {
    holderIdentity: holder,
    leaseDurationSeconds: 6,
    acquireTime: '2026-01-02T02:00:00.123456Z',
    renewTime: '2026-01-02T02:04:05.123456Z',
    leaseTransitions: 3,
  },
});
const there = (...items: object[]) => json(200, { metadata: { resourceVersion: '5' }, items });
const is = (holder: string, resourceVersion: number) => json(200, lease(holder, resourceVersion));
/** In either order: what is there, and the lease that was ours. */
const stillOurs: Step = (response) => (response.req.method === 'PUT' ? is('me_1', 7) : there(lease('me_1', 6)))(response);
const conflict = json(409, { kind: 'Status', code: 409, reason: 'Conflict', message: 'the object has been modified' });

const gone = json(404, { kind: 'Status', code: 404, reason: 'NotFound' });

let server: ScriptedServer;
let client: KubeClient;
let clock: ManualClock;
let election: LeaderElection;
let happened: string[];
afterEach(async () => {
  await server.close();
  await election.stop();
  await client.close();
});

async function start(script: readonly Step[], options: Partial<ElectionOptions> = {}, watches: readonly Step[] = [lines()]): Promise<void> {
  server = await scriptedServer(script);
  server.playWatch(...watches);
  clock = manualClock();
  client = createClient({ server: server.url }, { fieldManager: 'sluice', clock });
  happened = [];
  election = elect(client, {
    namespace: 'fluid-system',
    name: 'sluice',
    identity: 'me_1',
    clock,
    onStarted: () => void happened.push('started'),
    onStopped: (reason) => void happened.push(`stopped: ${reason}`),
    onFailed: (error) => void happened.push(`failed: ${(error as Error).message}`),
    ...options,
  });
}
/** All requests but watches. */
const requests = () => server.requests.filter(({ path }) => !path.includes('watch=true'));
const writes = () => requests().filter(({ method }) => method !== 'GET');
const specOf = (index: number) => JSON.parse(writes()[index]?.body ?? '{}').spec;
const requestsSeen = (count: number) => until(() => requests().length === count, `${count} requests expected, ${requests().length} came`);
const leading = () => until(() => happened.at(-1) === 'started', 'not leading');
/** Leads, having taken a free lease with its first write. */
async function lead(script: readonly Step[], options: Partial<ElectionOptions> = {}): Promise<void> {
  await start([there(lease('', 5)), is('me_1', 6), ...script], options);
  await leading();
}

describe('taking it', () => {
  test('a Lease that does not exist is created', async () => {
    await start([there(), json(201, lease('me_1', 6))]);
    await leading();
    expect(writes()).toMatchObject([
      { method: 'POST', path: '/apis/coordination.k8s.io/v1/namespaces/fluid-system/leases?fieldManager=sluice' },
    ]);
    expect(specOf(0)).toEqual({ holderIdentity: 'me_1', leaseDurationSeconds: 6, acquireTime: NOW, renewTime: NOW, leaseTransitions: 0 });
  });

  test.each<[string, string, Partial<ElectionOptions>, number]>([
    ['a released lease', '', {}, 4],
    ['our own from before', 'me_1', {}, 3],
    ['that of a dead process', 'dead_1', { alive: (holder) => holder !== 'dead_1' }, 4],
  ])('%s is taken at once, guarded by its version', async (_, holder, options, transitions) => {
    await start([there(lease(holder, 5)), is('me_1', 6)], options);
    await leading();
    expect(writes()[0]?.method).toBe('PUT');
    expect(JSON.parse(writes()[0]?.body ?? '').metadata).toEqual({
      name: 'sluice',
      namespace: 'fluid-system',
      uid: 'u',
      resourceVersion: '5',
      labels: { by: 'hand' },
    });
    expect(specOf(0)).toMatchObject({ holderIdentity: 'me_1', leaseTransitions: transitions });
  });

  test('a living holder’s is taken when it has not changed for its whole duration, whatever its renewTime says', async () => {
    await start([there(lease('other_1', 5)), is('me_1', 6)]);
    await until(() => election.holder === 'other_1', 'not seen');
    clock.advance(5_999);
    await aMoment();
    expect(writes()).toEqual([]);
    clock.advance(1);
    await leading();
  });

  test('each renewal that is seen gives it its duration again', async () => {
    let renew: (() => void) | undefined;
    const open: Step = (response) => {
      lines()(response);
      const { spec, ...rest } = lease('other_1', 9);
      const object = { ...rest, spec: { ...spec, leaseDurationSeconds: 7 } };
      renew = () => response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    };
    await start([there(lease('other_1', 5)), is('me_1', 10)], {}, [open]);
    await until(() => election.holder === 'other_1' && renew !== undefined, 'not seen');
    clock.advance(5_000);
    renew?.();
    await until(() => clock.waits.includes(7_000), 'the renewal was not seen');
    clock.advance(6_999);
    await aMoment();
    expect(writes()).toEqual([]);
    clock.advance(1);
    await leading();
    expect(JSON.parse(writes()[0]?.body ?? '').metadata.resourceVersion).toBe('9');
  });

  test('one that is deleted may still be held: it is made anew after its duration', async () => {
    const deleted = lines({ type: 'DELETED', object: lease('other_1', 8) });
    await start([there(lease('other_1', 5)), json(201, lease('me_1', 9))], {}, [deleted]);
    await until(() => election.holder === '' && server.requests.length === 2, 'not seen');
    await aMoment();
    clock.advance(5_999);
    await aMoment();
    expect(writes()).toEqual([]);
    clock.advance(1);
    await leading();
    expect(writes()[0]?.method).toBe('POST');
  });

  test('while its namespace is not there this is said once and tried again, and it is taken when the namespace has come', async () => {
    const warnings: string[] = [];
    const log: Log = { ...silent, warn: (_, message) => void warnings.push(message) };
    await start([there(), gone, gone, json(201, lease('me_1', 6))], { log });
    await clock.passes(100);
    await requestsSeen(3);
    await clock.passes(200);
    await leading();
    expect(writes().map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
    expect(warnings).toEqual(['lease not taken']);
  });

  test('who comes second stands by', async () => {
    const won = lines({ type: 'MODIFIED', object: lease('other_1', 6) });
    await start([there(lease('', 5)), conflict], {}, [won]);
    await until(() => election.holder === 'other_1', 'not seen');
    await aMoment();
    expect(writes().length).toBeLessThanOrEqual(1);
    expect(election.isLeader).toBe(false);
    expect(election.writeDeadline()).toBe(0);
    expect(happened).toEqual([]);
  });
});

describe('keeping it', () => {
  test('a renewal is one request every 2 s, and only moves renewTime', async () => {
    await lead([is('me_1', 7), is('me_1', 8)]);
    await clock.passes(2_000);
    await requestsSeen(3);
    await clock.passes(2_000);
    await requestsSeen(4);
    expect(
      requests()
        .slice(2)
        .map(({ method }) => method),
    ).toEqual(['PUT', 'PUT']);
    expect(JSON.parse(writes()[2]?.body ?? '')).toMatchObject({
      metadata: { resourceVersion: '7' },
      spec: { ...lease('me_1', 7).spec, renewTime: '2026-01-02T03:04:09.678000Z' },
    });
  });

  test('writing ends 4 s after the last renewal that succeeded was sent', async () => {
    await lead([hang, hang, hang, hang]);
    const deadline = election.writeDeadline();
    expect(deadline - clock.now()).toBe(4_000);
    await clock.passes(2_000);
    await requestsSeen(3);
    clock.advance(1_999);
    expect(election.isLeader).toBe(true);
    expect(election.writeDeadline()).toBe(deadline);
    clock.advance(1);
    expect(election.isLeader).toBe(false);
    await until(() => happened.length === 2, 'not stopped');
    expect(happened[1]).toMatch(/^stopped: not renewed for 4000 ms: PUT .* no answer within/);
    expect(election.writeDeadline()).toBe(0);
  });

  test('a renewal counts from when it was sent, not from its answer', async () => {
    let answer: (() => void) | undefined;
    await lead([(response) => void (answer = () => is('me_1', 7)(response))]);
    const deadline = election.writeDeadline();
    await clock.passes(2_000);
    await until(() => answer !== undefined, 'no renewal');
    clock.advance(1_400);
    answer?.();
    await until(() => election.writeDeadline() !== deadline, 'not renewed');
    expect(election.writeDeadline()).toBe(deadline + 2_000);
  });

  test('a wall clock that is set back gives no more time', async () => {
    await lead([hang, hang, hang]);
    clock.setWall(-3_600_000);
    clock.advance(3_999);
    expect(election.isLeader).toBe(true);
    clock.advance(1);
    expect(election.isLeader).toBe(false);
  });

  test('a machine that slept has used its time up', async () => {
    await lead([hang]);
    clock.setWall(4_000);
    expect(election.isLeader).toBe(false);
    expect(election.writeDeadline()).toBeLessThanOrEqual(clock.now());
  });

  test('a renewal that fails is tried again within the window', async () => {
    await lead([reset, json(500, {}), is('me_1', 7)]);
    await clock.passes(2_000);
    await clock.passes(250);
    await clock.passes(250);
    await requestsSeen(5);
    await until(() => election.writeDeadline() - clock.now() === 4_000, 'not renewed');
    expect(happened).toEqual(['started']);
  });

  test('a renewal that arrived though its answer did not is no reason to stop', async () => {
    await lead([reset, conflict, is('me_1', 7), is('me_1', 8)]);
    await clock.passes(2_000);
    await clock.passes(250);
    await requestsSeen(6);
    expect(
      requests()
        .slice(-2)
        .map(({ method }) => method),
    ).toEqual(['GET', 'PUT']);
    expect(JSON.parse(writes().at(-1)?.body ?? '').metadata.resourceVersion).toBe('7');
    await until(() => election.writeDeadline() - clock.now() === 4_000, 'not renewed');
    expect(happened).toEqual(['started']);
  });

  test('a Lease deleted by hand is made again', async () => {
    await lead([gone, gone, json(201, lease('me_1', 9))]);
    await clock.passes(2_000);
    await requestsSeen(5);
    expect(requests().at(-1)?.method).toBe('POST');
    await until(() => election.writeDeadline() - clock.now() === 4_000, 'not renewed');
    expect(happened).toEqual(['started']);
  });

  test('a Lease whose namespace was deleted is asked for again after a pause, until writing ends', async () => {
    await lead(Array.from({ length: 20 }, () => gone));
    await clock.passes(2_000);
    // Two to find out that it is gone; from then on one in a quarter of a second.
    for (let tries = 1; tries <= 8; tries++) {
      await requestsSeen(4 + tries);
      await clock.passes(250);
    }
    await until(() => happened.length === 2, 'not stopped');
    // The last one may be ended with the time for writing, which is as long as the pause, before it is answered.
    expect(happened[1]).toMatch(/^stopped: not renewed for 4000 ms: /);
  });

  test('taken by somebody else, it stops at once and stands by', async () => {
    await lead([conflict, is('thief_1', 9), there(lease('thief_1', 9))]);
    await clock.passes(2_000);
    await until(() => happened.length === 2, 'not stopped');
    expect(happened[1]).toBe('stopped: taken by thief_1');
    expect(election.isLeader).toBe(false);
  });

  test('after an outage nobody used, it leads again', async () => {
    await lead([hang]);
    await clock.passes(2_000);
    await requestsSeen(3);
    server.play(stillOurs, stillOurs);
    clock.advance(2_000);
    await until(() => happened.length === 3, 'not leading again');
    expect(happened[2]).toBe('started');
  });
});

describe('giving it back', () => {
  test('a stop fences writes, waits for what is under way, then releases', async () => {
    let finish: (() => void) | undefined;
    const order: string[] = [];
    await lead([is('', 7)], {
      onStopped: (reason) => {
        order.push(`${reason}, leader: ${election.isLeader}, writes: ${writes().length}`);
        return new Promise((done) => (finish = done));
      },
    });
    const stopped = election.stop();
    await until(() => finish !== undefined, 'onStopped not called');
    await aMoment();
    expect(order).toEqual(['stopped, leader: false, writes: 1']);
    finish?.();
    await stopped;
    expect(specOf(1)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 3 });
  });

  test('a standby that stops writes nothing', async () => {
    await start([there(lease('other_1', 5))]);
    await until(() => election.holder === 'other_1', 'not seen');
    await election.stop();
    expect(writes()).toEqual([]);
    expect(happened).toEqual([]);
  });

  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('not today');
      },
    ],
    ['rejects', () => Promise.reject(new Error('not today'))],
  ])('what %s when it is to lead gives the lease back, and takes part no longer', async (_, onStarted) => {
    await start([there(lease('', 5)), is('me_1', 6), is('', 7)], { onStarted });
    await until(() => happened.length === 2, 'it did not fail');
    expect(happened).toEqual(['stopped: it could not begin', 'failed: not today']);
    expect(specOf(1)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(election.isLeader).toBe(false);
    clock.advance(60_000);
    await aMoment();
    expect(requests()).toHaveLength(3);
  });

  test('what throws when it is to lead no longer ends, and does not come back to lead beside what it left', async () => {
    await lead([conflict, is('other_1', 9)], {
      onStopped: () => {
        throw new Error('still at work');
      },
    });
    await clock.passes(2_000);
    await until(() => happened.at(-1) === 'failed: still at work', 'it did not fail');
    expect(election.isLeader).toBe(false);
    expect(writes()).toHaveLength(2);
  });
});
