import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { Manifest } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { differences, differencesIn } from '../../../src/planning/diff/compare.ts';
import { community } from '../../runtimes/juicefs/given.ts';
import { given } from '../../runtimes/thin/given.ts';
import example from '../../support/example-runtime/index.ts';
import { exampleInput } from '../../reconciler/worlds.ts';

type Fields = Record<string, unknown>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const manifests: readonly Manifest[] = [thin.bind(given()), juicefs.bind(community()), example.bind(exampleInput())].flatMap((bound) =>
  PRINT_ORDER.flatMap((part) => bound.synth(part)),
);
const manifest = fc.constantFrom(...manifests);
const KEYED = new Set(['containers', 'env', 'ports', 'volumes', 'volumeMounts', 'imagePullSecrets', 'ownerReferences']);

/** Every value that is neither a map nor a list, by its way there. */
function leaves(value: unknown, way: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.flatMap((entry, i) => leaves(entry, [...way, i]));
  return isMap(value) ? Object.entries(value).flatMap(([key, entry]) => leaves(entry, [...way, key])) : [way];
}
/** A copy with something else at one place. */
function changed(value: unknown, [key, ...way]: readonly (string | number)[], change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return value.map((entry, i) => (i === key ? changed(entry, way, change) : entry));
  return { ...(value as Fields), [key]: changed((value as Fields)[key], way, change) };
}
/** As it comes back: defaults in every map, other orders, empty things left out. */
function returned(value: unknown, random: () => number, field = ''): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => returned(entry, random));
    return KEYED.has(field) ? entries.toSorted(() => random() - 0.5) : entries;
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value)
    .filter(([, entry]) => !['', false, 0].includes(entry as string) || random() < 0.5)
    .map(([key, entry]) => [key, returned(entry, random, key)]);
  return {
    ...Object.fromEntries(entries.toSorted(() => random() - 0.5)),
    ...(random() < 0.5 && { terminationMessagePath: '/dev/termination-log' }),
  };
}

describe('an object that comes back from the API server', () => {
  test('is as it should be, whatever was filled in, left out or put in another order', () =>
    fc.assert(
      fc.property(manifest, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (desired, stream) => {
        expect(differences(desired, returned(desired, () => stream.next().value as number) as object)).toEqual([]);
      }),
      { numRuns: 200 },
    ));
  test('with any leaf changed is found out, and the leaf is named', () =>
    fc.assert(
      fc.property(
        manifest.chain((desired) => fc.record({ desired: fc.constant(desired), way: fc.constantFrom(...leaves(desired)) })),
        ({ desired, way }) => {
          const live = changed(desired, way, (old) =>
            typeof old === 'string' ? `${old}!` : typeof old === 'number' ? old + 1 : !old,
          ) as object;
          expect(differences(desired, live)).toHaveLength(1);
        },
      ),
      { numRuns: 500 },
    ));
  test('with any leaf gone is found out, unless it said nothing', () =>
    fc.assert(
      fc.property(
        manifest.chain((desired) => fc.record({ desired: fc.constant(desired), way: fc.constantFrom(...leaves(desired)) })),
        ({ desired, way }) => {
          let isZero = false;
          const live = changed(desired, way, (old) => {
            isZero = ['', false, 0].includes(old as string);
            return undefined;
          }) as object;
          expect(differences(desired, live)).toHaveLength(isZero ? 0 : 1);
        },
      ),
      { numRuns: 500 },
    ));
});

describe('a list', () => {
  test('that is merged by key may have entries of others', () =>
    expect(differences({ env: [{ name: 'A', value: '1' }] }, { env: [{ name: 'B' }, { name: 'A', value: '1' }] })).toEqual([]));
  test('that is merged by key misses an entry', () =>
    expect(differences({ env: [{ name: 'A', value: '1' }] }, { env: [{ name: 'B' }] })).toEqual(['env[A]']));
  test('of ports compares them by number and protocol', () => {
    const tcp = { containerPort: 80, protocol: 'TCP' };
    expect(differences({ ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: 'UDP' }, tcp] })).toEqual([]);
    expect(differences({ ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: 'UDP' }] })).toEqual([
      'ports[80//TCP]',
    ]);
  });
  test('of any other kind is compared in order', () =>
    expect(differences({ args: ['a', 'b'] }, { args: ['b', 'a'] })).toEqual(['args[0]', 'args[1]']));
  test('with one more entry is another list', () => expect(differences({ args: ['a'] }, { args: ['a', 'b'] })).toEqual(['args']));
  test('of finalizers is a set', () => {
    expect(differences({ finalizers: ['a'] }, { finalizers: ['b', 'a'] })).toEqual([]);
    expect(differences({ finalizers: ['a'] }, { finalizers: ['b'] })).toEqual(['finalizers']);
  });
  test('that is empty may be absent', () => expect(differences({ args: [] }, {})).toEqual([]));
  test('that is empty is not one with entries', () => expect(differences({ args: [] }, { args: ['a'] })).toEqual(['args']));
});

describe('what says nothing', () => {
  test.each([[{}], [{ limits: {} }], [[]], [''], [0], [false], [null]])('%j may be absent', (value) =>
    expect(differences({ a: value }, {})).toEqual([]),
  );
  test.each([[''], [0], [false]])('%j is not something', (value) => expect(differences({ a: value }, { a: 'b' })).toEqual(['a']));
  test('but not an emptyDir, which says that there is no other volume', () =>
    expect(differences({ volumes: [{ name: 'v', emptyDir: {} }] }, { volumes: [{ name: 'v', hostPath: { path: '/' } }] })).toEqual([
      'volumes[v].emptyDir',
    ]));
});

test('a map is not text', () => expect(differences({ a: { b: 1 } }, { a: 'b' })).toEqual(['a']));
test('both values come with a difference, also under keys with dots', () =>
  expect(differencesIn({ nodeSelector: { 'kubernetes.io/os': 'linux' } }, { nodeSelector: { 'kubernetes.io/os': 'windows' } })).toEqual([
    { path: 'nodeSelector.kubernetes.io/os', desired: 'linux', live: 'windows' },
  ]));
