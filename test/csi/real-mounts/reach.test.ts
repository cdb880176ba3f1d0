import { afterAll, expect, test } from 'vitest';
import { createReach } from '../../../src/csi/mounts/reach.ts';
import { openShells } from '../../../src/csi/mounts/shells.ts';
import { manualClock } from '../../support/manual-clock.ts';

const shells = openShells();
afterAll(() => shells.close());

const HANGS = ['sleep', '60'] as const;
const ANSWERS = ['true'] as const;
const ended = expect.objectContaining({ code: 0 });

test('a file system that did not answer is not tried again for a while, except by a caller with more patience', async () => {
  const clock = manualClock();
  const reach = createReach(shells.run, clock);
  await expect(reach('0:7', HANGS, 50)).rejects.toThrow('has not answered since');
  await expect(reach('0:7', ANSWERS, 50)).rejects.toThrow('has not answered since');
  await expect(reach('0:8', ANSWERS, 50_000)).resolves.toEqual(ended);
  await expect.poll(() => reach('0:7', ANSWERS, 50_000)).toEqual(ended);
  await expect(reach('0:7', ANSWERS, 50)).rejects.toThrow('has not answered since');
  clock.advance(10_000);
  await expect(reach('0:7', ANSWERS, 50_000)).resolves.toEqual(ended);
});

test('so many at a time are sent that few hang, and none of those that waited', async () => {
  const reach = createReach(shells.run);
  const asked = await Promise.allSettled([...Array.from({ length: 4 }, () => reach('0:7', HANGS, 200)), reach('0:7', ANSWERS, 200)]);
  expect(asked.map((each) => each.status)).toEqual(Array(5).fill('rejected'));
});
