import { afterEach, describe, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import { type ElectionOptions, elect, type LeaderElection } from '../../../src/kube/lease/lease.ts';
import { type Log, silent } from '../../../src/kube/types.ts';
import { aMoment, type ManualClock, manualClock, until } from '../../support/manual-clock.ts';
import { hang, json, lines, reset, type ScriptedServer, type Step, scriptedServer } from '../../support/scripted-server.ts';

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

describe('a standby', () => {
  test('creates a Lease that does not exist at once (L6)', async () => {
    await start([there(), json(201, lease('me_1', 6))]);
    await leading();
    expect(writes()).toMatchObject([
      { method: 'POST', path: '/apis/coordination.k8s.io/v1/namespaces/fluid-system/leases?fieldManager=sluice' },
    ]);
    expect(specOf(0)).toEqual({ holderIdentity: 'me_1', leaseDurationSeconds: 6, acquireTime: NOW, renewTime: NOW, leaseTransitions: 0 });
  });

  test.each<[string, string, Partial<ElectionOptions>, number]>([
    ['a released lease', '', {}, 4],
    ['its own Lease of before', 'me_1', {}, 3],
    ['the Lease of a dead process', 'dead_1', { alive: (holder) => holder !== 'dead_1' }, 4],
  ])('takes %s at once, with the resourceVersion that it saw (L5, L7)', async (_, holder, options, transitions) => {
    await start([there(lease(holder, 5)), is('me_1', 6)], options);
    await leading();
    expect(writes()[0]?.method).toBe('PUT');
    expect(JSON.parse(writes()[0]?.body ?? '').metadata).toEqual({
      name: 'sluice',
      namespace: 'fluid-system',
      uid: 'u',
      resourceVersion: '5',
      labels: { by: 'hand', 'velero.io/exclude-from-backup': 'true' },
    });
    expect(specOf(0)).toMatchObject({ holderIdentity: 'me_1', leaseTransitions: transitions });
  });

  test('takes a living holder’s Lease when it has not changed for its whole duration, whatever its renewTime says (L4)', async () => {
    await start([there(lease('other_1', 5)), is('me_1', 6)]);
    await until(() => election.holder === 'other_1', 'not seen');
    clock.advance(5_999);
    await aMoment();
    expect(writes()).toEqual([]);
    clock.advance(1);
    await leading();
  });

  test('waits for a whole duration again after each renewal that it sees (L4)', async () => {
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

  test('creates a Lease that was deleted only after its duration, since its holder may still write (L6)', async () => {
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

  test('logs once that the namespace does not exist, and retries until it does', async () => {
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

  test('whose write conflicts with another process stands by (L7)', async () => {
    const won = lines({ type: 'MODIFIED', object: lease('other_1', 6) });
    await start([there(lease('', 5)), conflict], {}, [won]);
    await until(() => election.holder === 'other_1', 'not seen');
    await aMoment();
    expect(writes().length).toBeLessThanOrEqual(1);
    expect(election.isLeader).toBe(false);
    expect(election.writeDeadline()).toBe(0);
    expect(happened).toEqual([]);
  });

  test('whose write conflicts although nothing changed reads the Lease after its duration, and takes it (L5)', async () => {
    await start([there(lease('', 5)), conflict, is('', 5), is('me_1', 6)]);
    await requestsSeen(2);
    await clock.passes(6_000);
    await leading();
    expect(requests().map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET', 'PUT']);
  });

  test('whose write conflicts although nothing changed waits for a living holder as if it had just renewed (L4)', async () => {
    await start([there(lease('other_1', 5)), conflict, is('other_1', 5), is('me_1', 6)]);
    await until(() => election.holder === 'other_1', 'not seen');
    await aMoment();
    await clock.passes(6_000);
    await requestsSeen(2);
    await clock.passes(6_000);
    await requestsSeen(3);
    await aMoment();
    expect(requests()).toHaveLength(3);
    await clock.passes(6_000);
    await leading();
  });
});

describe('a leader', () => {
  test('renews with one PUT every 2 s, which changes renewTime alone (L8)', async () => {
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

  test('may write for 4 s after the last renewal that succeeded was sent (L1)', async () => {
    await lead([hang, hang, hang, hang]);
    const deadline = election.writeDeadline();
    expect(deadline - clock.wall()).toBe(4_000);
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

  test('counts a renewal from when it was sent, not from its answer (L2)', async () => {
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

  test('gains no time from a wall clock that is set back (L3)', async () => {
    await lead([hang, hang, hang]);
    clock.setWall(-3_600_000);
    clock.advance(3_999);
    expect(election.isLeader).toBe(true);
    clock.advance(1);
    expect(election.isLeader).toBe(false);
  });

  test('may not write after its machine was suspended for 4 s (L3)', async () => {
    await lead([hang]);
    clock.setWall(4_000);
    expect(election.isLeader).toBe(false);
    expect(election.writeDeadline()).toBeLessThanOrEqual(clock.wall());
  });

  test('retries a renewal that failed every 250 ms while the window is open (L9)', async () => {
    await lead([reset, json(500, {}), is('me_1', 7)]);
    await clock.passes(2_000);
    await clock.passes(250);
    await clock.passes(250);
    await requestsSeen(5);
    await until(() => election.writeDeadline() - clock.wall() === 4_000, 'not renewed');
    expect(happened).toEqual(['started']);
  });

  test('leads on when a renewal arrived though its answer did not (L10)', async () => {
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
    await until(() => election.writeDeadline() - clock.wall() === 4_000, 'not renewed');
    expect(happened).toEqual(['started']);
  });

  test('whose renewals conflict again and again renews at once after the first, then every 250 ms (L9)', async () => {
    await lead([conflict, is('me_1', 6), conflict, is('me_1', 6), conflict, is('me_1', 6), is('me_1', 7)]);
    await clock.passes(2_000);
    await requestsSeen(6);
    await aMoment();
    expect(requests()).toHaveLength(6);
    await clock.passes(250);
    await requestsSeen(8);
    await clock.passes(250);
    await until(() => election.writeDeadline() - clock.wall() === 4_000, 'not renewed');
    expect(happened).toEqual(['started']);
  });

  test('creates a Lease again that was deleted by hand, and leads on (L10)', async () => {
    await lead([gone, gone, json(201, lease('me_1', 9))]);
    await clock.passes(2_000);
    await requestsSeen(5);
    expect(requests().at(-1)?.method).toBe('POST');
    await until(() => election.writeDeadline() - clock.wall() === 4_000, 'not renewed');
    expect(happened).toEqual(['started']);
  });

  test('whose namespace was deleted retries every 250 ms until the window closes (L9)', async () => {
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

  test('whose Lease names another holder stops at once and stands by (L10)', async () => {
    await lead([conflict, is('thief_1', 9), there(lease('thief_1', 9))]);
    await clock.passes(2_000);
    await until(() => happened.length === 2, 'not stopped');
    expect(happened[1]).toBe('stopped: taken by thief_1');
    expect(election.isLeader).toBe(false);
  });

  test('leads again after an outage during which no other process took the Lease (L12)', async () => {
    await lead([hang]);
    await clock.passes(2_000);
    await requestsSeen(3);
    server.play(stillOurs, stillOurs);
    clock.advance(2_000);
    await until(() => happened.length === 3, 'not leading again');
    expect(happened).toEqual(['started', expect.stringMatching(/^stopped: not renewed/), 'started']);
  });

  test('whose Lease another process took, and which was deleted since, creates it only after its duration (L6)', async () => {
    await lead([conflict, is('other_1', 8), there(), json(201, lease('me_1', 9))]);
    server.playWatch(lines());
    await clock.passes(2_000);
    await until(() => happened.length === 2, 'still leading');
    expect(happened[1]).toBe('stopped: taken by other_1');
    await until(() => clock.waits.includes(6_000), 'it does not wait');
    await aMoment();
    clock.advance(5_999);
    await aMoment();
    expect(writes().at(-1)?.method).toBe('PUT');
    clock.advance(1);
    await until(() => happened.length === 3, 'not leading again');
    expect(writes().at(-1)?.method).toBe('POST');
  });

  test('whose Lease was deleted during an outage creates it only after its duration (L6)', async () => {
    await lead([hang]);
    await clock.passes(2_000);
    await requestsSeen(3);
    // In either order: the list, and the update of what it held.
    const deleted: Step = (response) => (response.req.method === 'PUT' ? gone : there())(response);
    server.play(deleted, deleted, json(201, lease('me_1', 9)));
    server.playWatch(lines());
    clock.advance(2_000);
    await requestsSeen(5);
    await until(() => clock.waits.includes(6_000), 'it does not wait');
    await aMoment();
    clock.advance(5_999);
    await aMoment();
    expect(happened).toHaveLength(2);
    expect(requests()).toHaveLength(5);
    clock.advance(1);
    await leading();
    expect(writes().at(-1)?.method).toBe('POST');
  });
});

describe('the end', () => {
  test('a leader that is stopped may not write, waits for onStopped, then releases the Lease (L11)', async () => {
    let finish: (() => void) | undefined;
    const order: string[] = [];
    await lead([is('', 7)], {
      onStopped: (reason) => {
        order.push(`${reason}, leader: ${election.isLeader}, deadline: ${election.writeDeadline()}, writes: ${writes().length}`);
        return new Promise((done) => (finish = done));
      },
    });
    const stopped = election.stop();
    await until(() => finish !== undefined, 'onStopped not called');
    await aMoment();
    expect(order).toEqual(['stopped, leader: false, deadline: 0, writes: 1']);
    expect(writes()).toHaveLength(1);
    finish?.();
    await stopped;
    expect(specOf(1)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 3 });
  });

  test('a standby that is stopped writes nothing, and none of its callbacks is called (L14)', async () => {
    await start([there(lease('other_1', 5))]);
    await until(() => election.holder === 'other_1', 'not seen');
    await election.stop();
    expect(writes()).toEqual([]);
    expect(happened).toEqual([]);
  });

  test('a standby that is stopped while it takes the Lease gives it back, and none of its callbacks is called (L14)', async () => {
    const answers: (() => void)[] = [];
    const late: Step = (response) => void answers.push(() => is('me_1', 6)(response));
    await start([there(lease('', 5)), late, is('', 7)]);
    await until(() => answers.length === 1, 'it does not take the Lease');
    const stopped = election.stop();
    answers[0]?.();
    await stopped;
    expect(happened).toEqual([]);
    expect(writes().map(({ method }) => method)).toEqual(['PUT', 'PUT']);
    expect(specOf(1)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(election.isLeader).toBe(false);
  });

  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('not today');
      },
    ],
    ['rejects', () => Promise.reject(new Error('not today'))],
  ])('a process whose onStarted %s releases the Lease, and takes no further part (L13)', async (_, onStarted) => {
    await start([there(lease('', 5)), is('me_1', 6), is('', 7)], { onStarted });
    await until(() => happened.length === 2, 'it did not fail');
    expect(happened).toEqual(['stopped: onStarted threw', 'failed: not today']);
    expect(specOf(1)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(election.isLeader).toBe(false);
    clock.advance(60_000);
    await aMoment();
    expect(requests()).toHaveLength(3);
  });

  test('a process whose onStopped throws takes no further part, so never leads beside what it left at work (L13)', async () => {
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
