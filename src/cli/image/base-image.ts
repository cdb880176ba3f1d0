/** Reads an image of Sluice from the archive that holds it. */
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf, UsageError } from '../errors.ts';
import type { Layer } from './archive.ts';
import type { FileRange } from './tar-file.ts';

/** OCI image-spec, config.md; what is not named here is kept. */
export interface ImageConfig {
  readonly architecture: string;
  readonly config?: { readonly Labels?: Readonly<Record<string, string>> };
  readonly history?: readonly object[];
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

interface BaseImage {
  readonly config: ImageConfig;
  readonly layers: readonly Layer[];
}

const BLOCK = 512;
/** Limit of manifest.json and of an image's configuration; real ones have some kilobytes. */
const LARGEST_TEXT = 16 << 20;

/** Throws UsageError if it is not an image of Sluice of this version: a runtime is written against one version of the library. */
export function readBaseImage(path: string, version: string): BaseImage {
  const { config, layers } = faultsNamed(path, () => imageIn(path));
  const labels = config.config?.Labels ?? {};
  const [title, found] = ['title', 'version'].map((key) => labels[`org.opencontainers.image.${key}`]);
  if (title !== 'sluice' || found !== version)
    throw new UsageError(
      `--base ${path}: expected an image of Sluice ${version}, as this package is, found ${title === undefined ? 'an image without a title' : `${title} ${found ?? 'without a version'}`}`,
    );
  return { config, layers };
}

function imageIn(path: string): BaseImage {
  const parts = partsOf(path);
  const partNamed = (name: string): FileRange => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`no file ${name}`);
    return part;
  };
  const json = (name: string): unknown => JSON.parse(bytesOf(path, partNamed(name)).toString('utf8'));
  const [image, ...others] = json('manifest.json') as readonly { readonly Config: string; readonly Layers: readonly string[] }[];
  if (image === undefined || others.length > 0) throw new Error(`${others.length === 0 ? 'no image' : 'several images'}`);
  const config = json(image.Config) as ImageConfig;
  const hashes = config.rootfs.diff_ids.map((id) => id.replace(/^sha256:/, ''));
  if (hashes.length !== image.Layers.length) throw new Error(`${image.Layers.length} layers, and ${hashes.length} in ${image.Config}`);
  return { config, layers: image.Layers.map((name, i) => ({ path, sha256: hashes[i] ?? '', part: partNamed(name) })) };
}

/** Where the content of each file of a tar archive is. */
function partsOf(path: string): ReadonlyMap<string, FileRange> {
  const parts = new Map<string, FileRange>();
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(BLOCK);
    for (let at = 0; readSync(file, header, 0, BLOCK, at) === BLOCK && header[0] !== 0; ) {
      if (header.toString('latin1', 257, 262) !== 'ustar') throw new Error('no tar archive');
      const size = Number.parseInt(text(header, 124, 12), 8);
      if (!(size >= 0)) throw new Error('a file whose size is no octal number');
      const [prefix, name, kind] = [text(header, 345, 155), text(header, 0, 100), text(header, 156, 1)];
      // Other kinds are folders, links and further metadata. A link instead of a layer is reported as a missing file.
      if (kind === '0' || kind === '') parts.set(prefix === '' ? name : `${prefix}/${name}`, { offset: at + BLOCK, size });
      at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    }
  } finally {
    closeSync(file);
  }
  return parts;
}

const text = (header: Buffer, from: number, length: number): string => header.toString('utf8', from, from + length).replace(/\0.*$/s, '');

function bytesOf(path: string, { offset, size }: FileRange): Buffer {
  if (size > LARGEST_TEXT) throw new Error(`a text of ${size} bytes`);
  const bytes = Buffer.alloc(size);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, bytes, 0, size, offset) < size) throw new Error('an archive that ends early');
  } finally {
    closeSync(file);
  }
  return bytes;
}

function faultsNamed<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(
      `--base ${path}: expected the archive of one image, as \`npm run image\` and \`docker save\` write it, found: ${messageOf(error)}`,
    );
  }
}
