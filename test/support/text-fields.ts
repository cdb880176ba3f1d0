import type { Structural } from '../../src/api/resource.ts';

/** A place for a text in an object: a field, an element of a list, a value of a map, or its key. */
export interface TextField {
  readonly path: readonly (string | number)[];
  readonly isKey?: true;
  /** Schemas of the same path. */
  readonly schemas: readonly Structural[];
}

/** Kubernetes' types nest without end: a PodSpec has containers with probes with ports. */
const DEEPEST = 9;

/** Every place for a text that a schema has. Lists and maps have one entry. */
export function textFields(
  schema: Structural,
  path: readonly (string | number)[] = [],
  above: readonly Structural[] = [],
): readonly TextField[] {
  const schemas = [...above, schema];
  if (path.length > DEEPEST || schema.enum) return [];
  const { properties = {}, additionalProperties, items } = schema;
  const isText = schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  return [
    ...(isText ? [{ path, schemas }] : []),
    ...Object.entries(properties).flatMap(([name, child]) => textFields(child, [...path, name], schemas)),
    ...(items ? textFields(items, [...path, 0], schemas) : []),
    ...(additionalProperties
      ? [
          { path: [...path, KEY], isKey: true as const, schemas: [...schemas, additionalProperties] },
          ...textFields(additionalProperties, [...path, KEY], schemas),
        ]
      : []),
  ];
}
const KEY = 'key';

/** The object with this text in this place, and with what the schema requires beside it. */
export function withText<T>(object: T, { path, schemas, isKey }: TextField, text: string): T {
  const [step, ...rest] = path;
  // The casts: by the schema it is such an object.
  if (step === undefined) return text as T;
  const inner = { path: rest, schemas: schemas.slice(1), ...(isKey && { isKey }) };
  if (isKey && rest.length === 0) return { ...object, [text]: sample(schemas[1] ?? {}) } as T;
  if (typeof step === 'number') {
    const [first, ...others] = (object ?? []) as readonly unknown[];
    return [withText(first ?? sample(schemas[1] ?? {}), inner, text), ...others] as T;
  }
  const before = (object ?? sample(schemas[0] ?? {})) as Readonly<Record<string, unknown>>;
  return { ...before, [step]: withText(before[step], inner, text) } as T;
}

/** The least that the schema allows. */
function sample(schema: Structural): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  if (schema.type !== 'object') return 'a';
  const { required = [], properties = {} } = schema;
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]));
}
