/** What became of consumers whose FUSE client was started anew: decided on the mount table alone. */
import type { ContainerStatus, Pod } from '../cluster/node-cluster.ts';
import type { PodPath } from '../kubelet.ts';
import { podPathOf } from '../kubelet.ts';
import { isSameBelow, mountTree } from '../mounts/tree.ts';
import { isWithin, type Mount, mountOf, stackAt, topAt } from '../mounts/mountinfo.ts';
import { type Binding, bindingOf, shows } from '../mounts/binding.ts';
import { notReady } from '../publish/plan.ts';
import type { Volume } from '../volume.ts';

/** A path of a pod that does not show what is there now. */
export interface Orphan {
  readonly target: string;
  readonly at: PodPath;
  /** What it shows is nowhere below the mount root any more. */
  readonly isDead: boolean;
}

interface Directories {
  readonly kubeletDir: string;
  readonly mountRoot: string;
}

/**
 * The paths whose file system may have been replaced. Two mounts are of one FUSE client exactly when they have the same device number: a
 * client that died keeps its number for as long as anybody has it mounted, and its successor has another.
 *
 * And those that show less than there is: what is read-only is bound with all that is mounted below, and receives nothing later.
 */
export function orphans(mounts: readonly Mount[], { kubeletDir, mountRoot }: Directories): readonly Orphan[] {
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

/** Whether a copy shows all that is mounted below its source; each source is looked for once, however many have it. */
function wholeness(mounts: readonly Mount[], served: ReadonlyMap<string, readonly Mount[]>): (copy: Mount) => boolean {
  const tree = mountTree(mounts);
  const sources = new Map<string, ReturnType<typeof tree.below> | 'covered' | undefined>();

  function sourceOf({ device, root }: Mount) {
    const on = served
      .get(device)
      ?.filter((mount) => isWithin(root, mount.root))
      .reduce<Mount | undefined>((best, mount) => (best && best.root.length >= mount.root.length ? best : mount), undefined);
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

/** How to bind an orphan again; undefined when there is nothing to do, or nothing yet to bind. */
export function rebinding({ target, at }: Orphan, volume: Volume, mounts: readonly Mount[]): Binding | undefined {
  const { fusePath } = volume;
  const mounted = topAt(mounts, fusePath);
  const before = topAt(mounts, target);
  if (!before || (volume.mountType !== undefined && notReady(volume, mounts) !== undefined)) return undefined;
  const isOfNode = mounts.some(
    ({ device, mountPoint }) => device === before.device && mountPoint !== fusePath && isWithin(fusePath, mountPoint),
  );
  if (!mounted && !isOfNode) return undefined;
  // What was bound tells which part it was; volumes of two names, with sub paths of their own, may have one id.
  const part = mounted && !isOfNode ? partOf(fusePath, mounted.root, before.root, at) : undefined;
  const source = part ?? (at.isSubPath ? undefined : volume.source);
  if (source === undefined || shows(before, mounts, source)) return undefined;
  return bindingOf(mounts, { mounted, fusePath, source, target, readOnly: before.readOnly });
}

/**
 * Where the directory that a container had is now. The kernel adds `//deleted` to the name of one that was removed, and takes each for
 * removed whose client has ended once somebody asks for it: what a container has asked for by its path is at that path.
 */
function partOf(fusePath: string, mountedRoot: string, shown: string, { isSubPath }: PodPath): string | undefined {
  const root = isSubPath ? shown.replace(/\/\/deleted$/, '') : shown;
  if (root.endsWith('//deleted') || !isWithin(root, mountedRoot)) return undefined;
  const below = root.slice(mountedRoot === '/' ? 1 : mountedRoot.length + 1);
  return below === '' ? fusePath : `${fusePath}/${below}`;
}

/** From here on, layers that nobody can need are taken away before one more is added. */
const MOST_LAYERS = 4;

/**
 * How many of the uppermost layers at a target can go before it is bound again.
 *
 * A container keeps the layer that was uppermost when it started, and sees what is mounted on that one: so a new layer goes on top, and
 * what lies below stays for as long as a container may stand on it. One that was mounted after all containers had started is no one's.
 *
 * @param mountedAt when we mounted a layer, ms since the epoch, by its device; layers that we do not know of stay
 * @param startedAt when containers of the pod started, ms; undefined: one is just starting, or nobody knows
 */
export function layersToDrop(
  stack: readonly Mount[],
  mountedAt: ReadonlyMap<string, number>,
  startedAt: readonly (number | undefined)[],
): number {
  if (stack.length < MOST_LAYERS || startedAt.includes(undefined)) return 0;
  // Kubernetes tells whole seconds.
  const last = Math.max(...startedAt.map((at) => (at ?? 0) + 1000));
  const needed = stack.findLastIndex(({ device }, i) => i === 0 || (mountedAt.get(device) ?? 0) <= last);
  return stack.length - 1 - needed;
}

/**
 * When the containers of a pod started; what has ended counts no more. What the API server has is some seconds old: one whose youngest
 * instance was begun later than it says is just starting, or has.
 */
export function startsOf({ status = {} }: Pod, begunAt: (container: string) => number | undefined): readonly (number | undefined)[] {
  const lists = [status.initContainerStatuses, status.containerStatuses, status.ephemeralContainerStatuses];
  return lists
    .flatMap((list) => list ?? [])
    .flatMap(({ name, state = {} }: ContainerStatus) => {
      const { terminated, running } = state;
      const told = Date.parse(terminated?.finishedAt ?? running?.startedAt ?? '');
      // Kubernetes tells whole seconds.
      if (Number.isNaN(told) || (begunAt(name) ?? 0) > told + 1000) return [undefined];
      return terminated ? [] : [told];
    });
}

export const needsTrimming = (mounts: readonly Mount[], target: string): boolean => stackAt(mounts, target).length >= MOST_LAYERS;
