import { systemClock } from '../../../src/kube/clock.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { backoffMs, createQueue, type Outcome, type Queue } from '../../../src/kube/turns/queue.ts';

const settled: Outcome = { kind: 'settled' };
const failed: Outcome = { kind: 'failed' };
const waiting = (afterMs: number): Outcome => ({ kind: 'waiting', afterMs });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface Pass {
  readonly key: string;
  readonly heldMs: number;
  readonly failures: number;
  end(outcome: Outcome): Promise<unknown>;
}
/** A queue whose passes end when the test says so. */
function manual(concurrency = 1, mostOfOne = concurrency, eventBackoffMs?: number) {
  const begun: Pass[] = [];
  const done: string[] = [];
  const lined: string[] = [];
  const queue = createQueue({
    concurrency,
    mostOfOne,
    ...(eventBackoffMs !== undefined && { eventBackoffMs }),
    onAdded: (key) => lined.push(key),
    onDone: (key, { kind }) => done.push(`${key} ${kind}`),
    work: (key, info) =>
      new Promise((resolve) => {
        begun.push({ key, ...info, end: (outcome) => (resolve(outcome), vi.advanceTimersByTimeAsync(0)) });
      }),
  });
  const last = () => begun.at(-1)!;
  return {
    queue,
    begun,
    done,
    lined,
    last,
    keys: () => begun.map(({ key }) => key),
    add: (...keys: string[]) => (keys.forEach((key) => queue.add(key)), vi.advanceTimersByTimeAsync(0)),
  };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('adding a key', () => {
  test('is reported when the key enters the line, and not when the key is in line already', async () => {
    const { add, last, lined } = manual();
    await add('a', 'a');
    await add('b', 'b');
    await add('a');
    expect(lined).toEqual(['a', 'b']);
    await last().end(settled);
    expect(lined).toEqual(['a', 'b', 'a']);
    await last().end(failed);
    expect(lined).toEqual(['a', 'b', 'a']);
    await pass(50);
    expect(lined).toEqual(['a', 'b', 'a', 'b']);
  });
  test('many times before a pass is one pass (Q3)', async () => {
    const { add, keys } = manual();
    await add('a', 'a', 'a');
    expect(keys()).toEqual(['a']);
  });
  test('during a pass is one more pass, however often it was added (Q1, Q2, Q3)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    await add('a', 'a');
    expect(keys()).toEqual(['a']);
    await last().end(settled);
    expect(keys()).toEqual(['a', 'a']);
    await last().end(settled);
    expect(keys()).toEqual(['a', 'a']);
  });
  test('in the moment in which a pass ends is one more pass (Q2)', async () => {
    const { add, last, keys, queue } = manual();
    await add('a');
    const end = last().end(settled);
    queue.add('a');
    await end;
    expect(keys()).toEqual(['a', 'a']);
  });
  test('is not needed by a key that waits: it gets a pass after the time that its pass named (Q10)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    await last().end(waiting(60_000));
    await pass(59_999);
    expect(keys()).toEqual(['a']);
    await pass(1);
    expect(keys()).toEqual(['a', 'a']);
  });
  test('while a key waits ends the waiting (Q10)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    await last().end(waiting(60_000));
    await add('a');
    expect(keys()).toEqual(['a', 'a']);
    await last().end(settled);
    await pass(120_000);
    expect(keys()).toHaveLength(2);
  });
});

describe('the line', () => {
  test('is first come, first served (Q4)', async () => {
    const { add, begun, keys } = manual();
    await add('a', 'b', 'c');
    for (let i = 0; i < 3; i++) await begun[i]!.end(settled);
    expect(keys()).toEqual(['a', 'b', 'c']);
  });
  test('serves a key that waited before those that came after it (Q4)', async () => {
    const { add, begun, keys } = manual();
    await add('a', 'b', 'c', 'd');
    await begun[0]!.end(waiting(60_000));
    await add('a');
    await begun[1]!.end(settled);
    expect(keys()).toEqual(['a', 'b', 'a']);
  });
  test('gives a key that was settled a new place at its end (Q4, Q12)', async () => {
    const { add, begun, keys } = manual();
    await add('a', 'b', 'c');
    await begun[0]!.end(settled);
    await add('a');
    await begun[1]!.end(settled);
    expect(keys()).toEqual(['a', 'b', 'c']);
  });
  test('runs no more passes at a time than `concurrency` (Q5)', async () => {
    const { add, begun, queue } = manual(2);
    await add('a', 'b', 'c');
    expect([begun.length, queue.running, queue.depth]).toEqual([2, 2, 1]);
    await begun[0]!.end(settled);
    expect([begun.length, queue.running, queue.depth]).toEqual([3, 2, 0]);
  });
  test('keeps its order for hundreds of keys (Q4)', async () => {
    const order: string[] = [];
    const queue = createQueue({ concurrency: 1, work: async (key) => (order.push(key), settled) });
    const names = Array.from({ length: 500 }, (_, i) => `k${i}`);
    for (const key of names) queue.add(key);
    await pass(0);
    expect(order).toEqual(names);
  });
});

describe('namespaces', () => {
  test('with keys in line are served one key each in turn, each in its own order (Q4, Q6)', async () => {
    const { add, begun, keys } = manual();
    await add('a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'c/2');
    for (let i = 0; i < 5; i++) await begun[i]!.end(settled);
    expect(keys()).toEqual(['a/1', 'b/1', 'c/1', 'a/2', 'c/2', 'a/3']);
  });
  test('whose passes take long leave places to others (Q5)', async () => {
    const { add, begun, keys, queue } = manual(4, 3);
    await add('a/1', 'a/2', 'a/3', 'a/4', 'a/5');
    expect([queue.running, queue.depth]).toEqual([3, 2]);
    await add('b/1', 'c/1');
    expect(keys()).toEqual(['a/1', 'a/2', 'a/3', 'b/1']);
    await begun[3]!.end(settled);
    expect(keys().slice(4)).toEqual(['c/1']);
    await begun[4]!.end(settled);
    expect(queue.running).toBe(3);
    await begun[0]!.end(settled);
    expect(keys().slice(5)).toEqual(['a/4']);
  });
  test('that have all their places leave the event loop at rest (Q5)', async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    const { queue } = manual(4, 3);
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key);
    await Promise.resolve();
    vi.runAllTimers();
    await Promise.resolve();
    expect([queue.running, vi.getTimerCount()]).toEqual([3, 0]);
  });
});

test('thousands of passes that wait for nothing leave the event loop its turns (Q14)', async () => {
  vi.useRealTimers();
  let clock = 0;
  let done = 0;
  const all = Promise.withResolvers<void>();
  const queue = createQueue({
    concurrency: 4,
    clock: { ...systemClock, monotonic: () => clock },
    work: async () => {
      clock += 1;
      return settled;
    },
    onDone: () => void (++done === 1000 && all.resolve()),
  });
  for (let i = 0; i < 1000; i++) queue.add(`key-${i}`);
  let atTurn: number | undefined;
  setImmediate(() => (atTurn = done));
  await all.promise;
  expect(atTurn).toBeLessThan(50);
});

describe('a failing key', () => {
  test('waits for 50 ms, then twice as long each time, and for 90 s at most (Q7)', () => {
    expect([1, 2, 3, 4].map(backoffMs)).toEqual([50, 100, 200, 400]);
    expect(backoffMs(40)).toBe(90_000);
  });
  test('is retried after its back-off without an event (Q7)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    const waits = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 90_000, 90_000, 90_000, 90_000];
    for (const [i, waitMs] of waits.entries()) {
      await last().end(failed);
      await pass(waitMs - 1);
      expect(keys()).toHaveLength(i + 1);
      await pass(1);
      expect(keys()).toHaveLength(i + 2);
      expect(last()).toMatchObject({ key: 'a', failures: i + 1 });
    }
  });
  test('delays no other key (Q9)', async () => {
    const { add, last, keys } = manual();
    await add('bad');
    await last().end(failed);
    await add('good');
    expect(keys()).toEqual(['bad', 'good']);
  });
  test('is retried within a second after an event, however often it has failed (Q8)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    for (let i = 0; i < 12; i++) {
      await last().end(failed);
      if (i < 11) await pass(backoffMs(i + 1));
    }
    const before = keys().length;
    await add('a');
    await pass(999);
    expect(keys()).toHaveLength(before);
    await pass(1);
    expect(keys()).toHaveLength(before + 1);
  });
  test('is retried once for many events within its back-off (Q8)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    for (let i = 0; i < 8; i++) {
      await last().end(failed);
      if (i < 7) await pass(backoffMs(i + 1));
    }
    const before = keys().length;
    for (let i = 0; i < 20; i++) {
      await add('a');
      await pass(100);
    }
    expect(keys().length - before).toBe(1);
  });
  test('that was added during its pass is retried within a second (Q8)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    for (let i = 0; i < 8; i++) {
      await last().end(failed);
      await pass(backoffMs(i + 1));
    }
    await add('a');
    const before = keys().length;
    await last().end(failed);
    await pass(1000);
    expect(keys()).toHaveLength(before + 1);
  });
  test('waits for the time that its pass named (Q7)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    await last().end({ kind: 'failed', afterMs: 7000 });
    await pass(6999);
    expect(keys()).toHaveLength(1);
    await pass(1);
    expect(last()).toMatchObject({ key: 'a', failures: 1 });
  });
  test('is retried at once after an event, and when it was added during its pass, if the queue says so (Q8)', async () => {
    const { add, last, keys } = manual(1, 1, 0);
    await add('a');
    await last().end(failed);
    await add('a');
    expect(keys()).toHaveLength(2);
    await add('a');
    await last().end(failed);
    expect(keys()).toHaveLength(3);
    expect(last().failures).toBe(2);
  });
  test('starts again with no failures once a pass settles it (Q7, Q12)', async () => {
    const { add, last } = manual();
    await add('a');
    await last().end(failed);
    await pass(50);
    await last().end(settled);
    await add('a');
    expect(last().failures).toBe(0);
  });
  test('is also one whose pass throws', async () => {
    const done: string[] = [];
    const queue = createQueue({
      concurrency: 1,
      work: () => Promise.reject(new Error('no')),
      onDone: (key, { kind }) => done.push(`${key} ${kind}`),
    });
    queue.add('a');
    await pass(0);
    expect(done).toEqual(['a failed']);
  });
});

describe('the time that a key is held', () => {
  test('begins when its first pass ends, not when it was added (Q11)', async () => {
    const { add, last, begun } = manual();
    await add('a', 'b');
    await pass(700);
    await begun[0]!.end(settled);
    expect(last()).toMatchObject({ key: 'b', heldMs: 0 });
    await last().end(waiting(400));
    await pass(400);
    expect(last().heldMs).toBe(400);
  });
  test('goes on while events come (Q11)', async () => {
    const { add, last } = manual();
    await add('a');
    for (let i = 0; i < 5; i++) {
      await last().end(waiting(1000));
      await pass(300);
      await add('a');
    }
    expect(last().heldMs).toBe(1500);
  });
  test('ends when it is settled (Q11)', async () => {
    const { add, last } = manual();
    await add('a');
    await last().end(waiting(1000));
    await pass(1000);
    await last().end(settled);
    await add('a');
    expect(last().heldMs).toBe(0);
  });
});

describe('a settled key', () => {
  test('gets another pass after the time that its pass asked for (Q12)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    await last().end({ kind: 'settled', afterMs: 60_000 });
    await pass(59_999);
    expect(keys()).toHaveLength(1);
    await pass(1);
    expect(keys()).toHaveLength(2);
  });
  test('gets no further pass when its last pass did not ask for one (Q12)', async () => {
    const { add, last, keys } = manual();
    await add('a');
    await last().end({ kind: 'settled', afterMs: 60_000 });
    await add('a');
    await last().end(settled);
    await pass(120_000);
    expect(keys()).toHaveLength(2);
  });
});

describe('stopping', () => {
  test('waits for the passes under way, and begins none (Q13)', async () => {
    const { add, begun, queue, keys } = manual();
    await add('a', 'b');
    let isStopped = false;
    const stop = queue.stop().then(() => (isStopped = true));
    await pass(0);
    expect(isStopped).toBe(false);
    await begun[0]!.end(failed);
    await stop;
    await pass(600_000);
    expect(keys()).toEqual(['a']);
  });
  test('an idle queue is done at once (Q13)', async () => {
    const { queue } = manual();
    await queue.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
  test('leaves no timer, also when a key is added afterwards (Q13)', async () => {
    const { add, begun, queue, keys } = manual(3);
    await add('a', 'b', 'c');
    await begun[0]!.end(failed);
    await begun[1]!.end(waiting(10_000));
    await begun[2]!.end({ kind: 'settled', afterMs: 10_000 });
    await queue.stop();
    expect(vi.getTimerCount()).toBe(0);
    await add('a', 'b', 'd');
    expect([vi.getTimerCount(), queue.depth, keys()]).toEqual([0, 0, ['a', 'b', 'c']]);
  });
});

test('a pass begins after each addition, no key has two passes at a time, and a settled key leaves nothing behind (Q1, Q2, Q5, Q12)', async () => {
  const outcome = fc.oneof(fc.constant(settled), fc.constant(failed), fc.integer({ min: 0, max: 2000 }).map(waiting));
  const key = fc.constantFrom('a', 'b', 'c');
  const happening = fc.oneof(
    fc.record({ is: fc.constant('add' as const), key }),
    fc.record({ is: fc.constant('end' as const), which: fc.nat(3), outcome }),
    fc.record({ is: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 3000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), async (happenings, concurrency) => {
      /** Keys with something that no pass has begun after. */
      const unseen = new Set<string>();
      const running = new Map<string, (outcome: Outcome) => void>();
      const queue: Queue = createQueue({
        concurrency,
        work: (name) => {
          expect(running.has(name)).toBe(false);
          expect(running.size).toBeLessThan(concurrency);
          unseen.delete(name);
          return new Promise((resolve) => running.set(name, resolve));
        },
      });
      const end = async (name: string, how: Outcome) => {
        const resolve = running.get(name);
        running.delete(name);
        resolve?.(how);
        await pass(0);
      };
      for (const each of happenings) {
        if (each.is === 'time') await pass(each.ms);
        else if (each.is === 'end') await end([...running.keys()][each.which] ?? '', each.outcome);
        else {
          unseen.add(each.key);
          queue.add(each.key);
          await pass(0);
        }
      }
      for (let i = 0; i < 20; i++) {
        for (const name of running.keys()) await end(name, settled);
        await pass(1000);
      }
      expect([...unseen]).toEqual([]);
      expect([queue.depth, queue.running, vi.getTimerCount()]).toEqual([0, 0, 0]);
      await queue.stop();
    }),
    { numRuns: 200 },
  );
});
