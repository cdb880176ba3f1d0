import type { Clock } from '../../kube/clock.ts';
import { type MountInfo, topAt } from '../mounts/mountinfo.ts';

/**
 * FUSE clients whose label this node has removed. Their mounts stay until the pods have ended, which takes some seconds: a volume that is
 * staged again meanwhile must not be bound to one. Not kept over a restart of the plugin, which takes about as long.
 */
export interface Departing {
  /** The mount here will be unmounted soon. */
  add(fusePath: string, mounts: readonly MountInfo[]): void;
  /** For how long, ms; undefined where what is mounted is none of those. */
  since(fusePath: string, mounted: MountInfo | undefined): number | undefined;
  /** The mount stays after all. */
  stays(fusePath: string): void;
}

export function createDeparting(clock: Pick<Clock, 'monotonic'>): Departing {
  const leaving = new Map<string, { readonly device: string; readonly at: number }>();
  return {
    add(fusePath, mounts) {
      // Entries of volumes that are never staged here again would stay for ever.
      for (const [path, { device }] of leaving) if (topAt(mounts, path)?.device !== device) leaving.delete(path);
      const mounted = topAt(mounts, fusePath);
      if (mounted) leaving.set(fusePath, { device: mounted.device, at: clock.monotonic() });
    },
    since(fusePath, mounted) {
      const known = leaving.get(fusePath);
      if (!known) return undefined;
      if (mounted?.device === known.device) return clock.monotonic() - known.at;
      // Gone, or followed by another: the number of the device may come back for that.
      leaving.delete(fusePath);
      return undefined;
    },
    stays: (fusePath) => void leaving.delete(fusePath),
  };
}
