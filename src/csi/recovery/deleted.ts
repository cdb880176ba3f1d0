import { isFuse, isWithin, type MountInfo, stackAt } from '../mounts/mountinfo.ts';

/** The mounts that fuse pods may have left below the mount root after their end. */
export interface OrphanedMounts {
  /**
   * The uppermost mounts of volumes whose directory the kubelet deleted, such as a ConfigMap. The container runtime refuses to mount anything
   * there, so that no later fuse pod would start.
   */
  readonly deleted: readonly MountInfo[];
  /**
   * The uppermost mounts of ConfigMaps that are mounted on themselves, once more for each start of a container. Until they are unmounted, the
   * kubelet can empty the directory but not delete it, and the pod stays.
   */
  readonly repeated: readonly MountInfo[];
}

/** Below a FUSE mount a path may never answer, and nothing is looked for. */
export function leftBelow(mounts: readonly MountInfo[], mountRoot: string): OrphanedMounts {
  const isSought = ({ mountPoint }: MountInfo) =>
    isWithin(mountPoint, mountRoot) && !mounts.some((each) => isFuse(each) && isWithin(mountPoint, each.mountPoint));
  const volumes = mounts.filter((mount) => (isDeletedVolume(mount) || volumeOf(mount) !== undefined) && isSought(mount));
  const stacks = [...new Set(volumes.map(({ mountPoint }) => mountPoint))].map((path) => stackAt(mounts, path).toReversed());
  return {
    deleted: stacks.flatMap(([top]) => (top && isDeletedVolume(top) ? [top] : [])),
    repeated: stacks.flatMap(([top, below]) =>
      top && volumeOf(top) && below?.root === top.root && below.device === top.device ? [top] : [],
    ),
  };
}

/**
 * The kernel's mark: no path has two slashes otherwise. Only of the volume's own directory, which the kubelet deletes when no container of the
 * pod is left. A sub path is deleted while containers use it: that of a ConfigMap, with each of its changes.
 */
const isDeletedVolume = ({ root }: MountInfo): boolean => /\/pods\/[^/]+\/volumes\/[^/]+\/[^/]+\/\/deleted$/.test(root);

/** The directory of a ConfigMap, below the kubelet's. It has a link in it for as long as the pod may use it, whatever the ConfigMap has. */
export const volumeOf = ({ root }: MountInfo): string | undefined =>
  /\/pods\/[^/]+\/volumes\/kubernetes\.io~configmap\/[^/]+$/.exec(root)?.[0];
