import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../kube/types.ts';
import { messageOf } from '../errors.ts';
import type { Found } from './files.ts';

export interface Amount {
  readonly files: number;
  readonly bytes: number;
  /** Files that cannot be read, and directories that cannot be listed. */
  readonly failed: number;
}

const PROGRESS_MS = 10_000;
/** Failures that are named; a million of them say no more. */
const MOST_NAMED = 100;

/** Reads each file to its end, one after the other, through one buffer. What cannot be read keeps nothing else from being read. */
export async function readAll(found: AsyncIterable<Found>, bufferBytes: number, log: Log, stop: AbortSignal): Promise<Amount> {
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let [files, bytes, failed] = [0, 0, 0];
  const timer = setInterval(() => log.info({ files, bytes, failed }, 'prefetching'), PROGRESS_MS);
  const failure = (path: string, error: unknown): void => {
    if (++failed <= MOST_NAMED) log.warn({ path, error: messageOf(error) }, 'cannot be read');
  };
  try {
    for await (const each of found) {
      if (stop.aborted) break;
      if ('failed' in each) failure(each.failed, each.error);
      else {
        try {
          for await (const length of chunksOf(each.file, buffer)) {
            bytes += length;
            if (stop.aborted) break;
          }
          files++;
        } catch (error) {
          // The cast: file systems throw such errors. What was deleted meanwhile needs no reading.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failure(each.file, error);
        }
      }
    }
  } finally {
    clearInterval(timer);
  }
  return { files, bytes, failed };
}

async function* chunksOf(file: string, buffer: Buffer): AsyncGenerator<number> {
  const handle = await open(file);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield bytesRead;
    }
  } finally {
    await handle.close();
  }
}

export type ReadResult = 'success' | 'fail';
export const STATUS = 'prefetcher.status';

/** By a rename: who waits for the file never sees half of it. */
export async function writeResult(directory: string, result: ReadResult): Promise<void> {
  await mkdir(directory, { recursive: true });
  const unfinished = join(directory, `.${STATUS}`);
  await writeFile(unfinished, `prefetch_result=${result}\n`);
  await rename(unfinished, join(directory, STATUS));
}
