import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLocks } from '../../../src/csi/grpc/locks.ts';
import type { BindMount } from '../../../src/csi/mounts/binding.ts';
import { openLayers } from '../../../src/csi/mounts/layers.ts';
import type { MountInfo } from '../../../src/csi/mounts/mountinfo.ts';
import { NotBound } from '../../../src/csi/mounts/not-bound.ts';
import type { NodeContext } from '../../../src/csi/node-context.ts';
import { startRecovery } from '../../../src/csi/recovery/recovery.ts';
import { silent } from '../../../src/kube/types.ts';
import { manualClock, until } from '../../support/manual-clock.ts';
import { FUSE_PATH, table, volume } from '../given.ts';

const dead = (target: string, id = 30) => ({ id, mountPoint: target, device: '0:20' });
const CLIENT = { id: 20, parent: 1, mountPoint: FUSE_PATH, device: '0:21' } as const;

/** Recovery on a mount table that the test replaces. A bind changes nothing there: only the test, and back-off, begin a volume again. */
function given(mountsOf: (target: string) => readonly MountInfo[] = (target) => table(CLIENT, dead(target))) {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-recovery-'));
  const consumer = (uid: string) => {
    const directory = join(dir, 'pods', uid, 'volumes/kubernetes.io~csi/ml-demo');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'vol_data.json'), JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: 'ml-demo' }));
    return join(directory, 'mount');
  };
  const target = consumer('uid-1');
  const clock = manualClock();
  const layers = openLayers(join(dir, 'layers.json'), silent);
  const bound: BindMount[] = [];
  const unmounted: string[] = [];
  let last: readonly MountInfo[] = [];
  let changed = Promise.withResolvers<void>();
  const at = {
    dir,
    target,
    consumer,
    clock,
    layers,
    bound,
    unmounted,
    mounts: mountsOf(target),
    detach: undefined as (() => Promise<void>) | undefined,
    readTable: async (): Promise<readonly MountInfo[]> => (last = at.mounts),
    readVolume: async () => volume(),
    bind: async (binding: BindMount): Promise<void> => void bound.push(binding),
    change(mounts: readonly MountInfo[]) {
      at.mounts = mounts;
      changed.resolve();
      changed = Promise.withResolvers();
    },
    /** Waits for a retry to be due; returns how long it waits, ms. */
    async retry() {
      await until(() => clock.waits.length === 1, 'no retry is due');
      return clock.waits[0] ?? 0;
    },
  };
  // All of a context that recovery uses.
  const context = {
    kubeletDir: dir,
    mountRoot: '/runtime-mnt',
    clock,
    log: silent,
    locks: createLocks(),
    layers,
    cluster: { recordEvent() {} },
    watch: {
      last: () => last,
      changed: async (since: unknown, _: unknown, { signal }: { signal: AbortSignal }) =>
        since === at.mounts && Promise.race([changed.promise, aborted(signal)]),
    },
    volumes: { get: () => at.readVolume() },
    host: {
      mounts: () => at.readTable(),
      bind: (binding: BindMount) => at.bind(binding),
      unmount: async (paths: readonly string[]) => void unmounted.push(...paths),
      detach: async ({ mountPoint }: MountInfo) => (at.detach ? at.detach() : void unmounted.push(mountPoint)),
    },
  } as unknown as NodeContext;
  const recovery = startRecovery(context);
  onTestFinished(async () => {
    await recovery.stop();
    rmSync(dir, { recursive: true });
  });
  return at;
}
const aborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

test.each([
  ['its client is still starting', new NotBound('later', 'no client')],
  ['it cannot be mounted', new NotBound('failed', 'mount failed')],
  ['its directory does not exist yet', new NotBound('missing', 'no such directory')],
])('a consumer is retried with back-off and stays mounted while %s (R12)', async (_, error) => {
  const at = given();
  const bind = at.bind;
  let tries = 0;
  at.bind = async (binding) => {
    if (++tries <= 12) throw error;
    await bind(binding);
  };
  const waits: number[] = [];
  for (let i = 0; i < 12; i++) {
    waits.push(await at.retry());
    at.clock.advance(waits.at(-1) ?? 0);
  }
  await until(() => at.bound.length === 1, 'not bound');
  expect(at.bound).toMatchObject([{ source: FUSE_PATH, target: at.target }]);
  expect(at.unmounted).toEqual([]);
  const [first = 0] = waits;
  expect(waits.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5].map((i) => first * 2 ** i));
  expect(waits.at(-1)).toBeLessThanOrEqual(30_000);
});

test('a consumer is retried also when the mount table could not be read at its last try (R12)', async () => {
  const at = given();
  at.readVolume = () => Promise.reject(new Error('the API server does not answer'));
  const first = await at.retry();

  const { readTable } = at;
  at.readVolume = async () => volume();
  at.readTable = () => Promise.reject(new Error('the mount table cannot be read'));
  at.clock.advance(first);
  const second = await at.retry();
  expect(second).toBeGreaterThan(first);

  at.readTable = readTable;
  at.clock.advance(second);
  await until(() => at.bound.length === 1, 'not bound');
  expect(at.bound).toMatchObject([{ source: FUSE_PATH, target: at.target }]);
});

test('a consumer that was unpublished is not retried (R12)', async () => {
  const at = given();
  at.bind = () => Promise.reject(new NotBound('failed', 'mount failed'));
  await at.retry();
  at.change(table(CLIENT));
  await until(() => at.clock.waits.length === 0, 'still to be retried');
});

test('a consumer is bound to a client that mounts while the others of its volume are bound (R12)', async () => {
  const at = given(() => []);
  const consumers = [dead(at.target), dead(at.consumer('uid-2'), 31)];
  // The other consumer waits for the API server meanwhile.
  const held = Promise.withResolvers<void>();
  let asked = 0;
  at.readVolume = async () => {
    if (++asked === 2) await held.promise;
    return volume();
  };
  at.change(table(...consumers));
  await until(() => asked === 2, 'not tried');
  at.change(table(CLIENT, ...consumers));
  await new Promise((turn) => setImmediate(turn));
  held.resolve();
  await until(() => at.bound.some(({ target }) => target === at.target), 'not bound');
});

test('the age of a layer is forgotten with the layer, since its device number is used again (R9)', async () => {
  const at = given((target) => table(CLIENT, { ...dead(target), device: CLIENT.device }));
  at.layers.add(at.target, CLIENT.device, 1_000);
  at.change(table(CLIENT));
  await until(() => at.layers.at(at.target).size === 0, 'not forgotten');
  at.layers.add(at.target, CLIENT.device, 2_000);
  expect(at.layers.at(at.target)).toEqual(new Map([[CLIENT.device, 2_000]]));
});

test('a mount whose directory was deleted is unmounted, and retried where that fails', async () => {
  const at = given(() => []);
  const path = '/runtime-mnt/vineyard/ml/demo/vineyard-fuse/rpc-conf';
  const mount = { mountPoint: path, fsType: 'ext4', device: '8:1' };
  const root = '/kubelet/pods/uid/volumes/kubernetes.io~configmap/conf';
  at.change(table({ ...mount, id: 40, root }));
  at.detach = () => Promise.reject(new Error('umount: too many files are open'));
  at.change(table({ ...mount, id: 40, root: `${root}//deleted` }));
  const wait = await at.retry();
  at.detach = undefined;
  at.clock.advance(wait);
  await until(() => at.unmounted.length > 0, 'not unmounted');
  expect(at.unmounted).toEqual([path]);
});
