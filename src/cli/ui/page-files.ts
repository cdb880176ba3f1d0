/**
 * The files of the page, by the path at which a browser asks for them. In a checkout they are bundled when the command starts; bundles of the
 * program have them in place of this module (scripts/bundling.ts).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../ui/page');

/** Text by path: `/`, `/page.js`, `/page.css`. */
export async function pageFiles(): Promise<Readonly<Record<string, string>>> {
  const index = join(page, 'index.html');
  if (!existsSync(index)) return { '/': '<!doctype html><title>sluice</title><p>The page is not part of this build; see /api/fleet.' };
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: { page: join(page, 'main.tsx') },
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'error',
  });
  return { '/': readFileSync(index, 'utf8'), ...Object.fromEntries(outputFiles.map(({ path, text }) => [path, text])) };
}
