/** The package of a vendor as it is in the vendor's hands: beside Sluice's own, as npm installs it. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../cli/run.ts';
import { ran } from '../support/packed.ts';
import type { Installed } from './installed.ts';
import { withSluiceImage } from './sluice-image.ts';

export interface VendorPackage {
  /** Builds an image with its runtimes by `sluice image`, and installs it by `sluice install`. Resolves when all of Sluice runs from it. */
  install(cluster: Installed, image: string, ...flags: readonly string[]): Promise<void>;
  /** Replaces a text in a file, which must have it. */
  edit(file: string, from: string, to: string): void;
  /** Where the vendor's files are. */
  readonly folder: string;
}

/** In a folder in which Sluice's package is installed; `write` is called with the folder for the vendor's files. The caller removes it. */
export function vendorPackage(folder: string, name: string, write: (own: string) => void): VendorPackage {
  const own = join(folder, name);
  mkdirSync(own);
  write(own);
  // A tool of the vendor, which Sluice's package does not bring.
  if (!existsSync(join(folder, 'node_modules/esbuild')))
    symlinkSync(join(root, 'node_modules/esbuild'), join(folder, 'node_modules/esbuild'));
  const config = join(own, 'sluice.config.ts');
  return {
    folder: own,
    async install(cluster, image, ...flags) {
      const out = join(own, 'image.tar');
      await withSluiceImage(async (base) => {
        const { code, output } = await ran(folder, 'sluice', 'image', '--config', config, '--base', base, '--name', image, '--out', out);
        if (code !== 0) throw new Error(`sluice image: ${output}`);
      });
      await cluster.node.importImage(out);
      rmSync(out);
      await cluster.install('--config', config, '--image', image, ...flags);
      await cluster.rolledOut();
    },
    edit(file, from, to) {
      const path = join(own, file);
      const text = readFileSync(path, 'utf8');
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
    },
  };
}
