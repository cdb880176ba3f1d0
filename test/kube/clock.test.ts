import { expect, onTestFinished, test, vi } from 'vitest';
import { backoff, createSteadiness, sleep, systemClock, within } from '../../src/kube/clock.ts';
import { manualClock } from '../support/manual-clock.ts';

test('back-off doubles from 0.2 s to 30 s', () => {
  const most = Array.from({ length: 10 }, (_, failures) => backoff(failures + 1, () => 1));
  expect(most).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
});

test('chance takes at most half of a back-off', () => {
  expect(backoff(1, () => 0)).toBe(100);
  expect(backoff(1_000, () => 0)).toBe(15_000);
});

test('a timer may be longer than those of Node.js, which ring at once then', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const rung: string[] = [];
  const days = (count: number) => count * 86_400_000;
  systemClock.after(days(60), () => rung.push('sixty days'));
  const cancel = systemClock.after(days(60), () => rung.push('cancelled'));
  vi.advanceTimersByTime(days(59));
  expect(rung).toEqual([]);
  cancel();
  vi.advanceTimersByTime(days(1));
  expect(rung).toEqual(['sixty days']);
  expect(vi.getTimerCount()).toBe(0);
});

test('an abort ends a sleep, and leaves no timer behind', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const asleep = sleep(clock, 1_000, stop.signal);
  stop.abort(new Error('wake up'));
  await expect(asleep).rejects.toThrow('wake up');
  expect(clock.waits).toEqual([]);
});

test('work that takes too long has no result, and work that does not leaves no timer behind', async () => {
  const clock = manualClock();
  expect(await within(clock, 1_000, Promise.resolve('done'))).toBe('done');
  await expect(within(clock, 1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(clock.waits).toEqual([]);
  const late = within(clock, 1_000, new Promise(() => {}));
  clock.advance(1_000);
  expect(await late).toBeUndefined();
});

test('a value counts from when it was first seen in a row', () => {
  const clock = manualClock();
  const steady = createSteadiness<string>(clock);
  const after = (ms: number, value: string) => {
    clock.advance(ms);
    return steady.ofMs(value);
  };
  expect([after(0, 'a'), after(10, 'a'), after(10, 'a')]).toEqual([0, 10, 20]);
  expect([after(10, 'b'), after(10, 'a'), after(5, 'a')]).toEqual([0, 0, 5]);
  steady.forget();
  expect(after(5, 'a')).toBe(0);
});
