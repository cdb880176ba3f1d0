import { beforeEach, expect, test } from 'vitest';
import { createFightDetector } from '../../../../src/reconciler/kubernetes/apply/fights.ts';

let clock: number;
let fights: ReturnType<typeof createFightDetector>;
beforeEach(() => {
  clock = 1_000_000;
  fights = createFightDetector({ monotonic: () => clock });
});
/** As many repairs as are made without objection. */
function repairs(times: number, { every = 1000, edition = (): string => '1', uid = 'u' } = {}): number {
  for (let i = 0; i < times; i++) {
    if (fights.repaired(uid, edition(), [`spec.f${i}`])) return i;
    clock += every;
  }
  return times;
}

test('six repairs a minute are allowed, the seventh is a fight (A9)', () => expect(repairs(10)).toBe(6));
test('a fight names the fields in dispute (A9)', () => {
  repairs(6);
  expect(fights.repaired('u', '1', ['spec.image'])).toEqual(['spec.image']);
});
test('repairs ten seconds apart are no fight (A9)', () => expect(repairs(50, { every: 10_000 })).toBe(50));
test('repairs after edits of our own specs are no fight, however many (A9)', () => {
  let generation = 0;
  expect(repairs(50, { edition: () => String(generation++) })).toBe(50);
});
test('a fight about one object delays no other object (A9)', () => {
  repairs(7);
  expect(fights.repaired('other', '1', ['spec'])).toBeUndefined();
});
test('a repair is tried again after half a minute (A9)', () => {
  repairs(7);
  clock += 29_999;
  expect(fights.repaired('u', '1', ['spec'])).toBeDefined();
  clock += 1;
  expect(fights.repaired('u', '1', ['spec'])).toBeUndefined();
});
test('the pauses grow from fight to fight, up to ten minutes (A9)', () => {
  const pauses: number[] = [];
  for (let round = 0; round < 7; round++) {
    repairs(7, { every: 1 });
    const from = clock;
    while (fights.repaired('u', '1', ['spec'])) clock += 1000;
    pauses.push(Math.round((clock - from) / 10_000) * 10);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
});
test('after a long time without repairs the first pause is short again (A9)', () => {
  repairs(7);
  clock += 30_000;
  repairs(7, { every: 1 });
  clock += 60_000 + 600_001;
  repairs(7, { every: 1 });
  clock += 30_000;
  expect(fights.repaired('u', '1', ['spec'])).toBeUndefined();
});
