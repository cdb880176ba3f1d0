import { expect, test } from 'vitest';
import { createLimiter, type Limiter, takeSlot } from '../../../src/kube/turns/limiter.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** The visitors that have come in so far, in order. */
function visitors(limiter: Limiter): { inside: string[]; come: (name: string, signal?: AbortSignal) => void } {
  const inside: string[] = [];
  return {
    inside,
    come: (name, signal) =>
      void limiter.acquire(signal).then(
        () => inside.push(name),
        () => {},
      ),
  };
}
/** Lets every promise that can settle do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a slot that is released goes to the request that has waited longest', async () => {
  const limiter = createLimiter(2, manualClock());
  const { inside, come } = visitors(limiter);
  for (const name of ['a', 'b', 'c', 'd', 'e']) come(name);
  await settle();
  expect(inside).toEqual(['a', 'b']);
  limiter.release();
  await settle();
  expect(inside).toEqual(['a', 'b', 'c']);
});

test('a caller that gave up waiting takes no place', async () => {
  const limiter = createLimiter(1, manualClock());
  const { inside, come } = visitors(limiter);
  const impatient = new AbortController();
  come('a');
  come('b', impatient.signal);
  come('c');
  impatient.abort();
  limiter.release();
  await settle();
  expect(inside).toEqual(['a', 'c']);
});

test('a signal that is aborted before keeps out', async () => {
  const limiter = createLimiter(1, manualClock());
  await expect(limiter.acquire(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
});

test('during a pause no slot is acquired, not even a free one', async () => {
  const clock = manualClock();
  const limiter = createLimiter(4, clock);
  const { inside, come } = visitors(limiter);
  limiter.pause(5_000);
  limiter.pause(1_000);
  come('a');
  clock.advance(4_999.5);
  come('b');
  await settle();
  expect(inside).toEqual([]);
  clock.advance(0.5);
  await settle();
  expect(inside).toEqual(['a', 'b']);
});

test('a caller that came during a pause goes before later ones', async () => {
  const clock = manualClock();
  const limiter = createLimiter(1, clock);
  const { inside, come } = visitors(limiter);
  limiter.pause(1_000);
  come('early');
  clock.advance(1_000);
  come('late');
  await settle();
  expect(inside).toEqual(['early']);
});

test('a pause that is extended while a request waits holds that request as long', async () => {
  const clock = manualClock();
  const limiter = createLimiter(1, clock);
  const { inside, come } = visitors(limiter);
  limiter.pause(1_000);
  come('a');
  limiter.pause(3_000);
  clock.advance(2_999);
  await settle();
  expect(inside).toEqual([]);
  clock.advance(1);
  await settle();
  expect(inside).toEqual(['a']);
});

test('after a pause half as many slots are free, and one more for each round that succeeds', async () => {
  const clock = manualClock();
  const limiter = createLimiter(8, clock);
  const { inside, come } = visitors(limiter);
  for (let i = 0; i < 40; i++) come(`${i}`);
  await settle();
  expect(inside).toHaveLength(8);
  // All eight are refused: one refusal.
  for (let i = 0; i < 8; i++) {
    limiter.pause(1_000);
    limiter.release();
  }
  clock.advance(1_000);
  await settle();
  expect(inside).toHaveLength(8 + 4);
  for (let i = 0; i < 4; i++) limiter.release();
  await settle();
  // Almost: each of the four counts a little less than the one before.
  for (let i = 0; i < 4; i++) limiter.release();
  await settle();
  expect(inside.length).toBe(8 + 4 + 4 + 5);
});

test('one slot stays free however often the server rejects', async () => {
  const clock = manualClock();
  const limiter = createLimiter(2, clock);
  const { inside, come } = visitors(limiter);
  for (let i = 0; i < 5; i++) {
    limiter.pause(100);
    clock.advance(100);
  }
  come('a');
  come('b');
  await settle();
  expect(inside).toEqual(['a']);
});

test('namespaces that wait acquire slots in turn, and none has more than its share', async () => {
  const limiter = createLimiter(3, manualClock(), 2);
  const inside: string[] = [];
  const come = (name: string) => void limiter.acquire(undefined, name.charAt(0)).then(() => inside.push(name));
  for (const name of ['a1', 'a2', 'a3', 'a4']) come(name);
  await settle();
  expect(inside).toEqual(['a1', 'a2']);
  for (const name of ['b1', 'b2']) come(name);
  await settle();
  expect(inside).toEqual(['a1', 'a2', 'b1']);
  limiter.release('b');
  await settle();
  expect(inside.slice(3)).toEqual(['b2']);
  limiter.release('a');
  await settle();
  expect(inside.slice(4)).toEqual(['a3']);
});

test('a caller of a full namespace that gave up waiting takes no place later', async () => {
  const limiter = createLimiter(2, manualClock(), 1);
  const impatient = new AbortController();
  await limiter.acquire(undefined, 'a');
  const second = limiter.acquire(impatient.signal, 'a').catch(() => 'gave up');
  const third = limiter.acquire(undefined, 'a').then(() => 'inside');
  impatient.abort();
  limiter.release('a');
  expect(await Promise.all([second, third])).toEqual(['gave up', 'inside']);
});

test('a slot that its holder keeps for too long goes to the next one, and its later release frees no other', async () => {
  const clock = manualClock();
  const limiter = createLimiter(1, clock);
  const begun: string[] = [];
  const take = async (namespace: string) => {
    const slot = await takeSlot(limiter, clock, 10_000, { namespace });
    begun.push(namespace);
    return slot;
  };
  const slow = await take('a');
  const [second, third] = [take('b'), take('c')];
  clock.advance(9_999);
  await settle();
  expect(begun).toEqual(['a']);
  clock.advance(1);
  await settle();
  expect(begun).toEqual(['a', 'b']);
  slow.release();
  await settle();
  expect(begun).toEqual(['a', 'b']);
  (await second).release();
  (await third).release();
  expect([begun, clock.waits]).toEqual([['a', 'b', 'c'], []]);
});
