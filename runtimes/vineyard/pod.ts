import { posix } from 'node:path';
import { imageTable, type Mounted, must, type PlanInput, userVolumes } from '../../src/constructs/index.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

const REGISTRY = 'registry.aliyuncs.com/vineyard';
const table = imageTable({
  master: ['VINEYARD_MASTER_IMAGE_ENV', `${REGISTRY}/vineyardd:v0.22.2`],
  worker: ['VINEYARD_WORKER_IMAGE_ENV', `${REGISTRY}/vineyardd:v0.22.2`],
  fuse: ['VINEYARD_FUSE_IMAGE_ENV', `${REGISTRY}/vineyard-fluid-fuse:v0.22.2`],
});
export const images = table.images;

/** An image in the form of a container. */
export function imageFor(
  role: 'master' | 'worker' | 'fuse',
  { spec, settings }: Pick<PlanInput<VineyardRuntimeSpec>, 'spec' | 'settings'>,
) {
  const { image, imagePullPolicy } = table.of(role, settings, spec[role]);
  return { image, imagePullPolicy: imagePullPolicy || 'IfNotPresent' };
}

export type Input = PlanInput<VineyardRuntimeSpec>;

/**
 * Volumes of the user beside those of Vineyard: of two with one name a pod would have one, and of two at one place it would see one.
 * A volume that is mounted twice is one.
 */
export function users({ spec }: Input, role: 'master' | 'worker', own: readonly Mounted[]): readonly Mounted[] {
  const path = `spec.${role}.volumeMounts`;
  const names = own.map(({ volume }) => volume.name);
  const places = own.map(({ mount }) => mount.mountPath);
  const found = userVolumes(spec[role]?.volumeMounts, spec.volumes, path);
  found.forEach(({ volume: { name }, mount: { mountPath } }, i) => {
    must(!names.includes(name), `${path}[${i}].name`, `another name than those of Vineyard's volumes, ${names.join(', ')}`, name);
    const isTaken = places.includes(plain(mountPath));
    must(!isTaken, `${path}[${i}].mountPath`, `another place than those of Vineyard's volumes, ${places.join(', ')}`, mountPath);
  });
  return found;
}

/** A path without what says nothing: "/etcd-data" for "/etcd-data/". */
export const plain = (path: string): string => posix.join('/', path, '.');
