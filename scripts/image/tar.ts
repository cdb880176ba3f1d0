/** Writes tar archives in the ustar format: the same entries give the same bytes. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { posix } from 'node:path';

export type TarEntry =
  | { readonly path: string; readonly kind: 'directory'; readonly mode: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }
  | { readonly path: string; readonly kind: 'data'; readonly data: string | Buffer; readonly mode: number }
  /** The content of a file of this machine. */
  | { readonly path: string; readonly kind: 'file'; readonly source: string; readonly mode: number };

const BLOCK = 512;
const CHUNK = 1 << 20;
const TYPES = { directory: '5', link: '2', data: '0', file: '0' } as const;

/** Hands the archive to `write`, piece by piece. Throws for a path that the format has no room for (255 bytes, 100 in its last part). */
function writeTar(entries: Iterable<TarEntry>, write: (bytes: Buffer) => void): void {
  for (const entry of entries) {
    if (entry.kind === 'data') {
      const content = Buffer.from(entry.data);
      write(header(entry, content.length));
      write(content);
      write(padding(content.length));
    } else if (entry.kind === 'file') {
      const { size } = statSync(entry.source);
      write(header(entry, size));
      copy(entry.source, size, write);
      write(padding(size));
    } else write(header(entry, 0));
  }
  write(Buffer.alloc(2 * BLOCK));
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

function copy(source: string, size: number, write: (bytes: Buffer) => void): void {
  const file = openSync(source, 'r');
  try {
    for (let left = size; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK, left));
      const read = readSync(file, chunk, 0, chunk.length, null);
      if (read === 0) throw new Error(`${source} became shorter while it was read`);
      write(chunk.subarray(0, read));
      left -= read;
    }
  } finally {
    closeSync(file);
  }
}

function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { prefix, name } = split(entry.kind === 'directory' ? `${entry.path}/` : entry.path);
  const mode = entry.kind === 'link' ? 0o777 : entry.mode;
  block.write(name, 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write(TYPES[entry.kind], 156);
  if (entry.kind === 'link') {
    if (Buffer.byteLength(entry.target) > 100) throw new Error(`no room in a tar archive for the link ${entry.path} → ${entry.target}`);
    block.write(entry.target, 157);
  }
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `.slice(0, 8), 148);
  return block;
}

/** A long path is split at a slash. */
function split(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, name };
  }
  throw new Error(`no room in a tar archive for the path ${path}`);
}

/** `width` counts the closing zero byte. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
