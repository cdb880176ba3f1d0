/**
 * The command line with everything it needs, for the image: `node scripts/bundle.ts [folder]`, default build/sluice.
 *
 * One entry, and a file for each part that is loaded when it is needed: as a single file all of it would be read at every start, the
 * 15 MB of Kubernetes' client library too, which most controllers never use.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
};
/** Where the entry is in the folder; two levels down, since the version is read from ../../package.json. */
export const ENTRY = 'dist/bin/sluice.js';

/** For developers: they need sources, or a bundler. */
const LEFT_OUT = ['new-runtime', 'image'];

/** Makes the folder anew: package.json, the notices of third parties and dist/bin/*.js. The same sources give the same bytes. */
export async function bundle(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { sluice: 'src/cli/main.ts' },
    outdir: dirname(join(folder, ENTRY)),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Names stay: they are in stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    plugins: [withoutDevelopment],
    // Some dependencies are CommonJS and ask for built-in modules.
    banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
  });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`);
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), notices(metafile));
}

const withoutDevelopment: Plugin = {
  name: 'without-development',
  setup({ onLoad }) {
    onLoad({ filter: new RegExp(`/src/cli/(${LEFT_OUT.map((name) => `${name}/${name}`).join('|')})\\.ts$`) }, ({ path }) => ({
      loader: 'ts',
      resolveDir: dirname(path),
      contents: `import { Refused } from '../errors.ts';
export const define = (command) => command.allowUnknownOption().allowExcessArguments().action(() => {
  throw new Refused('this command needs the npm package: npx ' + ${JSON.stringify(name)} + ' ' + command.name());
});`,
    }));
  },
};

/** Their licences ask to be passed on. */
export function notices({ inputs }: Metafile): string {
  const folders = new Set(Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  return [...folders]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Record<string, string>;
      const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
      const texts = files.toSorted().map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
      return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (import.meta.main) await bundle(resolve(process.argv[2] ?? join(root, 'build/sluice')));
