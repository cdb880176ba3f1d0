/** Values are compared with a real API server in test/cluster/crds.test.ts and test/api-server/suite/schemas.ts; here is what these leave out. */
import { expect, test } from 'vitest';
import { createSchemas } from '../../src/api-server/schema/index.ts';
import { matches } from '../../src/api-server/schema/pattern.ts';
import { gardens, plants } from './garden.ts';

const type = { group: 'test.sluice.dev', version: 'v1', kind: 'Garden', plural: 'gardens', namespaced: false };
const schemas = createSchemas([gardens]);
const garden = (spec: object) => ({ apiVersion: 'test.sluice.dev/v1', kind: 'Garden', metadata: { name: 'a' }, spec });

test('warnings name the unknown fields, unless they are not asked for', () => {
  const object = garden({ unheardOf: 1, deep: { above: 7 } });
  expect(schemas.read(type, object, 'Warn').warnings).toEqual(['unknown field "spec.deep.above"', 'unknown field "spec.unheardOf"']);
  expect(schemas.read(type, object, undefined).warnings).toHaveLength(2);
  expect(schemas.read(type, object, 'Ignore').warnings).toEqual([]);
});

test('nothing that is read changes what was sent', () => {
  for (const plant of plants) {
    const [object, before] = [garden(plant), JSON.stringify(garden(plant))];
    const { object: made } = schemas.read(type, object, 'Ignore');
    expect(JSON.stringify(object)).toBe(before);
    expect(schemas.read(type, made, 'Strict').object).toEqual(made);
  }
});

test('a kind without a definition passes as it is', () => {
  const other = { ...type, kind: 'Other' };
  expect(schemas.knows(other)).toBe(false);
  const object = garden({ anything: 1 });
  expect(schemas.read(other, object, 'Strict')).toEqual({ object, warnings: [] });
  expect(() => schemas.validate({ type: other, name: 'a' }, object)).not.toThrow();
});

test('a rule that cannot be read is refused with the definition', () => {
  const { versions } = gardens.spec;
  const withRule = (rule: string) => {
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-validations': [{ rule }] };
    return { ...gardens, spec: { ...gardens.spec, versions: [{ ...versions[0], schema: { openAPIV3Schema } }] } };
  };
  expect(() => createSchemas([withRule('quantity(self.a).isInteger()')])).toThrow('expected a CEL rule that');
  expect(() => createSchemas([withRule('self == oldSelf')])).toThrow('expected a rule without oldSelf');
});

test.each([
  ['^[a-z]+$', 'abc', true],
  ['^.$', '😀', true],
  ['^\\-a', '-a', true],
  ['(?i)^ABC$', 'abc', true],
  ['(?P<go>x)', 'anything', true],
  ['^a', 'b', false],
])('the pattern %s and %s: %s', (pattern, text, fits) => {
  expect(matches(pattern, text)).toBe(fits);
});
