/** Container images without a registry: files in, an archive out that `RealNode.importImage` (and `docker load`) take. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { posix } from 'node:path';
import { type TarEntry, writeTar } from './tar.ts';

/** What is in an image, by absolute path; the folders above come by themselves. */
export type ImageFiles = Readonly<Record<string, ImageFile>>;

export type ImageFile =
  /** A file of this machine; executable unless told. */
  | { readonly from: string; readonly mode?: number }
  | { readonly text: string; readonly mode?: number }
  /** A symbolic link. */
  | { readonly link: string }
  /** An empty folder. */
  | { readonly directory: true; readonly mode?: number };

export interface ImageDefinition {
  /** With a tag, and not `latest`: the kubelet would want to pull that. */
  readonly name: string;
  readonly files: ImageFiles;
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `uid`, or `uid:gid`; root unless told. */
  readonly user?: string;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };

/** Writes the image as an archive of one layer to `file`; the same definition gives the same bytes. */
export function buildImage({ name, files, entrypoint, env = {}, user }: ImageDefinition, file: string): void {
  const layer = `${file}.layer`;
  try {
    const digest = writeFile(layer, layerEntries(files));
    const config = {
      architecture: ARCHITECTURES[process.arch] ?? process.arch,
      os: 'linux',
      config: {
        Env: Object.entries({ PATH, ...env }).map(([key, value]) => `${key}=${value}`),
        ...(entrypoint === undefined ? {} : { Entrypoint: entrypoint }),
        ...(user === undefined ? {} : { User: user }),
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
      history: [{ created: '1970-01-01T00:00:00Z' }],
    };
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }];
    writeFile(file, [
      { path: 'manifest.json', kind: 'text', text: JSON.stringify(manifest), mode: 0o644 },
      { path: 'config.json', kind: 'text', text: JSON.stringify(config), mode: 0o644 },
      { path: 'layer.tar', kind: 'file', source: layer, mode: 0o644 },
    ]);
  } finally {
    rmSync(layer, { force: true });
  }
}

/** Returns the SHA-256 of what was written. */
function writeFile(path: string, entries: Iterable<TarEntry>): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  try {
    writeTar(entries, (bytes) => {
      hash.update(bytes);
      writeSync(file, bytes);
    });
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

/** Sorted, folders before what is in them. */
function layerEntries(files: ImageFiles): readonly TarEntry[] {
  const folders = new Set(Object.keys(files).flatMap(foldersAbove));
  const implied = [...folders].filter((path) => !(path in files)).map((path) => [path, { directory: true }] as const);
  return [...Object.entries(files), ...implied]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, file]) => tarEntry(path.slice(1), file));
}

function foldersAbove(path: string): readonly string[] {
  const parent = posix.dirname(path);
  return parent === '/' ? [] : [parent, ...foldersAbove(parent)];
}

function tarEntry(path: string, file: ImageFile): TarEntry {
  if ('from' in file) return { path, kind: 'file', source: file.from, mode: file.mode ?? 0o755 };
  if ('text' in file) return { path, kind: 'text', text: file.text, mode: file.mode ?? 0o644 };
  if ('link' in file) return { path, kind: 'link', target: file.link };
  return { path, kind: 'directory', mode: file.mode ?? 0o755 };
}
