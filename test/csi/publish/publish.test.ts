import { expect, test } from 'vitest';
import { createDeparting } from '../../../src/csi/publish/departing.ts';
import type { Host } from '../../../src/csi/mounts/host.ts';
import { NotBound } from '../../../src/csi/mounts/not-bound.ts';
import { createLocks } from '../../../src/csi/grpc/locks.ts';
import { EMPTY, nextTable } from '../../../src/csi/mounts/table.ts';
import { watchMounts } from '../../../src/csi/mounts/watch.ts';
import type { NodeContext } from '../../../src/csi/node-context.ts';
import { publish } from '../../../src/csi/publish/publish.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { FUSE_PATH, line, volume } from '../given.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

test('a publish call finds a client that replaced one just like it, which the mount table does not show', async () => {
  const clock = manualClock();
  const { lines } = nextTable(EMPTY, Buffer.from(`${line({ id: 1, mountPoint: '/' })}\n${line({ id: 2, mountPoint: FUSE_PATH })}\n`));
  const mounts = lines.flatMap(({ mount }) => mount ?? []);
  const watch = watchMounts({ read: () => ({ mounts, changed: [] }), clock, log });
  const works = [false, false, true];
  const bound: boolean[] = [];
  const host: Partial<Host> = {
    mounts: watch.now,
    look: () => ({ is: 'absent' }),
    makeTarget: () => {},
    async bind() {
      const does = works.shift() ?? true;
      bound.push(does);
      if (!does) throw new NotBound('later', `${FUSE_PATH} does not work: its FUSE client has ended`);
    },
  };
  // What a publication touches that nothing stands in the way of.
  const departing = createDeparting(clock);
  const parts = {
    host,
    watch,
    clock,
    log,
    departing,
    locks: createLocks(),
    explained: new Set(),
    patienceMs: 20_000,
  } as unknown as NodeContext;
  const call = { deadline: clock.wall() + 120_000, signal: new AbortController().signal };
  const published = publish(parts, { volumeId: 'ml-demo', volume: volume(), target: '/pods/a/mount', readOnly: false }, call);
  for (const tries of [1, 2]) {
    await clock.passes(2_000);
    await expect.poll(() => bound.length).toBe(tries + 1);
  }
  await published;
  expect(bound).toEqual([false, false, true]);
});
