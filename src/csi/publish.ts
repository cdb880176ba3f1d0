import type { PodName } from './cluster.ts';
import type { Mount } from './mountinfo.ts';
import { isSameBelow, mountTree } from './mount-tree.ts';
import { isWithin, mountOf, topAt } from './mountinfo.ts';
import type { Volume } from './volume.ts';

/** What is at the target path: nothing yet, a directory, a link and where it leads. Not asked where something is mounted. */
export type Target = { readonly is: 'absent' | 'directory' } | { readonly is: 'link'; readonly to: string };

export interface Binding {
  /** The mount through which the source is reached; undefined where a volume need not be a mount. */
  readonly mount: number | undefined;
  readonly fusePath: string;
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
  /**
   * Give the new mount a peer group of its own before others see it. Otherwise all consumers of a shared mount are peers, and what is
   * done to one (bound again, unmounted) happens to all.
   */
  readonly apart: boolean;
  /** With all that is mounted below the source. */
  readonly whole: boolean;
  /** Take away what is mounted at the target first. */
  readonly inPlace?: true;
  /** The source is a file: a part of a volume that a container has asked for. */
  readonly isFile?: true;
}

/** How to show a directory of a FUSE mount at a target. */
export function bindingOf(
  mounts: readonly Mount[],
  asked: Pick<Binding, 'fusePath' | 'source' | 'target' | 'readOnly'> & { readonly mounted: Mount | undefined },
): Binding {
  const { mounted, ...rest } = asked;
  const on = mountOf(mounts, rest.source);
  const whole = on !== undefined && mountTree(mounts).below(on, rest.source).size > 0;
  return { ...rest, mount: mounted?.id, whole, apart: rest.readOnly || on?.shared === true };
}

export type PublishPlan =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly because: string }
  | { readonly do: 'bind'; readonly binding: Binding }
  | { readonly do: 'link'; readonly binding: Binding };

export interface PublishRequest {
  readonly volume: Volume;
  readonly target: string;
  readonly readOnly: boolean;
  /** Whose volume it is to be. */
  readonly pod?: PodName;
}

/**
 * What publishing takes, as things are. A target on which another file system is mounted than the volume's is bound over, not
 * unmounted: a running container may hold it, and would not see what is mounted in its place (recover.ts).
 */
export function planPublish({ volume, target, readOnly }: PublishRequest, mounts: readonly Mount[], found: Target): PublishPlan {
  const { fusePath, source } = volume;
  const mounted = topAt(mounts, fusePath);
  const because = volume.mountType === undefined ? undefined : notReady(volume, mounts);
  if (because !== undefined) return { do: 'wait', because };
  const at = topAt(mounts, target);
  if (at && shows(at, mounts, source)) return { do: 'nothing' };
  const binding = bindingOf(mounts, { mounted, fusePath, source, target, readOnly });
  if (methodOf(volume, readOnly) === 'bind' || at) return { do: 'bind', binding };
  return found.is === 'link' && found.to === source ? { do: 'nothing' } : { do: 'link', binding };
}

/**
 * A link can neither be read-only nor keep to a sub path, since whoever writes to the file system decides later where it leads: such
 * volumes are always bound.
 */
export const methodOf = ({ method, fusePath, source }: Volume, readOnly: boolean): Volume['method'] =>
  method === 'symlink' && !readOnly && source === fusePath ? 'symlink' : 'bind';

/**
 * Whether `at` shows the very directory that is at the path `source` now. What is read-only is no peer of its source: what is mounted
 * below that later has to be bound as well.
 */
export function shows(at: Mount, mounts: readonly Mount[], source: string): boolean {
  const on = mountOf(mounts, source);
  if (on === undefined || at.device !== on.device) return false;
  if (at.root !== joined(on.root, source.slice(on.mountPoint === '/' ? 0 : on.mountPoint.length))) return false;
  if (!at.readOnly) return true;
  const tree = mountTree(mounts);
  return isSameBelow(tree.below(on, source), tree.below(at, at.mountPoint));
}

const joined = (root: string, below: string): string => (root === '/' ? below || '/' : root + below);

/** As Fluid, any mount of the type at the path or below it will do: some clients mount nothing at the path itself. */
export function notReady({ fusePath, mountType = '' }: Volume, mounts: readonly Mount[]): string | undefined {
  if (mounts.some(({ mountPoint, line }) => isWithin(mountPoint, fusePath) && line.includes(mountType))) return undefined;
  const mounted = topAt(mounts, fusePath);
  return mounted
    ? `${fusePath} is mounted as ${mounted.fsType} (${mounted.source}), not as ${mountType}`
    : `${fusePath} is not mounted yet`;
}
