import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equal, mergePatch } from '../../../src/planning/diff/merge-patch.ts';

type Fields = Record<string, unknown>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7386, section 2, word for word. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Fields = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const leaf = fc.oneof(fc.boolean(), fc.integer({ min: 0, max: 2 }), fc.constantFrom('', 'a'));
const key = fc.constantFrom('a', 'b', 'c', 'd');
// In a status there is no null: the API server drops it.
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.dictionary(key, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('tree'), { maxLength: 2 }),
  ),
}));
const fields = fc.dictionary(key, tree, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<Fields>;

test('applied, it gives what was wanted', () =>
  fc.assert(
    fc.property(fields, fields, (before, after) => {
      expect(merged(before, mergePatch(before, after) ?? {})).toEqual(after);
    }),
    { numRuns: 500 },
  ));
test('there is none when nothing differs', () =>
  fc.assert(
    fc.property(fields, (before) => {
      expect(mergePatch(before, structuredClone(before))).toBeUndefined();
    }),
  ));
test('limited to what is given, it leaves other fields alone', () =>
  fc.assert(
    fc.property(fields, fields, (before, after) => {
      const result = merged(before, mergePatch(before, after, 'given') ?? {}) as Fields;
      expect(result).toEqual({ ...before, ...after });
    }),
    { numRuns: 500 },
  ));
test('a field that is undefined is not given', () => expect(mergePatch({ a: 1 }, { a: undefined }, 'given')).toBeUndefined());
test('an empty map takes the place of a full one', () =>
  expect(mergePatch({ cacheStates: { cached: '1' } }, { cacheStates: {} }, 'given')).toEqual({ cacheStates: { cached: null } }));
test('equality does not look at the order of keys, nor at undefined ones', () => {
  expect(equal({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1, e: undefined })).toBe(true);
  expect(equal({ a: 1 }, { b: 1 })).toBe(false);
  expect(equal([1, 2], [2, 1])).toBe(false);
  expect(equal({}, [])).toBe(false);
});
