import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Calls, exportsOf } from './calls.ts';
import { LONG, MANY, texts, tooDear } from './cost.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/*
 * One process serves all tenants, and each may write what fills an object. Whatever reads their texts takes time in proportion to them.
 * The exports are found, so that none is forgotten; what no text of a tenant reaches says why.
 */
const folder = (name: string) => readdirSync(join(ROOT, name), { withFileTypes: true });
const sources = [
  ...['src/api', 'src/constructs', 'src/fuse'].flatMap((name) =>
    folder(name).flatMap((file) => (file.name.endsWith('.ts') && file.name !== 'index.ts' ? `${name}/${file.name}` : [])),
  ),
  ...folder('runtimes').flatMap((entry) =>
    entry.isDirectory()
      ? folder(`runtimes/${entry.name}`).flatMap(({ name }) => (name.endsWith('.ts') ? `runtimes/${entry.name}/${name}` : []))
      : [],
  ),
];

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isCalled = (value: unknown): boolean =>
  isFunction(value) || (typeof value === 'object' && value !== null && Object.values(value).some(isFunction));
const exported = async (file: string) => Object.entries((await import(pathToFileURL(join(ROOT, file)).href)) as Record<string, unknown>);
const listed = Object.entries(exportsOf).flatMap(([file, calls]) => Object.keys(calls).map((name) => `${file} ${name}`));

test('every function that is exported is called below, or says why no text of a tenant reaches it', async () => {
  const found: string[] = [];
  for (const file of sources) for (const [name, value] of await exported(file)) if (isCalled(value)) found.push(`${file} ${name}`);
  expect(found.length).toBeGreaterThan(100);
  expect(listed.toSorted()).toEqual(found.toSorted());
});

const called = Object.entries(exportsOf).flatMap(([file, calls]) =>
  Object.entries(calls).flatMap(([name, call]): readonly (readonly [string, Calls])[] =>
    typeof call === 'string' ? [] : [[`${file} ${name}`, call]],
  ),
);

const mostMs = ({ alone }: Calls) => (alone ? Infinity : undefined);

describe('takes time in proportion to what a tenant wrote', () => {
  test.each(called.filter(([, { text }]) => text))('%s: 256 KB, and as much as is allowed', (_, { text = [], ...calls }) => {
    const dear = [text]
      .flat()
      .flatMap((call, i) =>
        (calls.alone ? [LONG / 8] : [LONG, LONG / 2 - 20]).flatMap((size) =>
          texts.map((make) => ({ call: i, shape: make(20), cost: tooDear(make, call, size, mostMs(calls)) })),
        ),
      );
    expect(dear.filter(({ cost }) => cost)).toEqual([]);
  });
  test.each(called.filter(([, { many }]) => many))('%s: 10,000 entries, and as many as are allowed', (_, { many = [], ...calls }) => {
    const dear = [many].flat().flatMap((call, i) =>
      (calls.alone ? [MANY / 5] : [MANY, 2000]).map((entries) => ({
        call: i,
        entries,
        cost: tooDear((size) => size, call, entries, mostMs(calls)),
      })),
    );
    expect(dear.filter(({ cost }) => cost)).toEqual([]);
  });
});

test('a cost that is not linear is seen', () => {
  const slow = /^\d+\.?\d*$/;
  const digits = (size: number) => `${'1'.repeat(size)}x`;
  expect(tooDear(digits, (text) => slow.test(text), 8 * 1024, 10)).toMatch(/more than 10/);
});
