/** Writes tar archives in the ustar format: the same entries give the same bytes. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { posix } from 'node:path';
import { tarEnd, tarHeader, tarPadding } from '../tar.ts';

export type TarEntry =
  | { readonly path: string; readonly kind: 'directory'; readonly mode: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }
  | { readonly path: string; readonly kind: 'data'; readonly data: string | Buffer; readonly mode: number }
  /** The content of a file of this machine, or a part of it: `size` bytes from `offset`. */
  | { readonly path: string; readonly kind: 'file'; readonly source: string; readonly mode: number; readonly part?: FileRange };

export interface FileRange {
  readonly offset: number;
  readonly size: number;
}

const CHUNK = 1 << 20;

/** Hands the archive to `write`, piece by piece. Throws for a path that the format has no room for (255 bytes, 100 in its last part). */
function writeTar(entries: Iterable<TarEntry>, write: (bytes: Buffer) => void): void {
  for (const entry of entries) {
    if (entry.kind === 'data') {
      const content = Buffer.from(entry.data);
      write(header(entry, content.length));
      write(content);
      write(tarPadding(content.length));
    } else if (entry.kind === 'file') {
      const part = entry.part ?? { offset: 0, size: statSync(entry.source).size };
      write(header(entry, part.size));
      copy(entry.source, part, write);
      write(tarPadding(part.size));
    } else write(header(entry, 0));
  }
  write(tarEnd());
}

/** Writes the archive to a file; returns its SHA-256 and its size in bytes. */
export function writeTarFile(path: string, entries: Iterable<TarEntry>): { readonly sha256: string; readonly size: number } {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  let size = 0;
  try {
    writeTar(entries, (bytes) => {
      hash.update(bytes);
      writeSync(file, bytes);
      size += bytes.length;
    });
  } finally {
    closeSync(file);
  }
  return { sha256: hash.digest('hex'), size };
}

/** Sorted, folders before what is in them; folders that were not named get mode 755. The last of a path counts. */
export function inFolders(entries: Iterable<TarEntry>): readonly TarEntry[] {
  const named = new Map([...entries].map((entry) => [entry.path, entry]));
  for (const path of [...named.keys()].flatMap(foldersAbove))
    if (!named.has(path)) named.set(path, { path, kind: 'directory', mode: 0o755 });
  return [...named.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function foldersAbove(path: string): readonly string[] {
  const parent = posix.dirname(path);
  return parent === '.' ? [] : [parent, ...foldersAbove(parent)];
}

function copy(source: string, { offset, size }: FileRange, write: (bytes: Buffer) => void): void {
  const file = openSync(source, 'r');
  try {
    for (let left = size; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK, left));
      const read = readSync(file, chunk, 0, chunk.length, offset + size - left);
      if (read === 0) throw new Error(`${source} became shorter while it was read`);
      write(chunk.subarray(0, read));
      left -= read;
    }
  } finally {
    closeSync(file);
  }
}

function header(entry: TarEntry, size: number): Buffer {
  const { path, kind } = entry;
  if (kind === 'link') return tarHeader({ path, kind, mode: 0, target: entry.target });
  return tarHeader({ path, kind: kind === 'data' ? 'file' : kind, mode: entry.mode, size });
}
