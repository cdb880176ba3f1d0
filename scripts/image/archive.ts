/** Container images without a registry: files in, an archive out that `RealNode.importImage` (and `docker load`) take. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { inFolders, type TarEntry, writeTarFile } from './tar.ts';

/** What is in an image, by absolute path; the folders above come by themselves. */
export type ImageFiles = Readonly<Record<string, ImageFile>>;

export type ImageFile =
  /** A file of this machine; executable by default. */
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
  /** `uid`, or `uid:gid`; root by default. */
  readonly user?: string;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Processors that images are made for, by their names in the OCI's image-spec, which are Debian's too. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** This machine's. */
export const ownArchitecture = (): Architecture => (process.arch === 'arm64' ? 'arm64' : 'amd64');

/** Writes the image as an archive of one layer to `file`; the same definition gives the same bytes. */
export function buildImage({ name, files, entrypoint, env = {}, user }: ImageDefinition, file: string): void {
  const layer = `${file}.layer`;
  try {
    const { sha256 } = writeTarFile(layer, inFolders(Object.entries(files).map(([path, content]) => tarEntry(path.slice(1), content))));
    const config = {
      config: {
        Env: Object.entries({ PATH, ...env }).map(([key, value]) => `${key}=${value}`),
        ...(entrypoint === undefined ? {} : { Entrypoint: entrypoint }),
        ...(user === undefined ? {} : { User: user }),
      },
      history: [{ created: '1970-01-01T00:00:00Z' }],
    };
    writeArchive(file, name, config, [{ path: layer, sha256 }]);
  } finally {
    rmSync(layer, { force: true });
  }
}

export interface Layer {
  /** Of its tar on this machine. */
  readonly path: string;
  readonly sha256: string;
}

/**
 * Writes what `docker load` and `ctr images import` take: an image of these layers under this name, for this machine's architecture unless
 * `config` names another. Returns its ID, `sha256:…`.
 *
 * @param config further fields of the image's configuration (OCI image-spec, config.md)
 */
export function writeArchive(file: string, name: string, config: object, layers: readonly Layer[]): string {
  const text = JSON.stringify({
    architecture: ownArchitecture(),
    os: 'linux',
    ...config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ sha256 }) => `sha256:${sha256}`) },
  });
  const id = createHash('sha256').update(text).digest('hex');
  const manifest = [{ Config: `${id}.json`, RepoTags: [name], Layers: layers.map(({ sha256 }) => `${sha256}.tar`) }];
  writeTarFile(
    file,
    inFolders([
      { path: 'manifest.json', kind: 'data', data: JSON.stringify(manifest), mode: 0o644 },
      { path: `${id}.json`, kind: 'data', data: text, mode: 0o644 },
      ...layers.map(({ path, sha256 }) => ({ path: `${sha256}.tar`, kind: 'file', source: path, mode: 0o644 }) as const),
    ]),
  );
  return `sha256:${id}`;
}

function tarEntry(path: string, file: ImageFile): TarEntry {
  if ('from' in file) return { path, kind: 'file', source: file.from, mode: file.mode ?? 0o755 };
  if ('text' in file) return { path, kind: 'data', data: file.text, mode: file.mode ?? 0o644 };
  if ('link' in file) return { path, kind: 'link', target: file.link };
  return { path, kind: 'directory', mode: file.mode ?? 0o755 };
}
