import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { contents, env, isEnvName, sh, word } from '../../src/api/shell.ts';

/** The arguments of a program that a script calls. */
function argvOf(script: string, environment: Readonly<Record<string, string>> = {}): readonly string[] {
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', script], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\0').slice(0, -1);
}
/** Text as users write it, and as those write it who mean harm. No argument of a program can hold NUL. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?[]{}()<>|&;#~=%^ \t\n\r-a1'), maxLength: 8 }),
    fc.constantFrom(
      '$(touch /tmp/x)',
      '`id`',
      "'; rm -rf / #",
      '${HOME}',
      '-n',
      '--',
      '~root',
      'a=b',
      '\\',
      "'",
      '\n',
      '${',
      '{a,b}',
      '2>x',
    ),
  )
  .map((value) => value.replaceAll('\0', ''));

describe('a value in a script', () => {
  test('is one argument, to the letter', () =>
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (values) => {
        expect(argvOf(values.map((value) => sh`printf '%s\0' ${value}`).join('\n'))).toEqual(values);
      }),
      { numRuns: 40 },
    ));
  test('that is a list is as many arguments', () =>
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (values) => {
        expect(argvOf(sh`printf '%s\0' ${values} end`)).toEqual([...values, 'end']);
      }),
      { numRuns: 40 },
    ));
  test('that is an empty list is no argument', () => expect(argvOf(sh`printf '%s\0' a ${[]} b`)).toEqual(['a', 'b']));
  test('that is empty is still an argument', () => expect(argvOf(sh`printf '%s\0' ${''} ${'a'}`)).toEqual(['', 'a']));
  test('that needs no quotes has none, so that scripts stay readable', () =>
    expect(sh`mount ${'s3://bucket/a_b-c.d'} ${'cache=1,x'}`).toBe('mount s3://bucket/a_b-c.d cache=1,x'));
});

test('a backslash is the shell’s own', () => {
  expect(argvOf(sh`printf '%s\0' "$(echo a1b | sed 's/\([0-9]\)/<\1>/')"`)).toEqual(['a<1>b']);
  expect(sh`grep '\d'`).toBe(String.raw`grep '\d'`);
});

describe('what a file holds', () => {
  const directory = mkdtempSync(join(tmpdir(), "shell $x'"));
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'key');
  test('is one argument, or part of one, without the newline at its end', () => {
    writeFileSync(file, "a b $(c) 'd'\n");
    expect(argvOf(sh`printf '%s\0' ${contents(file)} ${word('--key=', contents(file))}`)).toEqual(["a b $(c) 'd'", "--key=a b $(c) 'd'"]);
  });
  test('is read when the script runs', () => expect(sh`echo ${contents('/etc/key')}`).toBe('echo "$(cat /etc/key)"'));
  test('is found by an absolute path', () => expect(() => contents('key')).toThrow('expected an absolute path, found "key"'));
});

describe('a variable', () => {
  test('is expanded when the script runs, to one argument whatever it holds', () =>
    fc.assert(
      fc.property(text, (value) => {
        expect(argvOf(sh`printf '%s\0' ${env('TOKEN')} end`, { TOKEN: value })).toEqual([value, 'end']);
      }),
      { numRuns: 40 },
    ));
  test('can be a part of a word, among texts', () =>
    fc.assert(
      fc.property(text, text, text, (before, value, after) => {
        expect(argvOf(sh`printf '%s\0' ${word(before, env('TOKEN'), after)}`, { TOKEN: value })).toEqual([before + value + after]);
      }),
      { numRuns: 40 },
    ));
  test('is not what a text means that looks like one', () =>
    expect(argvOf(sh`printf '%s\0' ${word('$TOKEN', '${TOKEN}')}`, { TOKEN: 'x' })).toEqual(['$TOKEN${TOKEN}']));
  test('of nothing is a word too', () => expect(argvOf(sh`printf '%s\0' ${word('', '')} end`)).toEqual(['', 'end']));
  test.each(['A', '_', 'a1', 'METAURL'])('may be called %s', (name) => expect(isEnvName(name)).toBe(true));
  test.each(['', '1A', 'A-B', 'A B', 'A;id', 'Ä', 'A\n', '$A'])('may not be called %j', (name) =>
    expect(() => env(name)).toThrow('is no name of an environment variable'),
  );
});

test('text in the template itself is the script', () =>
  expect(
    argvOf(sh`set -e
X=1
printf '%s\0' "$X" ${'$X'}`),
  ).toEqual(['1', '$X']));
