/** Tables of what sources say of themselves: docstrings of labels and annotations, rules of the layers. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { annotation, label } from '../../src/api/index.ts';
import { code, table } from './markdown.ts';
import { read, root } from './pages.ts';

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly pathNot?: string | readonly string[] };
}

export const sourceTables: Readonly<Record<string, () => Promise<string>>> = {
  labels: async () => keys('label', label),
  annotations: async () => keys('annotation', annotation),
  async layers() {
    // The cast: the configuration is JavaScript without types.
    const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as { readonly forbidden: readonly Rule[] };
    const rules = forbidden.filter(({ name }) => name.includes('-imports-only-'));
    if (rules.length === 0) throw new Error('expected rules of layers in .dependency-cruiser.cjs');
    const plain = (path: string): string => path.replace(/^\^|\/$|\$$/g, '');
    return table(
      ['layer', 'may import'],
      rules.map(({ from: { path = '' }, to: { pathNot = [] } }) => [
        code(plain(path)),
        [pathNot]
          .flat()
          .map(plain)
          .filter((each) => each !== plain(path))
          .map(code)
          .join(', ') || 'itself alone',
      ]),
    );
  },
};

/** Each key with its docstring in src/api/labels.ts. */
function keys(name: string, all: Readonly<Record<string, string>>): string {
  const [, body = ''] = new RegExp(`export const ${name} = {\\n(.*?)\\n} as const`, 's').exec(read('src/api/labels.ts')) ?? [];
  return table(
    [name, 'what it says'],
    Object.entries(all).map(([property, key]) => {
      const [, docstring] = new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\s+${property}: '`, 's').exec(body) ?? [];
      if (docstring === undefined) throw new Error(`src/api/labels.ts: expected a docstring for ${name}.${property}`);
      return [
        code(key),
        docstring
          .replaceAll(/\n\s*\*/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ];
    }),
  );
}
