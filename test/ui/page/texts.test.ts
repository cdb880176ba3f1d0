import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { en } from '../../../src/ui/page/texts/en.ts';
import { zh } from '../../../src/ui/page/texts/zh.ts';

const page = join(import.meta.dirname, '../../../src/ui/page');
const sources = globSync('**/*.{ts,tsx}', { cwd: page }).map((file) => [file, readFileSync(join(page, file), 'utf8')] as const);

/** Every text by its path, functions called with figures that show. */
function textsOf(table: object, path = ''): readonly (readonly [string, string])[] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'function')
      return [
        [`${path}${key}`, String(value.length > 0 ? value(key.startsWith('only') || key === 'hidden' ? ['one', 'two'] : '7', '8') : '')],
      ];
    return typeof value === 'string' ? [[`${path}${key}`, value] as const] : textsOf(value as object, `${path}${key}.`);
  });
}

/** Words of Kubernetes and units, which are the same in Chinese. */
const SAME = ['title', 'token', 'tabs.manifests', 'roles.master', 'roles.worker', 'roles.fuse', 'condition', 'language'];

test('both languages have every text, and none is left empty or in English', () => {
  const [english, chinese] = [textsOf(en), textsOf(zh)];
  expect(chinese.map(([path]) => path).toSorted()).toEqual(english.map(([path]) => path).toSorted());
  expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([]);
  expect(chinese.filter(([path, text]) => !/\p{Script=Han}/u.test(text) && !SAME.includes(path))).toEqual([]);
});

test('every text is used', () => {
  const all = sources
    .filter(([file]) => !file.startsWith('texts/'))
    .map(([, text]) => text)
    .join('\n');
  expect(
    Object.keys(en).filter(
      (key) => !new RegExp(`\\b(t|texts\\.value|table|peek\\(\\))\\.${key}\\b|\\b${key}\\b[^;]*\\} = texts\\.value`).test(all),
    ),
  ).toEqual([]);
});

test('no source of the page makes HTML of a text, or a style of one', () => {
  for (const [file, text] of sources)
    expect(text, file).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\b|cssText|style="/,
    );
});
