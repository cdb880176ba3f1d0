/** Expected results are those of the API server's own CEL (github.com/google/cel-spec). */
import { expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { celValue, compile } from '../../src/api-server/schema/cel.ts';

const self = { name: 'äbc', list: [1, 2, 3], tags: { a: 'x' }, n: 2, part: 2.5, rate: 2, yes: true, nested: { text: "it's" } };
const evaluate = (text: string) => compile(text)(celValue(self, { properties: { rate: { type: 'number' } } }));

test.each([
  ['size(self.name)', 3n],
  ['self.list.size()', 3n],
  ['self.list[1] == 2', true],
  ["self.tags['a'] + 'y'", 'xy'],
  ["self.name.startsWith('ä') && self.name.endsWith('c') && self.name.contains('b')", true],
  ["self.name.matches('b') && !self.name.matches('^b')", true],
  ['self.n + 1 - 4 == -1', true],
  ['self.rate * 1.5 > self.n && self.part < self.n + 1', true],
  ['self.n == self.rate', true],
  ['self.n < 3 && self.n >= 2 && self.n != 1', true],
  ["self.tags.all(key, key == 'a')", true],
  ['self.list.map(i, i * 2) == [2, 4, 6]', true],
  ['has(self.tags.a) && !has(self.tags.b) && !has(self.tags.constructor)', true],
  ["self.nested.text == 'it\\'s'", true],
  ['self.missing == 1 || self.yes', true],
])('%s', (text, value) => {
  expect(evaluate(text)).toEqual(value);
});

test.each([
  ['self.missing', 'no such key: missing'],
  ['self.list[3]', 'index out of bounds: 3'],
  ['has(self.missing.field)', 'no such key: missing'],
  ['self.missing == 1 || !self.yes', 'no such key: missing'],
])('%s is an error', (text, message) => {
  expect(() => evaluate(text)).toThrow(message);
});

test.each(['self.', 'quantity("1Gi")', 'isURL(self.name)', '(self.n', 'has(self)', 'other == 1', String.raw`self.name.matches('^\\pL')`])(
  '%s is refused when it is compiled',
  (text) => {
    expect(() => compile(text)).toThrow(/^expected a CEL rule that the API server in memory knows, found /);
  },
);

test('every rule of our kinds is known', () => {
  const rules = resources.flatMap(({ rules: own = [] }) => own.flatMap(({ cel }) => cel ?? []));
  expect(rules.length).toBeGreaterThan(10);
  for (const rule of rules) expect(compile(rule)).toBeTypeOf('function');
});
