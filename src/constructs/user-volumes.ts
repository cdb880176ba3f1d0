import type { PersistentVolumeClaim, Volume, VolumeMount } from '../api/index.ts';
import { must, togetherEach } from './faults.ts';

/** A volume, and where a container mounts it. */
export interface Mounted {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

/**
 * A volume and its mount, which has the same name. Default source: the directory of the node at the same path, which the kubelet makes if it
 * does not exist.
 * @example
 * mountedAt('/cache', 'cache', { emptyDir: {} }).mount; // → { name: 'cache', mountPath: '/cache' }
 */
export const mountedAt = (
  mountPath: string,
  name: string,
  source: Omit<Volume, 'name'> = { hostPath: { path: mountPath, type: 'DirectoryOrCreate' } },
  more: Partial<VolumeMount> = {},
): Mounted => ({
  volume: { name, ...source },
  mount: { name, mountPath, ...more },
});

/**
 * The volumes in `spec.volumes` that a container mounts. `path` names its `volumeMounts` in errors.
 * @throws InvalidSpec with all mounts that name no volume.
 * @example
 * userVolumes([{ name: 'tmp', mountPath: '/tmp' }], [{ name: 'tmp', emptyDir: {} }], 'spec.fuse.volumeMounts').length; // → 1
 */
export function userVolumes(
  mounts: readonly VolumeMount[] | undefined,
  volumes: readonly Volume[] | undefined,
  path: string,
): readonly Mounted[] {
  // The first of two with one name counts.
  const named = new Map((volumes ?? []).toReversed().map((volume) => [volume.name, volume]));
  return togetherEach(mounts ?? [], (mount, i) => {
    const volume = named.get(mount.name);
    must(volume, `${path}[${i}].name`, 'the name of a volume in spec.volumes', mount.name);
    return { volume, mount };
  });
}

/**
 * Templates of claims for the pods of a StatefulSet, checked. `path` names the `volumeMounts` in errors.
 * @throws InvalidSpec when a template is not mounted, or has the name of a volume in `spec.volumes`.
 * @example
 * const templates = [{ metadata: { name: 'cache' }, spec: { accessModes: ['ReadWriteOnce'] } }];
 * claimTemplates(templates, [{ name: 'cache', mountPath: '/cache' }], []); // → templates
 */
export function claimTemplates(
  templates: readonly PersistentVolumeClaim[] | undefined,
  mounts: readonly VolumeMount[] | undefined,
  volumes: readonly Volume[] | undefined,
  path = 'spec.worker.volumeMounts',
): readonly PersistentVolumeClaim[] {
  const namesOf = (list: readonly { readonly name: string }[] = []) => new Set<string | undefined>(list.map(({ name }) => name));
  const [mounted, taken] = [namesOf(mounts), namesOf(volumes)];
  return togetherEach(templates ?? [], (template, i) => {
    const { name } = template.metadata ?? {};
    const field = `spec.volumeClaimTemplates[${i}].metadata.name`;
    must(mounted.has(name), field, `a name in ${path}`, name);
    must(!taken.has(name), field, 'a name that no volume in spec.volumes has', name);
    return template;
  });
}
