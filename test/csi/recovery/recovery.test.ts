import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocks } from '../../../src/csi/grpc/locks.ts';
import type { Binding } from '../../../src/csi/mounts/binding.ts';
import type { NodeContext } from '../../../src/csi/node-context.ts';
import { startRecovery } from '../../../src/csi/recovery/recovery.ts';
import { silent } from '../../../src/kube/types.ts';
import { manualClock, until } from '../../support/manual-clock.ts';
import { FUSE_PATH, table, volume } from '../given.ts';

test('a consumer is retried also when the mount table could not be read at its last try (R12)', async () => {
  const kubeletDir = mkdtempSync(join(tmpdir(), 'sluice-recovery-'));
  const directory = join(kubeletDir, 'pods/uid-1/volumes/kubernetes.io~csi/ml-demo');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'vol_data.json'), JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: 'ml-demo' }));
  const target = join(directory, 'mount');
  // It stays as it is: only back-off begins the volume again.
  const mounts = table({ id: 20, parent: 1, mountPoint: FUSE_PATH, device: '0:21' }, { id: 30, mountPoint: target, device: '0:20' });
  const clock = manualClock();
  const bound: Binding[] = [];
  let isAway = true;
  let isUnreadable = false;
  let asked = 0;
  // All of a context that recovery uses.
  const context = {
    kubeletDir,
    mountRoot: '/runtime-mnt',
    clock,
    log: silent,
    locks: createLocks(),
    layers: { add() {}, keep() {} },
    cluster: { recordEvent() {} },
    watch: { last: () => 0, changed: (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) => ended(signal) },
    volumes: {
      async get() {
        asked++;
        if (isAway) throw new Error('the API server does not answer');
        return volume();
      },
    },
    host: {
      async mounts() {
        if (isUnreadable) throw new Error('the mount table cannot be read');
        return mounts;
      },
      bind: async (binding: Binding) => void bound.push(binding),
    },
  } as unknown as NodeContext;
  const recovery = startRecovery(context);
  await until(() => asked === 1 && clock.waits.length === 1, 'not tried');

  [isAway, isUnreadable] = [false, true];
  const [first = 0] = clock.waits;
  clock.advance(first);
  await until(() => clock.waits.length === 1, 'not retried');
  expect(clock.waits[0]).toBeGreaterThan(first);

  isUnreadable = false;
  clock.advance(clock.waits[0] ?? 0);
  await until(() => bound.length === 1, 'not bound');
  expect(bound).toMatchObject([{ source: FUSE_PATH, target }]);
  await recovery.stop();
  rmSync(kubeletDir, { recursive: true });
});

const ended = (signal: AbortSignal): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
