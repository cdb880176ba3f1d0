import { expect, test } from 'vitest';
import { parseSelector } from '../../src/kube/selector.ts';

const labels = { a: 'b', zone: 'eu', empty: '', 'kubernetes.io/os': 'linux' };

test.each<[string, boolean]>([
  ['', true],
  ['a=b', true],
  ['a==b', true],
  ['a = b', true],
  ['a=c', false],
  ['missing=b', false],
  ['a!=c', true],
  ['a!=b', false],
  ['missing!=b', true],
  ['a', true],
  ['missing', false],
  ['!missing', true],
  ['!a', false],
  ['empty=', true],
  ['a=', false],
  ['zone in (us,eu)', true],
  ['zone in ( us , eu )', true],
  ['zone in (us)', false],
  ['missing in (us)', false],
  ['zone notin (us)', true],
  ['zone notin (us,eu)', false],
  ['missing notin (us)', true],
  ['a=b,zone in (us,eu),!missing', true],
  ['a=b,zone in (us),!missing', false],
  ['kubernetes.io/os=linux', true],
])('%s selects: %s', (text, selected) => expect(parseSelector(text)(labels)).toBe(selected));

test.each(['a=b=c', 'in (x)', 'a in x', 'a in (x', '=b', 'a b', '!'])('%j cannot be read, and the part is named', (text) =>
  expect(() => parseSelector(text)).toThrow(/expected a label selector/),
);
test('only the part that cannot be read is named', () => expect(() => parseSelector('a=b,c d')).toThrow('"c d"'));
