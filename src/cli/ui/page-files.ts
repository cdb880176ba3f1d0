/**
 * The files of the page, by the path at which a browser asks for them. In a checkout they are bundled when the command starts; bundles of the
 * program have them in place of this module (scripts/bundling.ts).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

const page = join(import.meta.dirname, '../../ui/page');

/** Text by path: `/`, `/page.js`, `/page.css`, `/icon.svg`. */
export async function pageFiles(): Promise<Readonly<Record<string, string>>> {
  return (await bundledPage()).files;
}

/** The files, and what they were made of, whose licences are to be passed on. */
export async function bundledPage(): Promise<{ readonly files: Readonly<Record<string, string>>; readonly metafile: Metafile }> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(page, '../../..'),
    entryPoints: [
      { in: join(page, 'main.tsx'), out: 'page' },
      { in: join(page, 'styles/main.css'), out: 'page' },
    ],
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    // The first with light-dark(), of 2024.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const copied = { '/': 'index.html', '/icon.svg': 'icon.svg' };
  return {
    files: {
      ...Object.fromEntries(Object.entries(copied).map(([path, file]) => [path, readFileSync(join(page, file), 'utf8')])),
      ...Object.fromEntries(outputFiles.map(({ path, text }) => [path, text])),
    },
    metafile,
  };
}
