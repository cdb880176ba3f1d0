import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { messageOf, UsageError } from '../../errors.ts';
import { tarEnd, tarHeader, tarPadding } from '../../tar.ts';

/** A file of the archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly text: string;
}

/**
 * Writes a tar archive, compressed, one entry after the other: no more than one of them is in memory. Returns their number.
 * @throws UsageError when the file exists, or cannot be written
 */
export async function writeArchive(file: string, folder: string, entries: AsyncIterable<ArchiveEntry>, nowMs: number): Promise<number> {
  let count = 0;
  const changedAt = Math.floor(nowMs / 1000);
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const { path, text } of entries) {
      const content = Buffer.from(text);
      yield tarHeader({ path: `${folder}/${path}`, kind: 'file', mode: 0o600, size: content.length, changedAt });
      yield content;
      yield tarPadding(content.length);
      count++;
    }
    yield tarEnd();
  }
  // Only its owner may read the archive. An archive that exists may be the only one of its time.
  let isOpen = false;
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600 }).once('open', () => {
    isOpen = true;
  });
  try {
    await pipeline(bytes(), createGzip(), output);
  } catch (error) {
    // Not one that was there before.
    if (isOpen) await rm(file, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new UsageError(`${file}: expected a file that does not exist yet, found one`);
    if (code !== undefined && /^E[A-Z]+$/.test(code) && 'path' in (error as object)) throw new UsageError(`${file}: ${messageOf(error)}`);
    throw error;
  }
  return count;
}

/** Names of Kubernetes are longer than an archive has room for. */
const LONGEST = 80;

/** A name as a part of a path. */
export function pathPart(name: string): string {
  if (name.length <= LONGEST) return name;
  return `${name.slice(0, LONGEST - 9)}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
