import type { NodeCluster } from './node-cluster.ts';
import { type CsiVolume, type VolumeDefaults, parseVolume } from '../volume.ts';

/**
 * The volumes behind PersistentVolumes, by name: several PersistentVolumes may have one handle (a Dataset that refers to another), each
 * with a sub path of its own. The source of a PersistentVolume cannot change, so one that the kubelet has published is never read again;
 * after a restart, the plugin reads it from the API server.
 */
export interface KnownVolumes {
  /** A publish call had these attributes. */
  learn(name: string, volume: CsiVolume): void;
  /** Undefined when the volume does not exist any more. @throws CsiError for invalid attributes; what the API client throws */
  get(name: string): Promise<CsiVolume | undefined>;
  /** No pod of this node has it mounted any more: another volume may get the name. */
  forget(name: string): void;
}

export function knownVolumes(cluster: Pick<NodeCluster, 'volume'>, defaults: VolumeDefaults): KnownVolumes {
  const known = new Map<string, CsiVolume>();
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
