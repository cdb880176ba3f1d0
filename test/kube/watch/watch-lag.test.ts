import { beforeEach, expect, test } from 'vitest';
import { createWatchLag, type WatchLag, type Missing } from '../../../src/kube/watch/watch-lag.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';

let clock: ManualClock;
let late: Missing[];
let lag: WatchLag;
beforeEach(() => {
  clock = manualClock();
  late = [];
  lag = createWatchLag(clock, (missing) => late.push(missing));
  lag.listed('10');
});

test('a watch that shows what was written in time is well', () => {
  lag.expect('12');
  clock.advance(6_999);
  lag.reached('12');
  clock.advance(60_000);
  expect(late).toEqual([]);
  expect(clock.waits).toEqual([]);
});

test('a watch that does not is behind, until it does', () => {
  lag.expect('12');
  clock.advance(7_000);
  expect(late).toEqual([{ version: 12, times: 1 }]);
  lag.reached('11');
  expect(lag.missing).toEqual({ version: 12, times: 1 });
  lag.reached('12');
  expect(lag.missing).toBeUndefined();
});

test('it is found behind again for as long as it is', () => {
  lag.expect('12');
  clock.advance(21_000);
  expect(late.map(({ times }) => times)).toEqual([1, 2, 3]);
});

test('a write in the middle of a round is missed within 15 s', () => {
  lag.expect('12');
  clock.advance(1);
  lag.expect('13');
  lag.reached('12');
  clock.advance(13_999);
  expect(late).toEqual([{ version: 13, times: 1 }]);
});

test('however much is written, there is one timer; and none while nothing is awaited', () => {
  expect(clock.waits).toEqual([]);
  for (let version = 11; version < 100; version++) lag.expect(String(version));
  expect(clock.waits).toEqual([7_000]);
  lag.expect('9');
  expect(clock.waits).toEqual([7_000]);
});

test('a server that was put back to an earlier day has nothing to catch up with', () => {
  lag.expect('12');
  clock.advance(7_000);
  lag.listed('3');
  expect(lag.missing).toBeUndefined();
  clock.advance(60_000);
  expect(late).toHaveLength(1);
});
