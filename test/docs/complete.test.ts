/** Everything that users see is named on some page. */
import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { annotation, datasetFinalizer, label } from '../../src/api/index.ts';
import { causes } from '../../src/planning/reasons.ts';
import { PAGES, read, root, scripts } from './pages.ts';

describe('every one is documented:', () => {
  const everywhere = PAGES.map(read).join('\n');
  const reasons = read('docs/reference/reasons.md');

  test('every import of the package by the name that it has', () => {
    const { name } = JSON.parse(read('package.json')) as { readonly name: string };
    const imported = [...everywhere.matchAll(/from '([^'.]*\bsluice(?:\/[^']*)?)'/g)].map(([, from = '']) => from);
    expect(imported.length).toBeGreaterThan(8);
    expect(imported.filter((from) => from !== name && !from.startsWith(`${name}/`))).toEqual([]);
  });
  test('labels, annotations and finalizers', () => {
    const keys = [...Object.values(label), ...Object.values(annotation), datasetFinalizer];
    expect(keys.filter((key) => !read('docs/reference/objects.md').includes(`\`${key}\``))).toEqual([]);
  });
  test('environment variables', () => {
    const sources = globSync('src/cli/**/*.ts', { cwd: root }).map(read).join('\n');
    const names = [...sources.matchAll(/env\[?\.?\[?'([A-Z_]+)'\]/g)].map(([, name = '']) => name);
    const all = new Set([...names, ...runtimes.flatMap(({ env }) => env)]);
    expect(all.size).toBeGreaterThan(8);
    expect([...all].filter((name) => !read('docs/reference/settings.md').includes(`\`${name}\``))).toEqual([]);
  });
  test('conditions, and why they may be as they are', () => {
    const said = [
      ...sourcesOf('src/reconciler', 'runtimes').matchAll(
        /\breason: '([A-Z]\w+)'|\btype: '([A-Z]\w+)', (?:status|reason)|\bsetIf\(\s*'(\w+)'|\bawaited\(asker, [^,]+, '(\w+)'/g,
      ),
    ];
    const words = new Set(said.flatMap(([, ...found]) => found.find((word) => word !== undefined) ?? []));
    // One of each way to say it: a pattern that matches nothing any more would hide what is not documented.
    for (const word of ['RuntimeNotFound', 'Synced', 'PodsOutdated', 'ClaimNotBound']) expect([...words]).toContain(word);
    const ofEvents = new Set(['Normal', 'Warning']);
    expect([...words].filter((word) => !ofEvents.has(word) && !reasons.includes(`\`${word}\``))).toEqual([]);
  });
  test('reasons are compared by what their table says of them, never as texts', () => {
    const compared = [...sourcesOf('src/reconciler', 'src/cli', 'runtimes').matchAll(/\breason [!=]== '([A-Z]\w+)'/g)];
    expect(compared.flatMap(([, reason = '']) => (reason in causes ? reason : []))).toEqual([]);
  });
  test('scripts of package.json', () => {
    expect(Object.keys(scripts).filter((name) => !new RegExp(`npm (run (-s )?)?${name}\\b`).test(everywhere))).toEqual([]);
  });
});

const sourcesOf = (...folders: readonly string[]): string =>
  globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  )
    .map(read)
    .join('\n');
