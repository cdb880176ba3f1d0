/** Container images without a registry: files in, an archive out that `RealNode.importImage` (and `docker load`) take. */
import { rmSync } from 'node:fs';
import { writeArchive } from '../../src/cli/image/archive.ts';
import { inFolders, type TarEntry, writeTarFile } from '../../src/cli/image/tar-file.ts';

/** The files of an image, by absolute path; the folders above come by themselves. */
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

function tarEntry(path: string, file: ImageFile): TarEntry {
  if ('from' in file) return { path, kind: 'file', source: file.from, mode: file.mode ?? 0o755 };
  if ('text' in file) return { path, kind: 'data', data: file.text, mode: file.mode ?? 0o644 };
  if ('link' in file) return { path, kind: 'link', target: file.link };
  return { path, kind: 'directory', mode: file.mode ?? 0o755 };
}
