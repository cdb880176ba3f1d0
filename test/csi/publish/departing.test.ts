import { expect, test } from 'vitest';
import { createDeparting } from '../../../src/csi/publish/departing.ts';
import { topAt } from '../../../src/csi/mounts/mountinfo.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { table } from '../given.ts';

const [a, b] = [
  { mountPoint: '/runtime-mnt/a', device: '0:9' },
  { mountPoint: '/runtime-mnt/b', device: '0:10' },
];

test('a client that departs is known for as long as it is mounted', () => {
  const clock = manualClock();
  const departing = createDeparting(clock);
  departing.add(a.mountPoint, table(a, b));
  clock.advance(90_000);
  departing.add(b.mountPoint, table(a, b));
  expect(departing.since(a.mountPoint, topAt(table(a, b), a.mountPoint))).toBe(90_000);
});

test('a client that has departed unasked is forgotten with the next one: its device number may come back for another', () => {
  const clock = manualClock();
  const departing = createDeparting(clock);
  departing.add(a.mountPoint, table(a, b));
  departing.add(b.mountPoint, table(b));
  expect(departing.since(a.mountPoint, topAt(table(a), a.mountPoint))).toBeUndefined();
});
