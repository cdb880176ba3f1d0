/** The mounts below a path: a client may mount at several places of its directory, and a bind that passes over one shows a hole. */
import { dirname } from 'node:path/posix';
import { isFuse, isWithin, type MountInfo } from './mountinfo.ts';

export interface MountTree {
  /** The mounts that are seen below a path whose uppermost mount is `top`, by their paths from there. */
  below(top: MountInfo, path: string): ReadonlyMap<string, MountInfo>;
}

export function mountTree(mounts: readonly MountInfo[]): MountTree {
  const children = Map.groupBy(mounts, ({ parent }) => parent);

  function collect({ id }: MountInfo, path: string, found: Map<string, MountInfo>): void {
    // The kernel shows the root as its own parent.
    const here = (children.get(id) ?? []).filter(
      (mount) => mount.id !== id && mount.mountPoint !== path && isWithin(mount.mountPoint, path),
    );
    const points = new Set(here.map(({ mountPoint }) => mountPoint));
    for (const mount of here) {
      if (isHidden(mount.mountPoint, path, points)) continue;
      // One on the root of another comes in its place.
      found.set(mount.mountPoint.slice(path.length + 1), mount);
      collect(mount, path, found);
    }
  }

  return {
    below(top, path) {
      const found = new Map<string, MountInfo>();
      collect(top, path, found);
      return found;
    },
  };
}

/** Whether one of these paths lies between the two. */
function isHidden(mountPoint: string, path: string, points: ReadonlySet<string>): boolean {
  for (let above = dirname(mountPoint); above.length > path.length; above = dirname(above)) if (points.has(above)) return true;
  return false;
}

/**
 * Whether what is below a copy is what is below its source. Mounts that are not of FUSE clients do not count: they
 * would be covered again and again.
 */
export function isSameBelow(source: ReadonlyMap<string, MountInfo>, copy: ReadonlyMap<string, MountInfo>): boolean {
  const all = [...source].every(([path, { device, root }]) => {
    const mount = copy.get(path);
    return mount?.device === device && mount.root === root;
  });
  return all && [...copy].every(([path, mount]) => source.has(path) || !isFuse(mount));
}
