/** Where mounts are assembled before pods see them: a directory on a mount that only this mount namespace sees. */
import { mkdirSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from './shells.ts';

/** Places to mount on. No name is used twice: a place that could not be cleared obstructs no later bind. */
export interface Scratch {
  /** Creates an empty directory or file to mount on, and clears it after `work`: of the mount too if `work` throws. */
  at<T>(kind: 'directory' | 'file', work: (place: string) => Promise<T>): Promise<T>;
}

export const UNMOUNT_MS = 2_000;

/** @param directory on a private mount; openScratch creates one */
export function createScratch(directory: string, run: Run): Scratch {
  let serial = 0;

  return {
    async at(kind, work) {
      const place = join(directory, String(serial++));
      if (kind === 'file') writeFileSync(place, '');
      else mkdirSync(place);
      try {
        return await work(place);
      } catch (error) {
        // A program that was killed may have left the mount here.
        await run(['umount', '-c', '-l', place], UNMOUNT_MS).catch(() => {});
        throw error;
      } finally {
        try {
          if (kind === 'file') unlinkSync(place);
          else rmdirSync(place);
        } catch {
          // Still in use; the next bind takes another name.
        }
      }
    },
  };
}

/** Mounts an empty file system that only this mount namespace sees. Returns how to unmount it. */
export async function openScratch(directory: string, run: Run): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { code, output } = await run(
    ['mount', '-c', '-t', 'tmpfs', '-o', 'size=1m,mode=700', '--make-private', 'sluice-csi', directory],
    UNMOUNT_MS,
  );
  if (code !== 0) throw new Error(`mount ${directory}: ${output.trim() || `exit code ${code}`}`);
  return async () => {
    await run(['umount', '-c', '-l', directory], UNMOUNT_MS);
    await rmdir(directory);
  };
}
