import { expect, test } from 'vitest';
import { createDeparting } from '../../../src/csi/publish/departing.ts';
import type { Host } from '../../../src/csi/mounts/host.ts';
import { NotBound } from '../../../src/csi/mounts/not-bound.ts';
import { createLocks } from '../../../src/csi/grpc/locks.ts';
import { EMPTY, nextTable } from '../../../src/csi/mounts/table.ts';
import { watchMounts } from '../../../src/csi/mounts/watch.ts';
import type { NodeContext } from '../../../src/csi/node-context.ts';
import { publish } from '../../../src/csi/publish/publish.ts';
import { aMoment, manualClock } from '../../support/manual-clock.ts';
import { FUSE_PATH, line, volume } from '../given.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

const ROOT = line({ id: 1, mountPoint: '/' });
const FUSE = line({ id: 2, mountPoint: FUSE_PATH });
const table = (...lines: readonly string[]) => nextTable(EMPTY, Buffer.from(lines.map((each) => `${each}\n`).join('')));

/** A publish call for a node whose mount table is `lines`. What it touches that nothing stands in the way of. */
function publishing(lines: readonly string[], bind: Host['bind'] = async () => {}) {
  const clock = manualClock();
  let at = table(...lines).lines.flatMap(({ mount }) => mount ?? []);
  let changed: typeof at = [];
  const watch = watchMounts({ read: () => ({ mounts: at, changed }), clock, log });
  const host: Partial<Host> = { mounts: watch.now, look: () => ({ is: 'absent' }), makeTarget: () => {}, bind };
  const departing = createDeparting(clock);
  const parts = { host, watch, clock, log, departing, locks: createLocks(), explained: new Set(), patienceMs: 20_000 };
  const call = { deadline: clock.wall() + 120_000, signal: new AbortController().signal };
  const request = { volumeId: 'ml-demo', volume: volume(), target: '/pods/a/mount', readOnly: false };
  return {
    clock,
    departing,
    mounts: () => at,
    mounted(...next: readonly string[]) {
      changed = at;
      at = table(...next).lines.flatMap(({ mount }) => mount ?? []);
      changed = [...changed, ...at];
    },
    publish: () => publish(parts as unknown as NodeContext, request, call),
  };
}

test('a publish call finds a client that replaced one just like it, which the mount table does not show', async () => {
  const works = [false, false, true];
  const bound: boolean[] = [];
  const node = publishing([ROOT, FUSE], async () => {
    const does = works.shift() ?? true;
    bound.push(does);
    if (!does) throw new NotBound('later', `${FUSE_PATH} does not work: its FUSE client has ended`);
  });
  const published = node.publish();
  for (const tries of [1, 2]) {
    await node.clock.passes(2_000);
    await expect.poll(() => bound.length).toBe(tries + 1);
  }
  await published;
  expect(bound).toEqual([false, false, true]);
});

test('a new client is bound at once, although it has the device number of the one whose label was just removed', async () => {
  let bound = 0;
  const node = publishing([ROOT, FUSE], async () => void bound++);
  node.departing.add(FUSE_PATH, node.mounts());
  node.mounted(ROOT);
  const published = node.publish();
  const passes = async () => {
    await aMoment(5);
    node.clock.advance(50);
    await aMoment(5);
  };
  await passes();
  expect(bound).toBe(0);
  node.mounted(ROOT, FUSE);
  for (let looks = 0; looks < 4 && bound === 0; looks++) await passes();
  expect(bound).toBe(1);
  await published;
});
