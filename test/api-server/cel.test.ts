/** What is expected is what the API server's own CEL says of these (github.com/google/cel-spec). */
import { expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { compile } from '../../src/api-server/schema/cel.ts';

const self = { name: 'äbc', list: [1, 2, 3], tags: { a: 'x' }, n: 2, yes: true, nested: { text: "it's" } };
const evaluate = (text: string) => compile(text)(new Map([['self', self]]));

test.each([
  ['size(self.name)', 3],
  ['self.list.size()', 3],
  ['self.list[1] == 2', true],
  ["self.tags['a'] + 'y'", 'xy'],
  ["self.name.startsWith('ä') && self.name.endsWith('c') && self.name.contains('b')", true],
  ["self.name.matches('b') && !self.name.matches('^b')", true],
  ['true || false && false', true],
  ['1 + 2 - 4 == -1', true],
  ['self.n < 3 && self.n >= 2 && self.n != 1', true],
  ['self.n > 1 ? "many" : "one"', 'many'],
  ['2 in self.list && !(4 in self.list)', true],
  ["'a' in self.tags", true],
  ['self.list.all(i, i > 0) && self.list.exists(i, i == 3) && !self.list.exists(i, i > 3)', true],
  ["self.tags.all(key, key == 'a')", true],
  ['[].all(i, false) && ![].exists(i, true)', true],
  ['has(self.tags.a) && !has(self.tags.b)', true],
  ["self.nested.text == 'it\\'s'", true],
  ['self.missing == 1 || self.yes', true],
  ['self.yes || self.missing == 1', true],
  ['!(self.missing == 1 && !self.yes)', true],
  ['null == null', true],
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

test.each([
  'self.',
  'self.list.map(i, i)',
  'quantity("1Gi")',
  '(self.n',
  'self.n self.n',
  'self.name.matches()',
  'has(self)',
  '"open',
  String.raw`self.name == "\u0041"`,
  String.raw`self.name == 'a\n'`,
  'a # b',
])('%s is refused when it is compiled', (text) => {
  expect(() => compile(text)).toThrow(/^expected a CEL rule of the part that the API server in memory knows, found /);
});

test('every rule of our kinds is known', () => {
  const rules = resources.flatMap(({ rules: own = [] }) => own.flatMap(({ cel }) => cel ?? []));
  expect(rules.length).toBeGreaterThan(10);
  for (const rule of rules) expect(compile(rule)).toBeTypeOf('function');
});
