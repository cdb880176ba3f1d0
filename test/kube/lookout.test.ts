import { beforeEach, expect, test } from 'vitest';
import { createLookout, type Lookout, type Missing } from '../../src/kube/lookout.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

let clock: ManualClock;
let late: Missing[];
let lookout: Lookout;
beforeEach(() => {
  clock = manualClock();
  late = [];
  lookout = createLookout(clock, (missing) => late.push(missing));
  lookout.listed('10');
});

test('a watch that shows what was written in time is well', () => {
  lookout.expect('12');
  clock.advance(6_999);
  lookout.reached('12');
  clock.advance(60_000);
  expect(late).toEqual([]);
  expect(clock.waits).toEqual([]);
});

test('a watch that does not is behind, until it does', () => {
  lookout.expect('12');
  clock.advance(7_000);
  expect(late).toEqual([{ version: 12, times: 1 }]);
  lookout.reached('11');
  expect(lookout.missing).toEqual({ version: 12, times: 1 });
  lookout.reached('12');
  expect(lookout.missing).toBeUndefined();
});

test('it is found behind again for as long as it is', () => {
  lookout.expect('12');
  clock.advance(21_000);
  expect(late.map(({ times }) => times)).toEqual([1, 2, 3]);
});

test('what is written in the middle of a round is missed within 15 s', () => {
  lookout.expect('12');
  clock.advance(1);
  lookout.expect('13');
  lookout.reached('12');
  clock.advance(13_999);
  expect(late).toEqual([{ version: 13, times: 1 }]);
});

test('however much is written, there is one timer; and none while nothing is awaited', () => {
  expect(clock.waits).toEqual([]);
  for (let version = 11; version < 100; version++) lookout.expect(String(version));
  expect(clock.waits).toEqual([7_000]);
  lookout.expect('9');
  expect(clock.waits).toEqual([7_000]);
});

test('a server that was put back to an earlier day has nothing to catch up with', () => {
  lookout.expect('12');
  clock.advance(7_000);
  lookout.listed('3');
  expect(lookout.missing).toBeUndefined();
  clock.advance(60_000);
  expect(late).toHaveLength(1);
});
