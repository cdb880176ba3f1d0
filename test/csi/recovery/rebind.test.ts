import { describe, expect, test } from 'vitest';
import { createLocks } from '../../../src/csi/grpc/locks.ts';
import type { BindMount } from '../../../src/csi/mounts/binding.ts';
import type { MountInfo } from '../../../src/csi/mounts/mountinfo.ts';
import type { NodeContext } from '../../../src/csi/node-context.ts';
import { orphans } from '../../../src/csi/recovery/plan.ts';
import { rebind } from '../../../src/csi/recovery/rebind.ts';
import { silent } from '../../../src/kube/types.ts';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FUSE_PATH, table, volume } from '../given.ts';

/** A pod whose volume is dead: the kubelet's files beside it, and a mount table that the test replaces. */
function given({ pod }: { readonly pod?: object | undefined } = {}) {
  const kubeletDir = mkdtempSync(join(tmpdir(), 'sluice-rebind-'));
  const directory = join(kubeletDir, 'pods/uid-1/volumes/kubernetes.io~csi/ml-demo');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'vol_data.json'), JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: 'ml-demo' }));
  const target = join(directory, 'mount');
  const client = { id: 20, parent: 1, mountPoint: FUSE_PATH, device: '0:21' } as const;
  const part = join(kubeletDir, 'pods/uid-1/volume-subpaths/ml-demo/app/0');
  const dead = table(client, { id: 30, mountPoint: target, device: '0:20' }, { id: 40, mountPoint: part, root: '/part', device: '0:20' });
  const [orphan, subPath] = orphans(dead, { kubeletDir, mountRoot: '/runtime-mnt' });
  if (!orphan || !subPath) throw new Error('no orphan');
  const podLogsDir = join(kubeletDir, 'logs');
  mkdirSync(join(podLogsDir, 'ml_app_uid-1'), { recursive: true });
  const unmounted: string[] = [];
  let mounts: readonly MountInfo[] = dead;
  const bound: BindMount[] = [];
  const locks = createLocks();
  // All of a context that binding again uses.
  const context = {
    kubeletDir,
    locks,
    log: silent,
    clock: { wall: () => 0, after: () => () => {} },
    podLogsDir,
    cluster: { pod: async () => (pod instanceof Error ? Promise.reject(pod) : pod) },
    volumes: { get: async () => volume() },
    layers: { add: () => {} },
    host: {
      mounts: async () => mounts,
      bind: async (binding: BindMount) => void bound.push(binding),
      unmount: async (paths: readonly string[]) => void unmounted.push(...paths),
    },
  } as unknown as NodeContext;
  const whole = table(client, { id: 31, mountPoint: target, device: '0:21' });
  return {
    context,
    orphan,
    subPath,
    unmounted,
    target,
    locks,
    bound,
    publish: () => (mounts = whole),
    close: () => rmSync(kubeletDir, { recursive: true }),
  };
}

test('a target is not bound while a call of the kubelet holds it (R6)', async () => {
  const { context, orphan, target, locks, bound, close } = given();
  const call = Promise.withResolvers<void>();
  const held = locks.call(target, () => call.promise);
  const rebound = rebind(context, orphan);
  await new Promise((turn) => setImmediate(turn));
  expect(bound).toEqual([]);
  call.resolve();
  await held;
  expect(await rebound).toMatchObject({ dropped: 0, unseen: false });
  expect(bound).toMatchObject([{ source: FUSE_PATH, target }]);
  close();
});

test('a target that the kubelet published meanwhile is not bound again (R6)', async () => {
  const { context, orphan, target, locks, bound, publish, close } = given();
  const call = Promise.withResolvers<void>();
  const held = locks.call(target, () => call.promise.then(publish));
  const rebound = rebind(context, orphan);
  await new Promise((turn) => setImmediate(turn));
  call.resolve();
  await held;
  expect(await rebound).toBeUndefined();
  expect(bound).toEqual([]);
  close();
});

describe('the sub path of a container whose client died and came back', () => {
  const running = { name: 'app', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } };
  const ended = { name: 'app', state: { terminated: { finishedAt: '2026-01-01T00:00:00Z' } } };
  const pod = (metadata: object, status: object) => ({ metadata: { name: 'app', uid: 'uid-1', ...metadata }, status });
  const deletionTimestamp = '2026-01-01T00:00:00Z';

  test.each([
    ['its pod runs', pod({}, { phase: 'Running', containerStatuses: [running] }), false],
    ['its pod is being deleted and still runs', pod({ deletionTimestamp }, { phase: 'Running', containerStatuses: [running] }), false],
    ['a container of its pod is about to start again', pod({}, { phase: 'Running', containerStatuses: [ended] }), false],
    ['its pod has ended', pod({}, { phase: 'Succeeded', containerStatuses: [ended] }), true],
    ['its pod is being deleted and has ended', pod({ deletionTimestamp }, { phase: 'Running', containerStatuses: [ended] }), true],
    ['its pod does not exist any more', undefined, true],
    ['another pod has the name', pod({ uid: 'uid-2' }, { phase: 'Running', containerStatuses: [running] }), true],
    ['the API server does not answer', new Error('timeout'), false],
  ])('is bound again unless its pod has ended: %s (R14)', async (_, answer, isCleared) => {
    const { context, subPath, bound, unmounted, close } = given({ pod: answer });
    await rebind(context, subPath);
    expect({ bound: bound.length, unmounted }).toEqual(isCleared ? { bound: 0, unmounted: [subPath.target] } : { bound: 1, unmounted: [] });
    close();
  });
});
