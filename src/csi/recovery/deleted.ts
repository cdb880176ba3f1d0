import { isFuse, isWithin, type MountInfo, stackAt } from '../mounts/mountinfo.ts';

/**
 * Where the uppermost mount is of a directory that was deleted, such as a ConfigMap in a fuse pod that is gone: the path once for each such
 * mount. The container runtime refuses to mount anything there, so that no later fuse pod would start. Below a FUSE mount a path may never
 * answer, and nothing is looked for.
 */
export function deletedBelow(mounts: readonly MountInfo[], mountRoot: string): readonly string[] {
  const isSought = ({ mountPoint }: MountInfo) =>
    isWithin(mountPoint, mountRoot) && !mounts.some((each) => isFuse(each) && isWithin(mountPoint, each.mountPoint));
  const paths = new Set(mounts.filter((mount) => isDeleted(mount) && isSought(mount)).map(({ mountPoint }) => mountPoint));
  return [...paths].flatMap((path) => {
    const stack = stackAt(mounts, path).toReversed();
    const works = stack.findIndex((mount) => !isDeleted(mount));
    return stack.slice(0, works === -1 ? stack.length : works).map(() => path);
  });
}

/** The kernel's mark: no path has two slashes otherwise. */
const isDeleted = ({ root }: MountInfo): boolean => root.endsWith('//deleted');
