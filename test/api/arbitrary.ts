import fc from 'fast-check';
import { structural } from '../../src/api/crd.ts';
import { type CustomResource, GROUP, type Structural, VERSION } from '../../src/api/resource.ts';

/** Objects that mostly fit a resource. `noise` is how many of a hundred places hold something else: null, a wrong type, an unknown field. */
export function objectOf(resource: CustomResource, noise = 0): fc.Arbitrary<Record<string, unknown>> {
  const spec = fittingOf(structural(resource.spec, 'spec'), noise, 0);
  const head = fc.record({
    apiVersion: fc.constant(`${GROUP}/${VERSION}`),
    kind: fc.constant(resource.kind),
    metadata: fc.record({ name: fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/) }),
  });
  // An absent spec is something that parse reads in its own way.
  return fc.tuple(head, spec).map(([fields, own]) => ({ ...fields, ...(resource.flat ? (own as object) : { spec: own }) }));
}

const junk = fc.constantFrom<unknown>(null, true, 0, 1.5, -1, '', 'x', '10Gi', [], [null], {}, { junk: 1 });

function valueOf(schema: Structural, noise: number, depth: number): fc.Arbitrary<unknown> {
  const fitting = fittingOf(schema, noise, depth);
  return noise === 0 ? fitting : fc.oneof({ weight: 100 - noise, arbitrary: fitting }, { weight: noise, arbitrary: junk });
}

function fittingOf(schema: Structural, noise: number, depth: number): fc.Arbitrary<unknown> {
  const { type, enum: values, pattern, format, minimum, minLength = 0, minItems = 0, items, additionalProperties } = schema;
  if (values) return fc.constantFrom(...values);
  if (schema['x-kubernetes-int-or-string'])
    return pattern ? fc.constantFrom<unknown>('1Gi', '500m', '1.5', 3) : fc.constantFrom<unknown>(80, 'http');
  if (pattern) return fc.constantFrom('1Gi,2Gi', '500M,1Gi,3');
  if (format === 'date-time') return fc.constant('2025-01-31T12:00:00Z');
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') return fc.integer({ min: minimum ?? -5, max: 100_000 });
  if (type === 'array') return listOf(schema, minItems, items ?? {}, noise, depth);
  if (additionalProperties)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), valueOf(additionalProperties, noise, depth + 1), { maxKeys: 3 });
  if (type === 'object') return structOf(schema, noise, depth);
  return fc.string({ minLength, maxLength: minLength + 8, unit: 'grapheme' });
}

function listOf(schema: Structural, minLength: number, items: Structural, noise: number, depth: number): fc.Arbitrary<unknown> {
  const item = valueOf(items, noise, depth + 1);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys && noise === 0)
    return fc.uniqueArray(item, { selector: (element) => (element as Record<string, unknown>)[keys[0] as string], maxLength: 3 });
  return fc.array(item, { minLength, maxLength: Math.max(minLength, 2) });
}

/** Each optional field is there one time in a few, more rarely the deeper it is, so that objects stay small. */
function structOf({ properties = {}, required = [] }: Structural, noise: number, depth: number): fc.Arbitrary<unknown> {
  const absent = Symbol('absent');
  const fields = Object.entries(properties).map(([name, child]) => {
    // Built when drawn: the whole tree has thousands of nodes.
    const value = fc.constant(null).chain(() => valueOf(child, noise, depth + 1));
    const present =
      required.includes(name) && noise === 0
        ? value
        : fc.oneof(
            { weight: 2 + depth * 3, arbitrary: fc.constant(absent) },
            { weight: required.includes(name) ? 40 : 3, arbitrary: value },
          );
    return [name, present] as const;
  });
  const extra =
    noise === 0
      ? fc.constant({})
      : fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constant({ unheardOf: { of: 1 } }) });
  return fc.tuple(fc.tuple(...fields.map(([, value]) => value)), extra).map(([values, more]) => {
    const pairs = fields.map(([name], index) => [name, values[index]] as const);
    return Object.assign(Object.fromEntries(pairs.filter(([, value]) => value !== absent)), more);
  });
}
