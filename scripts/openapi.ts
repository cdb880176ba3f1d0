/** From the API server's OpenAPI document to the few structural schemas that our CRDs embed. */

/** The types that runtimes embed, by name; types that they refer to follow. */
const ROOTS = [
  'Affinity',
  'ContainerPort',
  'EnvVar',
  'Lifecycle',
  'LocalObjectReference',
  'NodeAffinity',
  'NodeSelector',
  'PersistentVolumeClaim',
  'PodSecurityContext',
  'PodSpec',
  'Probe',
  'ResourceRequirements',
  'SecurityContext',
  'Toleration',
  'Volume',
  'VolumeMount',
];

/** Defaults that Fluid's CRDs have. The document has many more (`""` for required names), which would change what users wrote. */
const DEFAULTS = new Set(['ContainerPort.protocol', 'GRPCAction.service']);
/** Likewise for lists with keys: every other one is atomic. */
const KEYED_LISTS = new Set([
  'Container.ports',
  'EphemeralContainer.ports',
  'PodSpec.resourceClaims',
  'PodSpec.schedulingGates',
  'PodSpec.topologySpreadConstraints',
  'ResourceRequirements.claims',
]);
/** Fluid's generator calls these atomic because they inline a reference. */
const ATOMIC = new Set(['ConfigMapEnvSource', 'ConfigMapProjection', 'ConfigMapVolumeSource', 'SecretEnvSource', 'SecretProjection']);
/** Fluid's CRDs do not require the fields that these require, so that objects exist without them. */
const RELAXED = new Set(['HostAlias']);

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: Json;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly [extension: `x-kubernetes-${string}`]: Json;
}
/** The part of the document that matters, under short names. */
export interface Excerpt {
  readonly kubernetes: string;
  readonly schemas: Readonly<Record<string, Schema>>;
}

const shortName = (ref: string): string => ref.split('.').at(-1) as string;
const quantity = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`;
const intOrString = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };

/** Types that a CRD writes in its own way. Metadata inside a spec is not looked into, as in Fluid. */
const SPECIAL: Readonly<Record<string, unknown>> = {
  Quantity: { ...intOrString, pattern: quantity },
  IntOrString: intOrString,
  ObjectMeta: { type: 'object' },
  Time: { type: 'string', format: 'date-time' },
};

export function excerpt(document: unknown, kubernetes: string): Excerpt {
  const { schemas } = (document as { components: { schemas: Record<string, Schema> } }).components;
  const byShortName = new Map(Object.entries(schemas).map(([name, schema]) => [shortName(name), schema]));
  const kept: Record<string, Schema> = {};
  const visit = (name: string): void => {
    if (name in kept || name in SPECIAL) return;
    const schema = byShortName.get(name);
    if (!schema) throw new Error(`the OpenAPI document has no ${name}`);
    kept[name] = slim(schema, name);
    for (const ref of refsOf(kept[name])) visit(ref);
  };
  ROOTS.forEach(visit);
  return { kubernetes, schemas: Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The same schema in the words of a CRD: no descriptions, no enums or defaults that Fluid lacks, `$ref` by short name. */
function slim(schema: Schema, path: string): Schema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref) return { $ref: shortName(ref) };
  const { type, format, required, properties, items, additionalProperties } = schema;
  const keyed = KEYED_LISTS.has(path);
  return {
    ...(type && { type }),
    ...(format && { format }),
    ...(DEFAULTS.has(path) && schema.default !== undefined && { default: schema.default }),
    ...(required && !RELAXED.has(path) && { required }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, slim(value, `${path}.${key}`)])),
    }),
    ...(items && { items: slim(items, `${path}[]`) }),
    ...(additionalProperties && { additionalProperties: slim(additionalProperties, `${path}{}`) }),
    ...(ATOMIC.has(path) && { 'x-kubernetes-map-type': 'atomic' }),
    ...pick(schema, ['x-kubernetes-map-type', ...(keyed ? ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys'] : [])]),
  };
}

const pick = (schema: Schema, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));

function refsOf(schema: Schema): readonly string[] {
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return [...(schema.$ref ? [schema.$ref] : []), ...inner.flatMap((child) => (child ? refsOf(child) : []))];
}

/** TypeScript in which each type is a constant that names those it is made of, so that every one is written once. */
export function moduleOf({ kubernetes, schemas }: Excerpt): string {
  const done = new Set<string>();
  const lines: string[] = [];
  const visit = (name: string): void => {
    if (done.has(name)) return;
    done.add(name);
    const schema = schemas[name];
    if (schema) refsOf(schema).forEach(visit);
    const open = ROOTS.includes(name) || name === 'Quantity' || name === 'IntOrString' ? 'export ' : '';
    lines.push('', `${open}const ${name}: Structural = ${code(SPECIAL[name] ?? schema, 0)};`);
  };
  ROOTS.forEach(visit);
  return [
    `// Generated by \`npm run gen\` from the OpenAPI document of Kubernetes ${kubernetes}; do not edit.`,
    "import type { Structural } from './resource.ts';",
    ...lines,
    '',
  ].join('\n');
}

/** A value as source text, one property of a struct a line. */
function code(value: unknown, depth: number): string {
  if (Array.isArray(value)) return `[${value.map((item) => code(item, depth)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return quoted(value);
  if ('$ref' in value) return String(value.$ref);
  const pairs = Object.entries(value).map(([key, item]) => `${/^\w+$/.test(key) ? key : `'${key}'`}: ${code(item, depth + 1)}`);
  if (depth > 2 || !('properties' in value || depth === 1)) return `{ ${pairs.join(', ')} }`;
  const indent = '  '.repeat(depth + 1);
  return `{\n${pairs.map((pair) => `${indent}${pair},\n`).join('')}${'  '.repeat(depth)}}`;
}

const quoted = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);
