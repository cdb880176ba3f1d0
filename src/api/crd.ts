import type { TSchema } from 'typebox';
import { type CustomResource, GROUP, type Manifest, type Structural, VERSION } from './resource.ts';

/**
 * The CustomResourceDefinition of a kind, as the API server accepts it.
 * @throws Error when a schema has no structural form, which the API server demands: an intersection, a union of objects.
 * @example
 * crdOf(Dataset).metadata.name; // → 'datasets.data.fluid.io'
 */
export function crdOf(resource: CustomResource): Manifest {
  const { kind, plural, namespaced, columns, scale, statusSubresource } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: resource.singular ?? kind.toLowerCase(),
        ...(resource.shortNames && { shortNames: resource.shortNames }),
        ...(resource.categories && { categories: resource.categories }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          ...(columns && { additionalPrinterColumns: columns }),
          schema: { openAPIV3Schema: schemaOf(resource) },
          ...((statusSubresource || scale) && {
            subresources: {
              ...(statusSubresource && { status: {} }),
              ...(scale && {
                scale: {
                  specReplicasPath: `.${scale.wanted ?? 'spec.replicas'}`,
                  statusReplicasPath: `.${scale.existing ?? 'status.currentWorkerNumberScheduled'}`,
                  ...(scale.selector && { labelSelectorPath: '.status.selector' }),
                },
              }),
            },
          }),
        },
      ],
    },
  };
}

/** The structural schema of a whole object. */
export function schemaOf({ description, spec, status, flat, rules = [] }: CustomResource): Structural {
  const own = structural(spec, 'spec');
  const validations = rules.flatMap(({ cel, path, expected }) => (cel ? [{ rule: cel, message: `${path}: expected ${expected}` }] : []));
  return {
    type: 'object',
    description,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...(flat ? own.properties : { spec: own, status: structural(status, 'status') }),
    },
    ...(flat && own.required && { required: own.required }),
    ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
  };
}

/** Keywords that mean the same in both. */
const SHARED = new Set([
  'type',
  'description',
  'format',
  'default',
  'nullable',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'required',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
]);

interface Loose extends Record<string, unknown> {
  readonly properties?: Readonly<Record<string, Loose>>;
  readonly patternProperties?: Readonly<Record<string, Loose>>;
  readonly additionalProperties?: Loose;
  readonly items?: Loose;
  readonly anyOf?: readonly Loose[];
  readonly allOf?: readonly Loose[];
}

/** A schema as TypeBox prints it, rewritten as a CRD may hold it. Throws on what has no structural form; `path` says where. */
export function structural(schema: TSchema, path: string): Structural {
  return rewrite(schema as Loose, path) as Structural;
}

function rewrite(schema: Loose, path: string): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SHARED.has(keyword)) out[keyword] = value;
    else if (keyword === 'const') Object.assign(out, { enum: [value] });
    else if (keyword === 'properties' && Object.keys(schema.properties ?? {}).length === 0) continue;
    else if (keyword === 'properties') out['properties'] = each(schema.properties ?? {}, (child, key) => rewrite(child, `${path}.${key}`));
    else if (keyword === 'items') out['items'] = rewrite(schema.items ?? {}, `${path}[]`);
    else if (keyword === 'patternProperties') out['additionalProperties'] = rewrite(anyKey(schema, path), `${path}{}`);
    else if (keyword === 'additionalProperties' && typeof value === 'object')
      out['additionalProperties'] = rewrite(schema.additionalProperties ?? {}, `${path}{}`);
    else if (keyword === 'allOf') Object.assign(out, rewrite(only(schema.allOf ?? [], path), path));
    else if (keyword === 'anyOf') Object.assign(out, union(schema, path));
    else throw new Error(`${path}: ${keyword} has no structural form`);
  }
  if (out['enum'] && !out['type']) out['type'] = typeOfAll(out['enum'] as readonly unknown[], path);
  // A value of any kind. The API server wants it said.
  if (!out['type'] && !out['x-kubernetes-int-or-string']) out['x-kubernetes-preserve-unknown-fields'] = true;
  return out;
}

const each = <T, U>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

/** A Record with string keys says so by the pattern that fits every key; the API server knows no other. */
function anyKey({ patternProperties = {} }: Loose, path: string): Loose {
  const entries = Object.entries(patternProperties);
  if (entries.length !== 1 || entries[0]?.[0] !== '^.*$') throw new Error(`${path}: only Record(String, …) has a structural form`);
  return entries[0][1];
}

function only(schemas: readonly Loose[], path: string): Loose {
  if (schemas.length !== 1 || !schemas[0])
    throw new Error(`${path}: an intersection has no structural form; spread the fields into one object`);
  return schemas[0];
}

/** Unions of constants (an enum), of a schema and null (nullable), and of integer and string have a structural form. */
function union(schema: Loose, path: string): Record<string, unknown> {
  const parts = schema.anyOf ?? [];
  if (schema['x-kubernetes-int-or-string']) return { anyOf: parts };
  const rest = parts.filter((part) => part['type'] !== 'null');
  if (rest.length < parts.length) return { ...rewrite(rest.length === 1 ? (rest[0] as Loose) : { anyOf: rest }, path), nullable: true };
  if (parts.every((part) => 'const' in part)) return { enum: parts.map((part) => part['const']) };
  const types = parts.map((part) => part['type']);
  if (types.length === 2 && types.includes('integer') && types.includes('string')) {
    return { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
  }
  throw new Error(`${path}: this union has no structural form`);
}

function typeOfAll(values: readonly unknown[], path: string): string {
  const types = new Set(values.map((value) => typeof value));
  if (types.size !== 1) throw new Error(`${path}: an enum of several types has no structural form`);
  return [...types][0] as string;
}
