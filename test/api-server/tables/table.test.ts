/** Objects that a real API server never has; test/cluster/tables.test.ts compares the rest with a real one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PrinterColumn } from '../../../src/api-server/definition.ts';
import { tableOf } from '../../../src/api-server/wire/table/index.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { gadget, gadgetColumns, Gadget } from './gadgets.ts';
import { given, types } from './given.ts';

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}
const HOW = { now: Date.parse('2026-01-01T00:00:00Z'), includeObject: 'None' } as const;
// The cast: what tableOf returns is checked below.
const table = (type: ResourceType, object: KubeObject, columns?: readonly PrinterColumn[]) =>
  tableOf(type, [object], { ...HOW, ...(columns && { columns }) }) as Table;

/** A value in which some fields have another shape. */
const damaged = (value: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: intact(value) },
    { weight: 1, arbitrary: fc.constantFrom(null, 7, -1.5, 'text', true, [], [null], {}, { name: [] }, [[1]]) },
  );
function intact(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.tuple(...value.map(damaged));
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  return fc.record(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, damaged(inner)])));
}

describe('an object that no schema has checked has a row with a cell for each column', () => {
  const all = given('default').map(
    ({ type, object, status }) => [`${type.kind} ${object.metadata.name}`, type, { ...object, status }] as const,
  );
  test.each(all)('%s', (_, type, { apiVersion, kind, metadata, ...fields }) => {
    fc.assert(
      fc.property(intact(fields), (some) => {
        // The cast: that it may have any shape is the point.
        const { columnDefinitions, rows } = table(type, { apiVersion, kind, metadata, ...(some as object) });
        expect(rows[0]?.cells).toHaveLength(columnDefinitions.length);
        for (const cell of rows[0]?.cells ?? []) expect(['string', 'number', 'boolean']).toContain(typeof cell);
      }),
      { numRuns: 30 },
    );
  });

  test.each(Object.entries(gadgetColumns))('a custom resource with the columns %s', (_, columns) => {
    const { apiVersion, kind, metadata, ...fields } = gadget(Gadget, 'default');
    fc.assert(
      fc.property(intact(fields), (some) => {
        const { columnDefinitions, rows } = table(Gadget, { apiVersion, kind, metadata, ...(some as object) }, columns);
        expect(rows[0]?.cells).toHaveLength(columnDefinitions.length);
      }),
      { numRuns: 100 },
    );
  });
});

test('any text is a path, or is none', () => {
  const parts = [
    '.',
    '..',
    '[',
    ']',
    '*',
    ':',
    ',',
    "'",
    '"',
    '\\',
    '?(',
    '(@',
    '@',
    ')',
    '==',
    '<',
    'a',
    'true',
    '0',
    '-1',
    ' ',
    '{',
    '}',
  ];
  const path = fc
    .array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 })), { maxLength: 12 })
    .map((all) => `.${all.join('')}`);
  fc.assert(
    fc.property(path, (jsonPath) => {
      const { columnDefinitions, rows } = table(Gadget, gadget(Gadget, 'default'), [{ name: 'A', type: 'string', jsonPath }]);
      expect(rows[0]?.cells).toHaveLength(columnDefinitions.length);
    }),
    { numRuns: 2000 },
  );
});

test('a path that finds more than a cell needs finds nothing', () => {
  const deep = Array.from({ length: 200 }).reduce<object>((inner) => ({ inner, other: { a: 1 } }), { a: 1 });
  const object = { ...gadget(Gadget, 'default'), spec: deep };
  const jsonPath = '.spec..inner..inner..inner..a';
  expect(table(Gadget, object, [{ name: 'A', type: 'string', jsonPath }]).rows[0]?.cells).toEqual(['one', null]);
});

test('after the first event of a watch, a table does not repeat its columns', () => {
  expect(tableOf(types.Namespace, [], { ...HOW, headers: false })).toMatchObject({ columnDefinitions: null, rows: [] });
});
