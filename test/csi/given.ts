import { type MountInfo, parseMountinfo } from '../../src/csi/mounts/mountinfo.ts';
import type { CsiVolume } from '../../src/csi/volume.ts';

/** A line of mountinfo. */
export function line(mount: Partial<Omit<MountInfo, 'line'>> = {}): string {
  const { id = 10, parent = 1, device = '0:9', root = '/', mountPoint = '/mnt', readOnly, shared, fsType = 'fuse', source = 'src' } = mount;
  return `${id} ${parent} ${device} ${root} ${mountPoint} ${readOnly ? 'ro' : 'rw'},nosuid,nodev${shared ? ' shared:1' : ''} - ${fsType} ${source} rw`;
}

export const table = (...mounts: readonly Partial<Omit<MountInfo, 'line'>>[]): readonly MountInfo[] =>
  parseMountinfo(mounts.map((mount) => line(mount)).join('\n'));

export const FUSE_PATH = '/runtime-mnt/thin/ml/demo/thin-fuse';
export const volume = (more: Partial<CsiVolume> = {}): CsiVolume => ({
  fusePath: FUSE_PATH,
  source: FUSE_PATH,
  mountType: 'fuse',
  method: 'bind',
  ...more,
});
