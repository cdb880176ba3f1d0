import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unified } from '../../../src/cli/diff/unified.ts';

describe('a unified diff', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
  test('makes one text of the other', () =>
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(applied(before, unified(before, after))).toEqual(after);
      }),
    ));
  test('is empty for equal texts', () =>
    fc.assert(
      fc.property(lines, (same) => {
        expect(unified(same, same)).toEqual([]);
      }),
    ));
  test('shows three lines around a change', () =>
    expect(unified([...'abcdefgh'], [...'abcdXfgh'])).toEqual(['@@ -2,7 +2,7 @@', ' b', ' c', ' d', '-e', '+X', ' f', ' g', ' h']));
  test('counts from 0 where there was nothing', () => expect(unified([], ['a'])).toEqual(['@@ -0,0 +1 @@', '+a']));
});

/** As `patch` would. */
function applied(before: readonly string[], diff: readonly string[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff) {
    const [, start, count] = /^@@ -(\d+)(?:,(\d+))?/.exec(line) ?? [];
    if (start !== undefined) {
      const from = Number(start) - (count === '0' ? 0 : 1);
      result.push(...before.slice(at, from));
      at = from;
    } else {
      if (!line.startsWith('+')) expect(before[at++]).toBe(line.slice(1));
      if (!line.startsWith('-')) result.push(line.slice(1));
    }
  }
  return [...result, ...before.slice(at)];
}
