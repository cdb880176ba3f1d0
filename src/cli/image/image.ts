import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { CONFIG_IN_IMAGE } from '../../install/index.ts';
import type { Define } from '../command.ts';
import { UsageError } from '../errors.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { version } from '../version.ts';
import { writeArchive } from './archive.ts';
import { readBaseImage } from './base-image.ts';
import { bundleConfig } from './bundle-config.ts';
import { inFolders, writeTarFile } from './tar-file.ts';
import { say } from '../terminal.ts';

interface Flags {
  readonly base: string;
  readonly name: string;
  readonly config: string;
  readonly out: string;
}

const HELP = `
The image is Sluice's own with one more layer: the module of --config and everything that it imports, as one file. It
needs no registry and no docker. The module may import any npm package that needs no file beside its code.

Examples:
  sluice image --config sluice.config.ts --base sluice-image.tar --name registry.example/sluice-acme:1.0.0
  docker load -i image.tar                       or: ctr -n k8s.io images import image.tar
  sluice install --config sluice.config.ts --image registry.example/sluice-acme:1.0.0 | kubectl apply --server-side -f -

Exit codes:
  0  written
  1  not written: esbuild is not installed
  2  bad usage, a base that is no image of Sluice of this version, or runtimes that cannot be bundled`;

export const define: Define = (command, parts) => {
  command
    .requiredOption('--base <file>', "archive of Sluice's image, of the version of this package")
    .requiredOption('--name <name:tag>', 'name of the new image; give each version of your runtimes a tag of its own')
    .addOption(configOption().makeOptionMandatory())
    .option('--out <file>', 'archive to write', 'image.tar')
    .addHelpText('after', HELP)
    .action(async ({ base, name, config, out }: Flags) => {
      if (!/^[a-z0-9][a-z0-9._:/-]*:\w[\w.-]*$/.test(name) || name.endsWith(':latest'))
        throw new UsageError(
          `--name: expected an image with a tag other than latest, such as registry.example/sluice-acme:1.0.0, found "${name}"`,
        );
      const module = resolve(config);
      const ours = await parts.runtimes();
      await allRuntimes(ours, module);
      const image = readBaseImage(base, version());
      const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'));
      try {
        const bundle = join(folder, 'sluice.config.mjs');
        await bundleConfig(module, bundle);
        // There, no package can be found: what loads here loads in the image.
        const theirs = (await allRuntimes(ours, bundle)).slice(ours.length);
        const layer = join(folder, 'layer.tar');
        const entry = { path: relative('/', CONFIG_IN_IMAGE), kind: 'file', source: bundle, mode: 0o644 } as const;
        const written = writeTarFile(layer, inFolders([entry]));
        const { history = [] } = image.config;
        const created_by = `sluice image: ${theirs.map(({ resource }) => resource.kind).join(', ')}`;
        const path = resolve(out);
        mkdirSync(dirname(path), { recursive: true });
        // The base may be the file that is written.
        const partial = `${path}.partial`;
        const id = writeArchive(partial, name, { ...image.config, ...(history.length > 0 && { history: [...history, { created_by }] }) }, [
          ...image.layers,
          { path: layer, sha256: written.sha256 },
        ]);
        renameSync(partial, path);
        const kinds = theirs.map(({ resource }) => resource.kind).join(', ');
        say(`${name} ${id} for ${image.config.architecture}, with ${kinds} (${(written.size / 1e6).toFixed(1)} MB): ${out}`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
};
