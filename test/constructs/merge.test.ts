import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EnvVar } from '../../src/api/index.ts';
import { byKey, entangledVariables, overlaid, overlaidResources, variablesByName } from '../../src/constructs/merge.ts';

const name = ({ name: key }: { readonly name: string }) => key;

/** `A=1 B=$(A)` as a list of variables; `A=` without a value is from a Secret. */
const variables = (text: string): EnvVar[] =>
  text.split(' ').map((each) => {
    const [key = '', value = ''] = each.split('=');
    return value === '' ? { name: key, valueFrom: { secretKeyRef: { name: 's', key } } } : { name: key, value };
  });
const written = (list: readonly EnvVar[] = []) => list.map(({ name: key, value = '' }) => `${key}=${value}`).join(' ');

describe('variables of one name', () => {
  test.each([
    ['are one, with the last value in the first place', 'A=1 B=$(A) A=2', 'A=2 B=$(A)'],
    ['stay behind a variable between that the last value refers to', 'A=1 B=2 C=3 A=$(B)', 'B=2 C=3 A=$(B)'],
    ['go first if their value refers to one before them', 'B=1 A=1 C=$(A) A=$(B)', 'B=1 A=$(B) C=$(A)'],
    ['contain their own value before', 'P=/bin P=$(P):/x P=/y:$(P)', 'P=/y:/bin:/x'],
    ['contain no value for an escaped name', 'P=1 P=$$(P)', 'P=$$(P)'],
    ['may be all of one list', 'A=1 A=2 A=3', 'A=3'],
    ['may wait for others that wait', 'A=1 B=1 C=1 B=$(C) A=$(B)', 'C=1 B=$(C) A=$(B)'],
  ])('%s: %s', (_, given, expected) => expect(written(variablesByName(variables(given)))).toBe(expected));

  test('grow no longer than any program takes, however often they contain themselves', () => {
    const doubled = [{ name: 'A', value: 'x' }, ...Array.from({ length: 60 }, () => ({ name: 'A', value: '$(A)$(A)' }))];
    expect(variablesByName(doubled)?.[0]?.value?.length).toBeLessThan(100_000);
    expect(entangledVariables(doubled)).toEqual(['A']);
  });

  test('are placed in an instant, however often one with many references repeats', () => {
    // As many entries and characters as a list may have.
    const long = { name: 'A', value: '$(Y)'.repeat(32_768) };
    const list = [{ name: 'Y', value: '1' }, ...Array.from({ length: 2046 }, () => ({ name: 'A', value: '' })), long];
    const began = performance.now();
    expect(variablesByName(list)).toEqual([list[0], long]);
    expect(performance.now() - began).toBeLessThan(500);
  });

  test.each([
    ['A=1 B=$(A) A=2', []],
    ['A= A=x$(A)', ['A']],
    ['A=1 B=$(A) A=$(B)', ['A']],
    ['B=$(A) A=1 A=2', []],
    ['A=1 B=$(A)', []],
  ])('of %s, those with a reference that nothing replaces are %j', (given, expected) =>
    expect(entangledVariables(variables(given))).toEqual(expected),
  );

  /** `A→B` for a value of A that refers to B before there is one: the kubelet leaves it as it is. */
  const dangling = (list: readonly EnvVar[]) => {
    const known = new Set<string>();
    return list.flatMap(({ name: key, value = '' }) => {
      const found = [...value.matchAll(/\$\$|\$\(([^()]*)\)/g)].flatMap(([, to]) =>
        to === undefined || known.has(to) ? [] : [`${key}→${to}`],
      );
      known.add(key);
      return found;
    });
  };
  const someName = fc.constantFrom('A', 'B', 'C', 'D');
  const someValue = fc.array(
    fc.oneof(
      fc.constantFrom('', 'x', '$$', '$$(A)', '$('),
      someName.map((to) => `$(${to})`),
    ),
    { maxLength: 3 },
  );
  const someVariable = fc.record({ name: someName, value: someValue.map((parts) => parts.join('') || 'v') });
  test('never leave a reference as it is that Kubernetes replaces in the list of both, unless it is said', () =>
    fc.assert(
      fc.property(fc.array(someVariable, { minLength: 1, maxLength: 8 }), (list) => {
        const merged = variablesByName(list) ?? [];
        expect(merged.map(name).toSorted()).toEqual([...new Set(list.map(name))].toSorted());
        if (entangledVariables(list).length === 0) expect(dangling(list)).toEqual(expect.arrayContaining(dangling(merged)));
      }),
      { numRuns: 2000 },
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

test('the first of a key wins where the server keeps one', () =>
  expect(
    byKey(
      ({ a }) => a,
      [
        { a: 1, b: 1 },
        { a: 2, b: 2 },
        { a: 1, b: 3 },
      ],
      'first',
    ),
  ).toEqual([
    { a: 1, b: 1 },
    { a: 2, b: 2 },
  ]));
test.each([undefined, []])('of %j nothing is left, as the API server drops empty lists', (list) => {
  expect(byKey(name, list, 'first')).toBeUndefined();
  expect(variablesByName(list)).toBeUndefined();
});

describe('of a class and a runtime', () => {
  test('an entry of the runtime takes the place of one with its key, and the others follow', () =>
    expect(
      overlaid(
        name,
        [
          { name: 'a', of: 'class' },
          { name: 'b', of: 'class' },
        ],
        [
          { name: 'c', of: 'runtime' },
          { name: 'a', of: 'runtime' },
        ],
      ),
    ).toEqual([
      { name: 'a', of: 'runtime' },
      { name: 'b', of: 'class' },
      { name: 'c', of: 'runtime' },
    ]));
  test('limits and requests are taken by name, each from the runtime first', () =>
    expect(overlaidResources({ limits: { cpu: '1', memory: '1Gi' } }, { limits: { cpu: '2' }, requests: { cpu: '1' } })).toEqual({
      limits: { cpu: '2', memory: '1Gi' },
      requests: { cpu: '1' },
    }));
});
