import type { MessageInitShape } from '@bufbuild/protobuf';
import { notFound } from '../grpc/errors.ts';
import { type Host, STATFS_MS } from '../mounts/host.ts';
import { isWithin, topAt } from '../mounts/mountinfo.ts';
import type { NodeContext } from '../node-context.ts';
import type { NodeGetVolumeStatsResponseSchema } from '../grpc/proto/csi.gen.ts';
import { unit } from '../grpc/proto/values.ts';
import { FileSystemSilent } from '../mounts/reach.ts';

type Stats = MessageInitShape<typeof NodeGetVolumeStatsResponseSchema>;

/** How full a published volume is, and whether it works at all. A volume that does not is no error of this call. */
export async function statsOf({ host, mountRoot }: NodeContext, path: string): Promise<Stats> {
  const mounts = await host.mounts();
  const published = topAt(mounts, path) ? path : linked(host, path);
  if (published === undefined || (published !== path && !isWithin(published, mountRoot)))
    throw notFound(`volume_path ${path}: nothing is published there`);
  try {
    const { code, output } = await host.statfs(published);
    if (code !== 0) return abnormal(`the FUSE client has ended, or fails: ${output.trim()}`);
    return { usage: usageOf(output), volumeCondition: { abnormal: false, message: 'the file system answers' } };
  } catch (error) {
    if (error instanceof FileSystemSilent)
      return abnormal(`the FUSE client does not answer within ${STATFS_MS / 1000} s, since ${error.since}`);
    throw error;
  }
}

/** Where a link leads to; undefined where there is none. What is linked need not be a mount (annotation skip-check-mount-ready-target). */
function linked(host: Host, path: string): string | undefined {
  try {
    const found = host.look(path);
    return found.is === 'link' ? found.to : undefined;
  } catch {
    return undefined;
  }
}

const abnormal = (message: string): Stats => ({ usage: [], volumeCondition: { abnormal: true, message } });

/** From `stat -f`: block size, blocks, blocks available to users, free blocks, inodes, free inodes. */
export function usageOf(text: string): NonNullable<Stats['usage']> {
  const [size = 0n, blocks = 0n, available = 0n, free = 0n, inodes = 0n, freeInodes = 0n] = text.trim().split(' ').map(BigInt);
  return [
    { unit: unit.BYTES, total: int64(blocks * size), available: int64(available * size), used: int64((blocks - free) * size) },
    { unit: unit.INODES, total: int64(inodes), available: int64(freeInodes), used: int64(inodes - freeInodes) },
  ];
}

/** As much as CSI can say: an object store without end claims 16 EiB. */
const int64 = (count: bigint): bigint => (count > MOST ? MOST : count < 0n ? 0n : count);
const MOST = 2n ** 63n - 1n;
