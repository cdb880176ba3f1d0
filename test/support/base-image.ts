/** An archive that `sluice image` takes for an image of Sluice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeArchive } from '../../src/cli/image/archive.ts';
import { inFolders, writeTarFile } from '../../src/cli/image/tar-file.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { readonly version: string };

/** An image of two layers, but for their content. Returns its path. */
export function baseImage(into: string, name: string, labels: Readonly<Record<string, string>> = { title: 'sluice', version }): string {
  const layers = ['one', 'two'].map((layer) => {
    const path = join(into, `${layer}.tar`);
    // Larger than a block, and no multiple of one.
    return { path, ...writeTarFile(path, inFolders([{ path: `etc/${layer}`, kind: 'data', data: layer.repeat(1000), mode: 0o644 }])) };
  });
  const Labels = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`org.opencontainers.image.${key}`, value]));
  const path = join(into, name);
  const history = layers.map(() => ({ created_by: 'test' }));
  writeArchive(path, 'sluice:base', { architecture: 'arm64', config: { Entrypoint: ['/usr/bin/node'], Labels }, history }, layers);
  return path;
}
