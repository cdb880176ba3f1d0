import fc from 'fast-check';
import { parseDocument, stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { yamlText } from '../../src/cli/yaml-text.ts';

/** YAML 1.1 has times, and numbers to the base of 60, that kubectl does not read as such. */
const read = (text: string, version: '1.1' | '1.2') => {
  const document = parseDocument(text, { version });
  expect(document.errors).toEqual([]);
  return document.toJS() as unknown;
};

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'yes',
    'off',
    'y',
    'N',
    'null',
    '~',
    'True',
    '012',
    '0o7',
    '0x1f',
    '0b11',
    '1_000',
    '1.5',
    '.5',
    '1e3',
    '-1',
    '+1',
    '.inf',
    '',
  ),
  fc.constantFrom(
    '- a',
    '-',
    '---',
    '--- a',
    '...',
    'a: b',
    'a:',
    'a #b',
    '#a',
    ' a',
    'a ',
    '\ta',
    'a\n',
    'a\nb',
    'a\n\nb\n\n',
    ' a\nb',
    '\n',
    '\na',
  ),
  fc.constantFrom(
    '?',
    '? a',
    '&a',
    '*a',
    '!a',
    '%a',
    '@a',
    '`a`',
    '<<',
    '=',
    'a, b',
    '[a]',
    '{a}',
    '"a"',
    "it's",
    'a\\b',
    '5bb480431bb81094',
    '12:30:45',
  ),
  fc.array(fc.constantFrom('a', ' ', '\n', '\t', ':', '#', "'", '"', '\\', '$x'), { maxLength: 12 }).map((parts) => parts.join('')),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.integer(),
    // JSON has no negative zero.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('YAML of manifests', () => {
  test('is read as what was written, by readers of YAML 1.1 and 1.2', () => {
    fc.assert(
      fc.property(fc.dictionary(text, value, { noNullPrototype: true }), (object) => {
        const written = yamlText(object);
        expect(read(written, '1.2')).toEqual(object);
        expect(read(written, '1.1')).toEqual(object);
      }),
      { numRuns: 3000 },
    );
  });
  test('looks as the library writes it', () => {
    const manifest = {
      kind: 'ConfigMap',
      metadata: { name: 'a', annotations: { 'a.b/c': 'http://x:1/y', empty: '', list: '[]' } },
      data: {
        'run.sh': '#!/bin/sh\nset -eu\n\nif true; then\n  exit\nfi\n',
        last: 'a\nb',
        deep: { nested: [['x', { z: ['- z'] }], [], {}] },
      },
      numbers: [1, -2, 0.5, '1', '0.5', '-2', null, undefined],
      nothing: undefined,
      only: { nothing: undefined },
    };
    expect(yamlText(manifest)).toBe(stringify(manifest, { lineWidth: 0 }));
  });
});
