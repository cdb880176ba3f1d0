/** What became of consumers whose FUSE client was started anew: decided on the mount table alone. */
import type { ContainerStatus, Pod } from './cluster.ts';
import type { PodPath } from './kubelet.ts';
import { podPathOf } from './kubelet.ts';
import { isWithin, type Mount, mountOf, stackAt, topAt } from './mountinfo.ts';
import type { Binding } from './publish.ts';
import { shows } from './publish.ts';
import type { Volume } from './volume.ts';

/** A path of a pod that shows a file system which is nowhere below the mount root any more. */
export interface Orphan {
  readonly target: string;
  readonly at: PodPath;
}

/**
 * The paths whose file system may have been replaced. Two mounts are of one FUSE client exactly when they have the same device number: a
 * client that died keeps its number for as long as anybody has it mounted, and its successor has another.
 */
export function orphans(mounts: readonly Mount[], { kubeletDir, mountRoot }: { kubeletDir: string; mountRoot: string }): readonly Orphan[] {
  const seen = [...Map.groupBy(mounts, ({ mountPoint }) => mountPoint)].flatMap(([point, stack]) => topAt(stack, point) ?? []);
  const alive = new Set(seen.filter(({ mountPoint }) => isWithin(mountPoint, mountRoot)).map(({ device }) => device));
  return seen.flatMap(({ mountPoint, device }) => {
    const at = alive.has(device) ? undefined : podPathOf(mountPoint, kubeletDir);
    return at ? [{ target: mountPoint, at }] : [];
  });
}

/** How to bind an orphan again; undefined when there is nothing to do, or nothing yet to bind. */
export function rebinding({ target, at }: Orphan, volume: Volume, mounts: readonly Mount[]): Binding | undefined {
  const { fusePath, mountType = '' } = volume;
  const mounted = topAt(mounts, fusePath);
  const before = topAt(mounts, target);
  if (!mounted || !before || !mounted.line.includes(mountType)) return undefined;
  // What was bound tells which part it was; volumes of two names, with sub paths of their own, may have one id.
  const source = partOf(fusePath, mounted.root, before.root) ?? (at.isSubPath ? undefined : volume.source);
  if (source === undefined || shows(before, mounts, source)) return undefined;
  const { readOnly } = before;
  return { mount: mounted.id, fusePath, source, target, readOnly, apart: readOnly || mountOf(mounts, source)?.shared === true };
}

/** Where the directory that a container had is now. The kernel adds `//deleted` to the name of one that was removed. */
function partOf(fusePath: string, mountedRoot: string, root: string): string | undefined {
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

/** When the containers of a pod started; what has ended counts no more. */
export function startsOf({ status = {} }: Pod): readonly (number | undefined)[] {
  const lists = [status.initContainerStatuses, status.containerStatuses, status.ephemeralContainerStatuses];
  return lists
    .flatMap((list) => list ?? [])
    .flatMap(({ state = {} }: ContainerStatus) => {
      if (state.terminated) return [];
      return [state.running?.startedAt === undefined ? undefined : Date.parse(state.running.startedAt)];
    });
}

export const needsTrimming = (mounts: readonly Mount[], target: string): boolean => stackAt(mounts, target).length >= MOST_LAYERS;
