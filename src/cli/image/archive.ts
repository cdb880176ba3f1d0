/** Archives of container images, as `docker save` writes them: `docker load`, `ctr images import` and kubelets' caches take them. */
import { createHash } from 'node:crypto';
import { type FileRange, inFolders, writeTarFile } from './tar-file.ts';

/** Processors that images are made for, by their names in the OCI's image-spec, which are Debian's too. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** This machine's. */
export const ownArchitecture = (): Architecture => (process.arch === 'arm64' ? 'arm64' : 'amd64');

export interface Layer {
  /** Path of the file on this machine that has the tar. */
  readonly path: string;
  /** Digest of the uncompressed tar. */
  readonly sha256: string;
  /** The layer is this part of the file; without, all of it. */
  readonly part?: FileRange;
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
      ...layers.map(
        ({ path, sha256, part }) => ({ path: `${sha256}.tar`, kind: 'file', source: path, mode: 0o644, ...(part && { part }) }) as const,
      ),
    ]),
  );
  return `sha256:${id}`;
}
