import type { NodeCluster } from './cluster.ts';
import { type Volume, type VolumeDefaults, volumeOf } from './volume.ts';

/**
 * What a volume id stands for. A PersistentVolume's source cannot change, so what was told once need not be asked again; what a plugin
 * that was started anew has not been told, it asks the API server.
 */
export interface KnownVolumes {
  /** The kubelet has told us. */
  learn(volumeId: string, volume: Volume): void;
  /** undefined: there is no such volume any more. @throws CsiError for attributes that cannot be; what the API client throws */
  get(volumeId: string): Promise<Volume | undefined>;
  forget(volumeId: string): void;
}

export function knownVolumes(cluster: Pick<NodeCluster, 'volume'>, defaults: VolumeDefaults): KnownVolumes {
  const known = new Map<string, Volume>();
  return {
    learn: (volumeId, volume) => void known.set(volumeId, volume),
    async get(volumeId) {
      const before = known.get(volumeId);
      if (before) return before;
      const found = await cluster.volume(volumeId);
      if (!found) return undefined;
      const volume = volumeOf(found.attributes, defaults);
      known.set(volumeId, volume);
      return volume;
    },
    forget: (volumeId) => void known.delete(volumeId),
  };
}
