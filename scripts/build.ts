/**
 * `npm run build`: what the package has in dist/.
 *
 *   lib/     all entry points and the command line, bundled, so that users install no library of ours; what entries share is there once
 *   cjs/     cdk8s.js for programs and test runners that cannot load ES modules, such as Jest, with declarations that say so
 *   types/   the declarations of the entry points
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { copyTypes, emptied } from './package/types.ts';
import { notices } from './bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** Sources of the entry points; package.json says which is which. */
const ENTRIES = { index: 'src/index', api: 'src/api', cdk8s: 'src/cdk8s', 'fuse-config': 'src/fuse/index', testing: 'src/testing/index' };
const PROGRAMS = { sluice: 'src/cli/main', 'cdk8s-validation': 'src/cli/synth/cdk8s-validation' };

const SHARED: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22',
  // Names stay: they are in stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
};

emptied(dist);
const all = emptied(join(root, 'build/types'));
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', all], { cwd: root, stdio: 'inherit' });
copyTypes(all, join(dist, 'types'), Object.values(ENTRIES), join(root, 'node_modules'));
copyTypes(all, join(dist, 'cjs/types'), [ENTRIES.cdk8s], join(root, 'node_modules'));
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');

const sources = Object.entries({ ...ENTRIES, ...PROGRAMS }).map(([name, source]) => [name, `${source}.ts`]);
const { metafile } = await build({
  ...SHARED,
  entryPoints: Object.fromEntries(sources) as Record<string, string>,
  outdir: join(dist, 'lib'),
  splitting: true,
  format: 'esm',
  external: ['cdk8s', 'constructs', 'esbuild', 'typebox', 'vitest'],
  // Some dependencies are CommonJS and ask for built-in modules.
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
});
await build({
  ...SHARED,
  entryPoints: { cdk8s: `${ENTRIES.cdk8s}.ts` },
  outdir: join(dist, 'cjs'),
  format: 'cjs',
  external: ['cdk8s', 'constructs'],
});
if (metafile === undefined) throw new Error('esbuild: expected a metafile');
writeFileSync(join(dist, 'THIRD-PARTY.txt'), notices(metafile));
