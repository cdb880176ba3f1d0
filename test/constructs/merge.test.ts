import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byKey } from '../../src/constructs/merge.ts';

const name = ({ name: key }: { readonly name: string }) => key;

describe('the later one wins', () => {
  const merge = (...list: { name: string; value: string }[]) => byKey(name, list, 'later');
  test('and has the last one’s place, as variables refer to those before them', () =>
    expect(merge({ name: 'A', value: '1' }, { name: 'B', value: '$(A)' }, { name: 'A', value: '2' })).toEqual([
      { name: 'B', value: '$(A)' },
      { name: 'A', value: '2' },
    ]));
  test('so that no key repeats, and each has its last value', () =>
    fc.assert(
      fc.property(fc.array(fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: fc.string() }), { minLength: 1 }), (list) => {
        const merged = merge(...list) ?? [];
        expect(new Set(merged.map(name)).size).toBe(merged.length);
        expect(Object.fromEntries(merged.map((entry) => [entry.name, entry.value]))).toEqual(
          Object.fromEntries(list.map((entry) => [entry.name, entry.value])),
        );
      }),
    ));
});

describe('equal ones collapse', () => {
  const merge = (...list: { name: string }[]) => byKey(name, list, 'equal', 'spec.volumes');
  test('at the place of the first', () =>
    expect(merge({ name: 'a' }, { name: 'b' }, { name: 'a' })).toEqual([{ name: 'a' }, { name: 'b' }]));
  test('in whatever order their fields were written', () =>
    expect(
      merge(
        { name: 'a', hostPath: { path: '/a', type: '' } } as { name: string },
        { hostPath: { type: '', path: '/a' }, name: 'a' } as { name: string },
      ),
    ).toHaveLength(1));
  test('and two that differ are refused, with both', () =>
    expect(() => merge({ name: 'a', emptyDir: {} } as { name: string }, { name: 'a' })).toThrow(
      'spec.volumes[a]: expected one entry for each key, found {"name":"a","emptyDir":{}} and {"name":"a"}',
    ));
  test('but not lists in another order', () =>
    expect(() => merge({ name: 'a', items: [1, 2] } as { name: string }, { name: 'a', items: [2, 1] } as { name: string })).toThrow());
});

test.each([undefined, []])('of %j nothing is left, as the API server drops empty lists', (list) =>
  expect(byKey(name, list, 'later')).toBeUndefined(),
);
