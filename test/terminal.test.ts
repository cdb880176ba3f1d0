/** The output of commands shows every character, and forges no line. */
import fc from 'fast-check';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { plain, styled, visible } from '../src/cli/terminal.ts';
import { yamlText } from '../src/cli/yaml-text.ts';

/** Characters that a terminal obeys, and those that turn or hide text. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]52;c;eA==\u0007',
        '\u009b31m',
        '\r',
        '\r\n',
        '\n    to do: x',
        '\u007f',
        '\u202e',
        '\u2066',
        '\u200b',
        '\ufeff',
        '\u{e0041}',
        '\0',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));

describe('a line', () => {
  test('has no character that a terminal obeys, and begins no other line', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const text = plain([['  ', styled('yellow', a), ': ', b]]);
        expect(text.replaceAll('\t', '')).not.toMatch(HIDDEN);
        expect(
          text
            .split('\n')
            .slice(1, -1)
            .every((line) => line.startsWith('      ')),
        ).toBe(true);
      }),
    );
  });
  test('that has nothing of this is as it was', () => {
    expect(plain(['a → “b” ✓ 你好\té'])).toBe('a → “b” ✓ 你好\té\n');
  });
});

describe('a manifest', () => {
  test('as YAML shows every character, and means what it meant', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile)), { noNullPrototype: true }), (value) => {
        const text = yamlText(value);
        expect(text.replaceAll('\t', '')).not.toMatch(HIDDEN);
        expect(parse(text)).toEqual(value);
      }),
    );
  });
  test('as JSON does too', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (value) => {
        const text = visible(JSON.stringify(value, null, 2));
        expect(text).not.toMatch(HIDDEN);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

/** Those that write to a stream, and why they may. */
const WRITERS: Readonly<Record<string, string>> = {
  'src/cli/terminal.ts': 'it is the edge',
  'src/cli/main.ts': 'an old Node cannot load any other module',
  'src/cli/start.ts': 'a closed pipe is no error',
  'src/kube/kubeconfig/exec-plugin.ts': 'a plugin of the user asks the user at the terminal',
};

test('no other module writes to standard output or standard error', () => {
  const root = join(import.meta.dirname, '..');
  const writes =
    /\bconsole\s*\.|\bprocess\s*\.\s*(?:stdout|stderr)\b|['"](?:node:)?console['"]|\{[^}]*\b(?:stdout|stderr)\b[^}]*\}\s*=\s*process\b/;
  const writers = globSync('{src,runtimes}/**/*.ts', { cwd: root }).filter((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .some((line) => writes.test(line.replace(/^\s*(?:\*|\/\/|\/\*).*$/, ''))),
  );
  expect(writers.toSorted()).toEqual(Object.keys(WRITERS).toSorted());
});
