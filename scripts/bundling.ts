/** The common part of the bundles of the package, of the image and of the file that runs without Node. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { bundledPage } from '../src/cli/ui/page-files.ts';

const root = join(import.meta.dirname, '..');

export const BUNDLED = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22',
  // Names stay: they are in stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  // `notices` has them.
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
} as const satisfies BuildOptions;

/** As ES modules: what several entries load is there once. */
export const AS_MODULES = {
  splitting: true,
  format: 'esm',
  // Some dependencies are CommonJS and ask for built-in modules.
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
} as const satisfies BuildOptions;

/** Leaves the code of these commands out: each only throws an error of src/cli/errors.ts that says what to run instead, and its name. */
export const without = (commands: readonly string[], error: 'Refused' | 'UsageError', instead: string): Plugin => ({
  name: 'without-commands',
  setup({ onLoad }) {
    onLoad({ filter: new RegExp(`/src/cli/(${commands.map((name) => `${name}/${name}`).join('|')})\\.ts$`) }, ({ path }) => ({
      loader: 'ts',
      resolveDir: dirname(path),
      contents: `import { ${error} } from '../errors.ts';
export const define = (command) => command.allowUnknownOption().allowExcessArguments().action(() => {
  throw new ${error}(${JSON.stringify(instead)} + ' ' + command.name());
});`,
    }));
  },
});

/** The files of the page of `sluice ui`, inside of the program: they are found wherever the program runs. */
export const withPage: Plugin = {
  name: 'with-page',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/cli\/ui\/page-files\.ts$/ }, async () => ({
      loader: 'js',
      contents: `const files = ${JSON.stringify((await bundledPage()).files)};\nexport const pageFiles = async () => files;\n`,
    }));
  },
};

/** The text of THIRD-PARTY.txt: licences of all packages that are in a bundle, or in the page inside of it, ask to be passed on with it. */
export async function notices({ inputs }: Metafile): Promise<string> {
  const { metafile: page } = await bundledPage();
  const folders = new Set(
    [...Object.keys(inputs), ...Object.keys(page.inputs)].flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
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
