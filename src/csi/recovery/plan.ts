/** Which consumers must be bound again, and to what: decided on the mount table alone. The invariants are in recovery.ts. */
import { containersOf, type FusePod } from '../cluster/node-cluster.ts';
import type { PodPath } from '../kubelet.ts';
import { podPathOf } from '../kubelet.ts';
import { isSameBelow, mountTree } from '../mounts/tree.ts';
import { isWithin, type MountInfo, mountOf, stackAt, topAt } from '../mounts/mountinfo.ts';
import { type BindMount, bindMountOf, shows } from '../mounts/binding.ts';
import { notReady } from '../publish/plan.ts';
import type { CsiVolume } from '../volume.ts';

/** A consumer whose path does not show what is mounted for its volume now. */
export interface Orphan {
  readonly target: string;
  readonly at: PodPath;
  /** The file system that it shows is mounted nowhere below the mount root any more. */
  readonly isDead: boolean;
}

interface Directories {
  readonly kubeletDir: string;
  readonly mountRoot: string;
}

/**
 * Consumers whose file system may have been replaced. Two mounts belong to one FUSE client exactly when they have the same device number:
 * a client that died keeps its number for as long as it is mounted anywhere, and its successor has another.
 *
 * Also consumers that show less than is mounted: what is read-only is bound with all that is mounted below, and receives nothing later.
 */
export function orphans(mounts: readonly MountInfo[], { kubeletDir, mountRoot }: Directories): readonly Orphan[] {
  const seen = [...Map.groupBy(mounts, ({ mountPoint }) => mountPoint)].flatMap(([point, stack]) => topAt(stack, point) ?? []);
  const served = Map.groupBy(
    seen.filter(({ mountPoint }) => isWithin(mountPoint, mountRoot)),
    ({ device }) => device,
  );
  const isWhole = wholeness(mounts, served);
  return seen.flatMap((mount) => {
    const { mountPoint: target, device, readOnly } = mount;
    const at = podPathOf(target, kubeletDir);
    if (!at) return [];
    const isDead = !served.has(device);
    return isDead || (readOnly && !at.isSubPath && !isWhole(mount)) ? [{ target, at, isDead }] : [];
  });
}

/** Whether a copy shows all that is mounted below its source; each source is computed once, however many copies it has. */
function wholeness(mounts: readonly MountInfo[], served: ReadonlyMap<string, readonly MountInfo[]>): (copy: MountInfo) => boolean {
  const tree = mountTree(mounts);
  const sources = new Map<string, ReturnType<typeof tree.below> | 'covered' | undefined>();

  function sourceOf({ device, root }: MountInfo) {
    const on = served
      .get(device)
      ?.filter((mount) => isWithin(root, mount.root))
      .reduce<MountInfo | undefined>((best, mount) => (best && best.root.length >= mount.root.length ? best : mount), undefined);
    if (!on) return undefined;
    const path = on.mountPoint + root.slice(on.root === '/' ? 0 : on.root.length).replace(/\/$/, '');
    return mountOf(mounts, path)?.id === on.id ? tree.below(on, path) : 'covered';
  }

  return (copy) => {
    const key = `${copy.device} ${copy.root}`;
    if (!sources.has(key)) sources.set(key, sourceOf(copy));
    const source = sources.get(key);
    if (source === 'covered') return false;
    return source === undefined || isSameBelow(source, tree.below(copy, copy.mountPoint));
  };
}

/** How to bind an orphan again; undefined when it needs nothing, or when its client has not mounted yet. */
export function rebinding({ target, at }: Orphan, volume: CsiVolume, mounts: readonly MountInfo[]): BindMount | undefined {
  const { fusePath } = volume;
  const mounted = topAt(mounts, fusePath);
  const before = topAt(mounts, target);
  if (!before || (volume.mountType !== undefined && notReady(volume, mounts) !== undefined)) return undefined;
  const isOfNode = mounts.some(
    ({ device, mountPoint }) => device === before.device && mountPoint !== fusePath && isWithin(fusePath, mountPoint),
  );
  if (!mounted && !isOfNode) return undefined;
  // The old mount shows which part it was; two PersistentVolumes with one handle may have sub paths of their own.
  const part = mounted && !isOfNode ? partOf(fusePath, mounted.root, before.root, at) : undefined;
  const source = part ?? (at.isSubPath ? undefined : volume.source);
  if (source === undefined || shows(before, mounts, source)) return undefined;
  return bindMountOf(mounts, { mounted, fusePath, source, target, readOnly: before.readOnly });
}

/**
 * Where the directory that a container had is now. The kernel adds `//deleted` to the name of a directory that was removed, and takes any
 * for removed whose client has ended once a process accesses it. The sub path of a container is still at its own path.
 */
function partOf(fusePath: string, mountedRoot: string, shown: string, { isSubPath }: PodPath): string | undefined {
  const root = isSubPath ? shown.replace(/\/\/deleted$/, '') : shown;
  if (root.endsWith('//deleted') || !isWithin(root, mountedRoot)) return undefined;
  const below = root.slice(mountedRoot === '/' ? 1 : mountedRoot.length + 1);
  return below === '' ? fusePath : `${fusePath}/${below}`;
}

/** From this many layers on, unused ones are unmounted before another is added. */
const MOST_LAYERS = 4;

/**
 * How many of the uppermost layers at a target can be unmounted before it is bound again.
 *
 * A container keeps the layer that was uppermost when it started, and sees what is mounted on that one. So a new layer goes on top, and
 * a layer below stays for as long as a container may use it. No container uses one that was mounted after all of them had started.
 *
 * @param mountedAt when the plugin mounted a layer, ms since the epoch, by its device; layers that are not in it stay
 * @param startedAt when containers of the pod started, ms since the epoch; undefined: one is just starting, or that is unknown
 */
export function layersToDrop(
  stack: readonly MountInfo[],
  mountedAt: ReadonlyMap<string, number>,
  startedAt: readonly (number | undefined)[],
): number {
  if (stack.length < MOST_LAYERS || startedAt.includes(undefined)) return 0;
  // Kubernetes reports whole seconds.
  const last = Math.max(...startedAt.map((at) => (at ?? 0) + 1000));
  const needed = stack.findLastIndex(({ device }, i) => i === 0 || (mountedAt.get(device) ?? 0) <= last);
  return stack.length - 1 - needed;
}

/**
 * When the containers of a pod started, ms since the epoch; those that ended are left out. The API server's status may be some seconds
 * old: a container whose youngest instance the kubelet created later than that is undefined, since it is just starting.
 */
export function startsOf({ status = {} }: FusePod, begunAt: (container: string) => number | undefined): readonly (number | undefined)[] {
  return containersOf(status).flatMap(({ name, state = {} }) => {
    const { terminated, running } = state;
    const at = Date.parse(terminated?.finishedAt ?? running?.startedAt ?? '');
    // Kubernetes reports whole seconds.
    if (Number.isNaN(at) || (begunAt(name) ?? 0) > at + 1000) return [undefined];
    return terminated ? [] : [at];
  });
}

export const needsTrimming = (mounts: readonly MountInfo[], target: string): boolean => stackAt(mounts, target).length >= MOST_LAYERS;
