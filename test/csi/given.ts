import { type Mount, parseMountinfo } from '../../src/csi/mounts/mountinfo.ts';
import type { Volume } from '../../src/csi/volume.ts';

/** A line of mountinfo. */
export function line(mount: Partial<Omit<Mount, 'line'>> = {}): string {
  const { id = 10, parent = 1, device = '0:9', root = '/', mountPoint = '/mnt', readOnly, shared, fsType = 'fuse', source = 'src' } = mount;
  return `${id} ${parent} ${device} ${root} ${mountPoint} ${readOnly ? 'ro' : 'rw'},nosuid,nodev${shared ? ' shared:1' : ''} - ${fsType} ${source} rw`;
}

export const table = (...mounts: readonly Partial<Omit<Mount, 'line'>>[]): readonly Mount[] =>
  parseMountinfo(mounts.map((mount) => line(mount)).join('\n'));

export const FUSE_PATH = '/runtime-mnt/thin/ml/demo/thin-fuse';
export const volume = (more: Partial<Volume> = {}): Volume => ({
  fusePath: FUSE_PATH,
  source: FUSE_PATH,
  mountType: 'fuse',
  method: 'bind',
  ...more,
});
