import { messageOf, Refused, UsageError } from '../errors.ts';

/** Some packages are CommonJS and ask for built-in modules. The bundler does not see the names, so no bundled package may have them. */
const BANNER =
  "import { createRequire as sluiceImageRequireFor } from 'node:module'; const require = sluiceImageRequireFor(import.meta.url);";

/**
 * Bundles the module and all that it imports into one file, since the image has no npm packages. The runtimes then have a copy of Sluice's
 * library of their own, which works beside that of the image. Licences of the packages are kept at the end of the file.
 */
export async function bundleConfig(from: string, to: string): Promise<void> {
  const { build } = await bundler();
  await build({
    entryPoints: [from],
    outfile: to,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Names stay: they are in stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'eof',
    logLevel: 'silent',
    banner: { js: BANNER },
  }).catch((error: unknown) => {
    throw new UsageError(`${from}: expected a module that can be bundled into one file, found: ${messageOf(error)}`);
  });
}

/** 10 MB that only authors of runtimes need: an optional peer of the package, and no part of the image. */
async function bundler(): Promise<typeof import('esbuild')> {
  try {
    return await import('esbuild');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Refused('this command bundles with esbuild, which is not installed: npm install --save-dev esbuild', { cause: error });
  }
}
