import fc from 'fast-check';
import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { plainValue } from '../../../src/cli/input/plain-yaml.ts';
import { documentsIn } from '../../../src/cli/input/documents.ts';

/** The library's reading: a directive keeps the document from being plain. */
const asLibrary = (text: string) => documentsIn('f', `%YAML 1.2\n---\n${text}`);

const piece = fc.constantFrom(
  'a',
  'b',
  'name',
  ':',
  ': ',
  ' ',
  '  ',
  '    ',
  '\n',
  '\n  ',
  '\n    ',
  '\n- ',
  '\n  - ',
  '- ',
  '-',
  '---',
  '\n---\n',
  '...',
  '\n...\n',
  '#',
  ' # c',
  '"',
  "'",
  '"x y"',
  "'x'",
  '\\',
  '[]',
  '{}',
  '[',
  '{',
  ',',
  '&a',
  '*a',
  '!t',
  '|',
  '>',
  '?',
  '%',
  '@',
  '`',
  '<<',
  '~',
  '\t',
  'null',
  'True',
  'yes',
  'off',
  'y',
  '012',
  '0x1f',
  '1_0',
  '1.5',
  '.5',
  '1e3',
  '-1',
  '+1',
  '.inf',
  '12',
  '9007199254740993',
  '2026-01-01',
  'é',
  '\u2028',
  '\r\n',
  'a: 1\n',
  'b:\n  - c: d\n    e: f\n',
  '__proto__',
  'constructor',
  'http://x:1/y',
  '10.0.0.1',
  '{"a": 1}',
  '1:30',
);

describe('plain YAML is read as the library reads it', () => {
  test('or not at all, whatever is written', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const value = plainValue(text);
        if (value === undefined) return;
        const { objects, faults } = asLibrary(text);
        expect(faults).toEqual([]);
        expect(objects).toHaveLength(1);
        expect(value).toEqual(objects[0]?.value);
      }),
      { numRuns: 20_000 },
    );
  });
  test('which covers what programs print', () => {
    const value = {
      metadata: { name: 'a' },
      spec: { count: 3, isOn: true, list: [{ a: 'b', c: ['d', 'e'] }, 'http://x:1'], none: {}, empty: [] },
    };
    const text = stringify(value);
    expect(plainValue(text)).toEqual(value);
    expect(plainValue(JSON.stringify(value))).toEqual(value);
    // As kubectl writes lists.
    expect(plainValue(stringify(value, { indentSeq: false }))).toEqual(value);
  });
  test.each(['{"a": 1, "a": 2}', '{"<<": {"a": 1}}', 'a: 1\na: 2\n', 'a: &x 1\nb: *x\n', 'a: |\n  text\n', '<<: {}\n'])(
    'but not %j',
    (text) => expect(plainValue(text)).toBeUndefined(),
  );
});

test('faults in a stream name the lines of the file', () => {
  const text = '# first\na: 1\n---\nb: 1\nc:\n- d: 2\n--- # comment\n{"e": [\n1]}\n---\nf: |\n  g\n--- \nh: *none\n';
  const { objects, faults } = documentsIn('f.yaml', text);
  expect(objects.map((each) => [each.value, each.at([Object.keys(each.value as object).at(-1) ?? '']).line])).toEqual([
    [{ a: 1 }, 2],
    [{ b: 1, c: [{ d: 2 }] }, 5],
    [{ e: [1] }, 8],
    [{ f: 'g\n' }, 11],
  ]);
  expect(faults.map(({ line }) => line)).toEqual([14]);
});
