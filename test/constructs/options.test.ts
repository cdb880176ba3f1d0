import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidSpec } from '../../src/api/index.ts';
import { absolutePath, joinedOptions, optionList, positional, separatorsIn } from '../../src/constructs/options.ts';

describe('a list of mount options', () => {
  test('is in order of its keys, and an empty value prints the bare key', () =>
    expect(optionList({ ro: '', 'cache-size': '10', allow_other: '' }, 'o')).toBe('allow_other,cache-size=10,ro'));
  test('passed on as it is written has no option without a name, which is said', () => {
    const options = { '': 'x', a: '1', 'b,c': '' };
    expect(joinedOptions(options)).toBe('a=1,b,c');
    expect(separatorsIn(options, 'spec.fuse.options').map(({ message }) => message)).toEqual([
      'spec.fuse.options[""]: has no effect; expected the name of an option, found ""',
      'spec.fuse.options["b,c"]: "," and "=" separate mount options; the client sees several',
    ]);
    expect(() => optionList(options, 'o')).toThrow('o[""]: expected the name of an option, found ""');
  });
  test('of nothing is empty', () => expect(optionList({}, 'o')).toBe(''));
  test('reads back as what was written', () => {
    const key = fc.string({ minLength: 1 }).filter((each) => !/[,=]/.test(each) && each !== '__proto__');
    const value = fc.string().filter((each) => !each.includes(','));
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }), (options) => {
        const read = optionList(options, 'o')
          .split(',')
          .map((each) => (each.includes('=') ? [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)] : [each, '']));
        expect(Object.fromEntries(read)).toEqual(options);
      }),
    );
  });
  test.each([{ 'a,b': '' }, { a: 'b,c' }, { 'a=b': 'c' }, { '': 'c' }])('refuses %j, which would be read as something else', (options) =>
    expect(() => optionList(options as unknown as Record<string, string>, 'spec.options')).toThrow(InvalidSpec),
  );
  test('names every option that is wrong, by its field', () => {
    try {
      optionList({ a: 'b,c', ok: 'x', 'd,e': '' }, 'spec.options');
      expect.unreachable();
    } catch (error) {
      expect((error as InvalidSpec).faults.map(({ path, found }) => `${path}: ${found}`)).toEqual([
        'spec.options.a: "a=b,c"',
        'spec.options["d,e"]: "d,e"',
      ]);
    }
  });
});

describe('an argument by position', () => {
  test.each(['s3://bucket', 'a-b', '/-x'])('may be %s', (value) => expect(positional(value, 'p')).toBe(value));
  test.each(['-o', '--help', '-', ''])('may not be %j', (value) =>
    expect(() => positional(value, 'spec.mounts[0].mountPoint')).toThrow('spec.mounts[0].mountPoint: expected'),
  );
});

describe('a path that is mounted on or deleted', () => {
  test.each(['/cache', '/a/b..c/', '/a/.hidden', '/...'])('may be %s', (value) => expect(absolutePath(value, 'p')).toBe(value));
  test.each(['cache', '', './a', '/a/../b', '/..', '/a/..', '../a'])('may not be %j', (value) =>
    expect(() => absolutePath(value, 'spec.path')).toThrow('spec.path: expected an absolute path'),
  );
});
