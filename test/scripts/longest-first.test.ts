import { expect, test } from 'vitest';
import { mixed } from '../../scripts/longest-first.ts';

const order = (...files: readonly string[]) => mixed(files, (file) => ['A', 'B', 'C', 'D'].indexOf(file)).join('');

test('two long files begin, and short ones stand between the others', () =>
  expect(order(...'DabcdefCghijklBmnAo')).toBe('ABabcdeCfghijDklmno'));

test('no file is lost or doubled where there are few', () => {
  expect(order('a', 'A')).toBe('Aa');
  expect(order(...'aDCB')).toBe('BCaD');
  expect(order()).toBe('');
});
