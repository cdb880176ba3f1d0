import { isFuse, isWithin, type MountInfo, topAt } from '../mounts/mountinfo.ts';

/**
 * The uppermost mounts of volumes whose directory the kubelet deleted, such as a ConfigMap in a fuse pod that is gone. The container runtime
 * refuses to mount anything there, so that no later fuse pod would start. Below a FUSE mount a path may never answer, and nothing is looked for.
 */
export const deletedBelow = (mounts: readonly MountInfo[], mountRoot: string): readonly MountInfo[] =>
  mounts.filter(
    (mount) =>
      isDeletedVolume(mount) &&
      isWithin(mount.mountPoint, mountRoot) &&
      topAt(mounts, mount.mountPoint) === mount &&
      !mounts.some((each) => isFuse(each) && isWithin(mount.mountPoint, each.mountPoint)),
  );

/**
 * The kernel's mark: no path has two slashes otherwise. Only of the volume's own directory, which the kubelet deletes when no container of the
 * pod is left. A sub path is deleted while containers use it: that of a ConfigMap, with each of its changes.
 */
const isDeletedVolume = ({ root }: MountInfo): boolean => /\/pods\/[^/]+\/volumes\/[^/]+\/[^/]+\/\/deleted$/.test(root);
