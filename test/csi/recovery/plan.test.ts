import { describe, expect, test } from 'vitest';
import type { FuseContainerStatus, FusePod } from '../../../src/csi/cluster/node-cluster.ts';
import { layersToDrop, orphans, rebinding, startsOf } from '../../../src/csi/recovery/plan.ts';
import { FUSE_PATH, table, volume } from '../given.ts';

const KUBELET = '/var/lib/kubelet';
const dirs = { kubeletDir: KUBELET, mountRoot: '/runtime-mnt' };
const TARGET = `${KUBELET}/pods/uid-1/volumes/kubernetes.io~csi/ml-demo/mount`;
const PART = `${KUBELET}/pods/uid-1/volume-subpaths/ml-demo/app/0`;
const FUSE = { id: 20, parent: 1, mountPoint: FUSE_PATH, device: '0:21' } as const;
const at = { podUid: 'uid-1', volumeName: 'ml-demo', isSubPath: false };

describe('a consumer', () => {
  test('is an orphan when its file system is nowhere below the mount root any more (R1)', () => {
    const dead = { id: 30, mountPoint: TARGET, device: '0:20' } as const;
    expect(orphans(table(FUSE, dead), dirs)).toEqual([{ target: TARGET, at, isDead: true }]);
    expect(orphans(table(FUSE, { ...dead, device: '0:21' }), dirs)).toEqual([]);
  });

  test('is no orphan when only a lower layer is dead, or when its client is covered (R1)', () => {
    const [lower, upper] = [
      { id: 30, parent: 2, mountPoint: TARGET, device: '0:20' },
      { id: 31, parent: 30, mountPoint: TARGET, device: '0:21' },
    ] as const;
    expect(orphans(table(FUSE, upper, lower), dirs)).toEqual([]);
    const covered = { ...FUSE, id: 19, device: '0:20' };
    expect(orphans(table(covered, { ...FUSE, parent: 19 }, { ...lower }), dirs)).toHaveLength(1);
  });

  test('is only what the kubelet mounts for pods (R2)', () => {
    const places = [`${KUBELET}/plugins/x/mount`, '/mnt/other', `${KUBELET}/pods/uid-1/volumes/kubernetes.io~csi/ml-demo/mount/below`];
    expect(orphans(table(FUSE, ...places.map((mountPoint, i) => ({ id: 40 + i, mountPoint, device: '0:20' }))), dirs)).toEqual([]);
  });
});

describe('a consumer that is bound again', () => {
  const dead = (more: object) => table(FUSE, { id: 30, mountPoint: TARGET, device: '0:20', ...more });

  test('gets the part that it had, as writable as it was (R3)', () => {
    expect(rebinding({ target: TARGET, at, isDead: true }, volume(), dead({ root: '/a/b', readOnly: true }))).toMatchObject({
      mount: 20,
      source: `${FUSE_PATH}/a/b`,
      readOnly: true,
      apart: true,
    });
  });

  test("gets its volume's own part in place of a directory that was removed (R4)", () => {
    const source = `${FUSE_PATH}/own`;
    expect(rebinding({ target: TARGET, at, isDead: true }, volume({ source }), dead({ root: '/x//deleted' }))).toMatchObject({ source });
  });

  test("gets what is at its path now in place of a container's sub path that was removed (R3)", () => {
    const mounts = table(FUSE, { id: 30, mountPoint: PART, device: '0:20', root: '/x//deleted' });
    expect(rebinding({ target: PART, at: { ...at, isSubPath: true }, isDead: true }, volume(), mounts)).toMatchObject({
      source: `${FUSE_PATH}/x`,
    });
  });

  test("is not bound before a client of the volume's mount type has mounted (R5)", () => {
    expect(rebinding({ target: TARGET, at, isDead: true }, volume({ mountType: 'fuse.other' }), dead({}))).toBeUndefined();
    expect(
      rebinding({ target: TARGET, at, isDead: true }, volume(), table({ id: 30, mountPoint: TARGET, device: '0:20' })),
    ).toBeUndefined();
  });
});

describe('layers', () => {
  const stack = table(...[1, 2, 3, 4].map((id) => ({ id, parent: id - 1, mountPoint: TARGET, device: `0:${id}` })));
  const mountedAt = new Map([
    ['0:2', 10_000],
    ['0:3', 20_000],
    ['0:4', 30_000],
  ]);

  test.each([
    ['all but the lowest are unmounted when containers are older', stack, [5_000], 3],
    ['those stay that a container may use', stack, [5_000, 15_000], 2],
    ['one that was mounted within the second of a start stays', stack, [9_500], 2],
    ['all stay while a container starts', stack, [5_000, undefined], 0],
    ['fewer than four stay', stack.slice(0, 3), [5_000], 0],
  ] as const)('%s (R8)', (_, layers, started, expected) => {
    expect(layersToDrop(layers, mountedAt, started)).toBe(expected);
  });

  test('that the plugin did not mount stay (R8)', () => {
    expect(layersToDrop(stack, new Map([['0:4', 30_000]]), [5_000])).toBe(1);
    expect(layersToDrop(stack, new Map([['0:2', 30_000]]), [5_000])).toBe(0);
  });

  describe('and the start of containers:', () => {
    const running = (startedAt?: string) => ({ name: 'x', state: { running: { ...(startedAt && { startedAt }) } } });
    const ended = (finishedAt: string) => ({ name: 'i', state: { terminated: { exitCode: 0, finishedAt } } });
    const pod = (...containerStatuses: readonly FuseContainerStatus[]): FusePod => ({
      metadata: { name: 'p' },
      status: { containerStatuses },
    });

    test('a container that ended uses no layer (R8)', () => {
      const containers = pod(ended('1970-01-01T00:00:03Z'), running('1970-01-01T00:00:05Z'), { name: 'w', state: { waiting: {} } });
      expect(startsOf(containers, () => undefined)).toEqual([5_000, undefined]);
    });

    test('a container that was started again since its status was written may use any layer (R8)', () => {
      expect(startsOf(pod(running('1970-01-01T00:00:05Z')), () => 5_900)).toEqual([5_000]);
      expect(startsOf(pod(running('1970-01-01T00:00:05Z')), () => 25_000)).toEqual([undefined]);
      expect(startsOf(pod(ended('1970-01-01T00:00:05Z')), () => 25_000)).toEqual([undefined]);
    });
  });
});
