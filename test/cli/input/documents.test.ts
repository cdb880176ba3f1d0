import { describe, expect, test } from 'vitest';
import { documentsIn, keysOf } from '../../../src/cli/input/documents.ts';

const source = (text: string) => documentsIn('f.yaml', text).objects[0];
const line = (text: string, path: string) => source(text)?.at(keysOf(path)).line;

describe('positions', () => {
  const text = '# first\nspec:\n  mounts:\n    - name: a\n      options: { a/b: x }\n    - name: b\n';
  test.each([
    ['spec.mounts[0].name', 4],
    ['spec.mounts[1].name', 6],
    ['spec.mounts[0].options["a/b"]', 5],
    ['spec.mounts[0].options[a/b]', 5],
    ['spec.mounts[1].missing', 6],
    ['spec.mounts[7]', 3],
    ['metadata.name', 2],
  ])('of %s is line %d', (path, expected) => expect(line(text, path)).toBe(expected));
  test('count through documents, lists and JSON', () => {
    const { objects } = documentsIn('f.json', '{}\n---\n{"kind": "List",\n "items": [\n{"a": 1},\n{"a": 2}]}');
    expect(objects.map((object) => object.at(['a']).line)).toEqual([1, 5, 6]);
  });
  test('reads YAML as kubectl does', () =>
    expect(source('{ a: yes, b: "yes", c: off, d: 012 }')?.value).toEqual({ a: true, b: 'yes', c: false, d: 12 }));
  test('a key that stands twice is a fault with its line, also in a map of a map', () => {
    const { faults } = documentsIn('f.yaml', 'kind: A\nspec:\n  a: 1\n  b: 2\n  a: 3\n');
    expect(faults).toMatchObject([{ line: 5, found: expect.stringContaining('must be unique') as unknown }]);
  });
  test('40,000 keys of one map are read, each once', () => {
    const text = `x: {${Array.from({ length: 40_000 }, (_, i) => `k${i}`).join(',')}}`;
    expect(Object.keys((source(text)!.value as { x: object }).x)).toHaveLength(40_000);
  });
  test('a document that aliases make larger than 8 MiB is a fault', () => {
    const text = `a: &a ${'x'.repeat(100_000)}\n${Array.from({ length: 100 }, (_, i) => `k${i}: *a`).join('\n')}`;
    expect(documentsIn('f.yaml', text).faults).toMatchObject([{ found: expect.stringContaining('8 MiB') as unknown }]);
  });
  test('a bomb of aliases is a fault', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...[...'bcdef'].map((key, i) => `${key}: &${key} [${Array(10).fill(`*${'abcde'[i]}`).join(', ')}]`),
    ].join('\n');
    expect(documentsIn('f.yaml', bomb).faults).toHaveLength(1);
  });
});
