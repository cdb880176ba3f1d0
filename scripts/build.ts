/**
 * `npm run build`: what the package has in dist/.
 *
 *   lib/     all entry points and the command line, bundled, so that users install no library of ours; what entries share is there once
 *   cjs/     cdk8s.js for programs and test runners that cannot load ES modules, such as Jest, with declarations that say so
 *   types/   the declarations of the entry points
 *   new-runtime/   what `sluice new-runtime` copies
 */
import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { AS_MODULES, BUNDLED, notices, withPage } from './bundling.ts';
import { copyTypes, emptied } from './package/types.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** Sources of the entry points; package.json says which is which. */
const ENTRIES = { index: 'src/index', api: 'src/api', cdk8s: 'src/cdk8s', 'fuse-config': 'src/fuse/index', testing: 'src/testing/index' };
const PROGRAMS = { sluice: 'src/cli/main', 'cdk8s-validation': 'src/cli/synth/cdk8s-validation' };

emptied(dist);
const all = emptied(join(root, 'build/types'));
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', all], { cwd: root, stdio: 'inherit' });
copyTypes(all, join(dist, 'types'), Object.values(ENTRIES), join(root, 'node_modules'));
copyTypes(all, join(dist, 'cjs/types'), [ENTRIES.cdk8s], join(root, 'node_modules'));
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');

const sources = Object.entries({ ...ENTRIES, ...PROGRAMS }).map(([name, source]) => [name, `${source}.ts`]);
const { metafile } = await build({
  ...BUNDLED,
  ...AS_MODULES,
  entryPoints: Object.fromEntries(sources) as Record<string, string>,
  outdir: join(dist, 'lib'),
  external: ['cdk8s', 'constructs', 'esbuild', 'typebox', 'vitest'],
  plugins: [withPage],
});
await build({
  ...BUNDLED,
  entryPoints: { cdk8s: `${ENTRIES.cdk8s}.ts` },
  outdir: join(dist, 'cjs'),
  format: 'cjs',
  external: ['cdk8s', 'constructs'],
});
writeFileSync(join(dist, 'THIRD-PARTY.txt'), await notices(metafile));
cpSync(join(root, 'src/cli/new-runtime/template'), join(dist, 'new-runtime'), { recursive: true });
