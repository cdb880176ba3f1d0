import { describe, expect, test } from 'vitest';
import { after, fitsOf, isWhole, matches, nextNames } from '../../../src/cli/prefetch/pattern.ts';

describe('a name fits', () => {
  test.each([
    ['*', 'a.bin'],
    ['*.bin', 'a.bin'],
    ['a?c', 'abc'],
    ['[a-c]x', 'bx'],
    ['[!a-c]x', 'dx'],
    ['[]]', ']'],
    ['[a-]', '-'],
    ['[', '['],
    ['a**b', 'ab'],
    ['*a*b', 'xaxxab'],
    ['.s*', '.stats'],
  ])('%s: %s', (pattern, name) => {
    expect(matches(pattern, name)).toBe(true);
  });
});
describe('a name does not fit', () => {
  test.each([
    ['*.bin', 'a.bi'],
    ['a?c', 'ac'],
    ['[a-c]x', 'dx'],
    ['[!a-c]x', 'ax'],
    ['*', '.accesslog'],
    ['', 'a'],
    ['a', 'ab'],
    ['a.b', 'aXb'],
  ])('%s: %s', (pattern, name) => {
    expect(matches(pattern, name)).toBe(false);
  });
  test('a pattern with many stars, and takes no time', () => {
    expect(matches('*a'.repeat(100), 'a'.repeat(99))).toBe(false);
  });
});

describe('a path has to be read', () => {
  const isRead = (pattern: string, path: string) =>
    isWhole(path.split('/').reduce((fits, name) => after(fits, name), fitsOf(pattern.split(';'))));
  test.each([
    ['/m/**', 'm/a', true],
    ['/m/**', 'm/a/b/c', true],
    ['/m/**', 'n/a', false],
    ['/m/**/*.bin', 'm/x.bin', true],
    ['/m/**/*.bin', 'm/a/b/x.bin', true],
    ['/m/**/*.bin', 'm/a/b/x.txt', false],
    ['/**/a/**/b', 'x/a/y/z/b', true],
    ['/m/*', 'm/a', true],
    ['/m/*', 'm/a/b', false],
    ['/m', 'm/a/b', true],
    ['/m/a', 'm/a', true],
    ['/m/../x', 'x', false],
    ['/m/**', 'm/.git/config', false],
    ['/m/.git/**', 'm/.git/config', true],
    ['/x;/m/*', 'm/a', true],
    ['', 'm', false],
  ])('%s: %s: %s', (pattern, path, expected) => {
    expect(isRead(pattern, path)).toBe(expected);
  });
  test('by names that are known, where no wildcard is', () => {
    expect(nextNames(fitsOf(['/m/*', '/n']))).toEqual(['m', 'n', 'n']);
    expect(nextNames(after(fitsOf(['/m/*']), 'm'))).toBeUndefined();
  });
  test('with as many states as the pattern is long, however often it says any directories', () => {
    expect(after(fitsOf([`${'/**'.repeat(500)}/a`]), 'x')).toHaveLength(501);
  });
});
