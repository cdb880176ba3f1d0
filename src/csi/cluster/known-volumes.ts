import type { NodeCluster } from './node-cluster.ts';
import { type Volume, type VolumeDefaults, parseVolume } from '../volume.ts';

/**
 * What PersistentVolumes stand for, by their names: volumes of several names may have one id (a Dataset that refers to another), each with a
 * sub path of its own. A volume's source cannot change, so what was told once need not be asked again; what a plugin that was started
 * anew has not been told, it asks the API server.
 */
export interface KnownVolumes {
  /** The kubelet has told us. */
  learn(name: string, volume: Volume): void;
  /** undefined: there is no such volume any more. @throws CsiError for attributes that cannot be; what the API client throws */
  get(name: string): Promise<Volume | undefined>;
  /** No pod of this node has it any more: the name may come back for something else. */
  forget(name: string): void;
}

export function knownVolumes(cluster: Pick<NodeCluster, 'volume'>, defaults: VolumeDefaults): KnownVolumes {
  const known = new Map<string, Volume>();
  return {
    learn: (name, volume) => void known.set(name, volume),
    async get(name) {
      const before = known.get(name);
      if (before) return before;
      const found = await cluster.volume(name);
      if (!found) return undefined;
      const volume = parseVolume(found.attributes, defaults);
      known.set(name, volume);
      return volume;
    },
    forget: (name) => void known.delete(name),
  };
}
