import { expect, test } from 'vitest';
import { mutantsOf, sampled } from '../../scripts/mutants/sites.ts';

const changes = (text: string) => mutantsOf(text).map(({ line, before, after }) => `${line}: ${before} → ${after}`);

test.each([
  ['if (a === 1 || !b) f();', ['1: || → &&', '1: === → !==', '1: 1 → 2', '1: !b → b']],
  ['const x = isOld ? 1_000 : y;', ['1: isOld ? 1_000 : y → (isOld ? y : 1_000)', '1: 1_000 → 1001']],
  [`f({ ...given, name: 'a' });\ng('');`, ['1: given → {}', `1: 'a' → "aX"`]],
  [`import a from 'a';\ntype B = 'b' | 1;\ninterface C { d: 'e' }`, []],
])('changes of %j', (text, expected) => expect(changes(text)).toEqual(expected));

test('each change is the text with that change alone', () => {
  const text = 'const a = b < 3;';
  expect(mutantsOf(text).map((mutant) => mutant.text)).toEqual(['const a = b >= 3;', 'const a = b < 4;']);
});

test('a seed draws the same ones each time, another seed others', () => {
  const list = Array.from({ length: 100 }, (_, i) => i);
  expect(sampled(list, 10, 1)).toEqual(sampled(list, 10, 1));
  expect(new Set(sampled(list, 10, 1)).size).toBe(10);
  expect(sampled(list, 10, 1)).not.toEqual(sampled(list, 10, 2));
  expect(sampled(list, 200, 1)).toHaveLength(100);
});
