/** The desired mount at a target. Plans make it; the host carries it out. */
import { isHarmless, type MountInfo, mountOf } from './mountinfo.ts';
import { isSameBelow, mountTree } from './tree.ts';

/** The state of the target path: missing, a directory, or a link and where it leads. Not read where something is mounted. */
export type TargetState = { readonly is: 'absent' | 'directory' } | { readonly is: 'link'; readonly to: string };

export interface BindMount {
  /** The mount through which the source is reached; undefined where a volume need not be a mount. */
  readonly mount: number | undefined;
  readonly fusePath: string;
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
  /**
   * Mount it where others do not see it, and give it its options there: an option that is changed later would not reach the host from within
   * a pod. Also give it a peer group of its own before others see it. Otherwise all consumers of a shared mount are peers, and what is
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
export function bindMountOf(
  mounts: readonly MountInfo[],
  asked: Pick<BindMount, 'fusePath' | 'source' | 'target' | 'readOnly'> & { readonly mounted: MountInfo | undefined },
): BindMount {
  const { mounted, ...rest } = asked;
  const on = mountOf(mounts, rest.source);
  const whole = on !== undefined && mountTree(mounts).below(on, rest.source).size > 0;
  const apart = rest.readOnly || on === undefined || on.shared || !isHarmless(on);
  return { ...rest, mount: mounted?.id, whole, apart };
}

/**
 * Whether `at` shows the very directory that is at the path `source` now. What is read-only is no peer of its source: what is mounted
 * below that later has to be bound as well.
 */
export function shows(at: MountInfo, mounts: readonly MountInfo[], source: string): boolean {
  const on = mountOf(mounts, source);
  if (on === undefined || at.device !== on.device) return false;
  if (at.root !== joined(on.root, source.slice(on.mountPoint === '/' ? 0 : on.mountPoint.length))) return false;
  if (!at.readOnly) return true;
  const tree = mountTree(mounts);
  return isSameBelow(tree.below(on, source), tree.below(at, at.mountPoint));
}

const joined = (root: string, below: string): string => (root === '/' ? below || '/' : root + below);
