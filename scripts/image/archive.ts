/** Archives whose bytes depend on their contents alone: no times, no users, no order of a directory. */
import { createHash } from 'node:crypto';

/** A file, folder or symbolic link of an image; owned by root. */
export type Entry = { readonly path: string; readonly mode: number } & (
  | { readonly data: Buffer }
  | { readonly link: string }
  | { readonly folder: true }
);

const BLOCK = 512;

/** POSIX ustar, sorted by path; folders that nobody named come with mode 755. */
export function tar(entries: readonly Entry[]): Buffer {
  const named = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries)
    for (let parent = path; parent.includes('/'); ) {
      parent = parent.slice(0, parent.lastIndexOf('/'));
      if (!named.has(parent)) named.set(parent, { path: parent, mode: 0o755, folder: true });
    }
  const sorted = [...named.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return Buffer.concat([...sorted.flatMap(record), Buffer.alloc(2 * BLOCK)]);
}

function record(entry: Entry): readonly Buffer[] {
  const data = 'data' in entry ? entry.data : Buffer.alloc(0);
  return [header(entry, data.length), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)];
}

function header(entry: Entry, size: number): Buffer {
  const path = 'folder' in entry ? `${entry.path}/` : entry.path;
  const [prefix, name] = split(path);
  const block = Buffer.alloc(BLOCK);
  const text = (at: number, value: string) => void block.write(value, at, 'utf8');
  const octal = (at: number, length: number, value: number) => text(at, value.toString(8).padStart(length - 1, '0'));
  text(0, name);
  octal(100, 8, entry.mode);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(124, 12, size);
  octal(136, 12, 0);
  text(148, ' '.repeat(8));
  text(156, 'data' in entry ? '0' : 'link' in entry ? '2' : '5');
  if ('link' in entry) text(157, entry.link);
  text(257, 'ustar\u000000');
  text(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  text(148, `${sum.toString(8).padStart(6, '0')}\u0000 `);
  return block;
}

/** At a slash: 155 bytes before it, 100 behind. */
function split(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  const at = path.indexOf('/', path.length - 101);
  const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
  if (at < 0 || Buffer.byteLength(prefix) > 155 || Buffer.byteLength(name) > 100 || name === '')
    throw new Error(`${path} is too long for ustar`);
  return [prefix, name];
}

export interface ImageConfig {
  readonly architecture: string;
  /** RFC 3339. */
  readonly created: string;
  readonly entrypoint: readonly string[];
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What `docker load` and `ctr images import` take: an image of these layers, each a tar, under this name. */
export function dockerArchive(
  name: string,
  config: ImageConfig,
  layers: readonly Buffer[],
): { readonly archive: Buffer; readonly id: string } {
  const { architecture, created, entrypoint, user, labels } = config;
  const text = JSON.stringify({
    architecture,
    os: 'linux',
    created,
    config: { Entrypoint: entrypoint, User: user, WorkingDir: '/', Env: ['PATH=/usr/sbin:/usr/bin'], Labels: labels },
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
    history: layers.map(() => ({ created, created_by: 'scripts/image.ts' })),
  });
  const id = sha256(Buffer.from(text));
  const files = layers.map((layer) => ({ path: `${sha256(layer)}.tar`, mode: 0o644, data: layer }));
  const manifest = [{ Config: `${id}.json`, RepoTags: [name], Layers: files.map(({ path }) => path) }];
  const archive = tar([
    ...new Map(files.map((file) => [file.path, file])).values(),
    { path: `${id}.json`, mode: 0o644, data: Buffer.from(text) },
    { path: 'manifest.json', mode: 0o644, data: Buffer.from(JSON.stringify(manifest)) },
  ]);
  return { archive, id: `sha256:${id}` };
}

export const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
