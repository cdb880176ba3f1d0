import type { Asset } from '../../ui/server/http/routes.ts';
import { pageFiles } from './page-files.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The files of the page as the server answers with them. */
export async function assets(): Promise<ReadonlyMap<string, Asset>> {
  const files = Object.entries(await pageFiles());
  return new Map(
    files.map(([path, text]) => [path, { type: TYPES[/\.(\w+)$/.exec(path)?.[1] ?? 'html'] ?? 'text/plain', body: Buffer.from(text) }]),
  );
}
