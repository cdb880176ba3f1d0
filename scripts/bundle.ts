/**
 * The command line with everything it needs, for the image: `node scripts/bundle.ts [folder]`, default build/sluice.
 *
 * One entry, and a file for each part that is loaded when it is needed: as a single file all of it would be read at every start, the
 * 15 MB of Kubernetes' client library too, which most controllers never use.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { AS_MODULES, BUNDLED, notices, withPage, without } from './bundling.ts';

const root = join(import.meta.dirname, '..');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
};
/** Where the entry is in the folder; two levels down, since the version is read from ../../package.json. */
export const ENTRY = 'dist/bin/sluice.js';

/** For developers: they need sources or a bundler, or are for a machine without a cluster. */
const LEFT_OUT = ['new-runtime', 'image', 'playground'];

/** Makes the folder anew: package.json, the notices of third parties and dist/bin/*.js. The same sources give the same bytes. */
export async function bundle(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...BUNDLED,
    ...AS_MODULES,
    entryPoints: { sluice: 'src/cli/main.ts' },
    outdir: dirname(join(folder, ENTRY)),
    plugins: [withPage, without(LEFT_OUT, 'Refused', `this command needs the npm package: npx ${name}`)],
  });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`);
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), await notices(metafile));
}

if (import.meta.main) await bundle(resolve(process.argv[2] ?? join(root, 'build/sluice')));
