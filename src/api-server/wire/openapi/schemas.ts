/** The schemas that a document holds, by their published names; rule: apiextensions-apiserver's controller/openapi/builder. */
import { apiVersionOf, type ResourceType } from '../../../kube/types.ts';
import { isMap, type Json, type JsonMap } from '../../json.ts';
import type { StructuralSchema } from '../../schema/structural.ts';
import { KUBERNETES_SCHEMAS } from './kubernetes.gen.ts';

/** Schemas by name, as a document's components or definitions. */
export type NamedSchemas = ReadonlyMap<string, JsonMap>;

/** Where a document's references lead: version 3 and version 2 differ. */
export type RefPrefix = '#/components/schemas/' | '#/definitions/';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const TYPE_META = {
  apiVersion: {
    description:
      'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
    type: 'string',
  },
  kind: {
    description:
      'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
    type: 'string',
  },
};
const METADATA =
  "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

let builtIn: { readonly schemas: NamedSchemas; readonly names: ReadonlyMap<string, string> } | undefined;
/** Parsed when somebody asks first. References go by the last part of a name. */
function kubernetes() {
  if (!builtIn) {
    const schemas = new Map(Object.entries(JSON.parse(KUBERNETES_SCHEMAS) as Record<string, JsonMap>));
    builtIn = { schemas, names: new Map([...schemas.keys()].map((name) => [name.split('.').at(-1) ?? '', name])) };
  }
  return builtIn;
}

/** A schema of a kind of Kubernetes, or of a part of one: by its published name or the last part of it. References are such last parts. */
export function kubernetesSchema(name: string): JsonMap | undefined {
  const { schemas, names } = kubernetes();
  return schemas.get(name) ?? schemas.get(names.get(name) ?? '');
}

const gvkOf = ({ group, version, kind }: ResourceType) => ({ group, version, kind });

/** The published name of a kind. */
export function schemaName({ group, version, kind }: ResourceType): string {
  const known = [...kubernetes().schemas].find(([, schema]) => {
    const [gvk] = (schema['x-kubernetes-group-version-kind'] ?? []) as unknown as readonly { group: string; kind: string }[];
    return gvk?.group === group && gvk.kind === kind;
  });
  return known?.[0] ?? [...group.split('.').toReversed(), version, kind].join('.');
}

/**
 * The schemas of kinds, and those that they refer to.
 * @param own schema of a custom resource; a kind of Kubernetes has none
 */
export function namedSchemas(
  types: readonly ResourceType[],
  own: (type: ResourceType) => StructuralSchema | undefined,
  prefix: RefPrefix,
): NamedSchemas {
  const found = new Map<string, JsonMap>();
  const visit = (name: string): void => {
    const schema = kubernetes().schemas.get(name);
    if (!schema || found.has(name)) return;
    found.set(name, {});
    found.set(name, linked(withTypeMeta(schema), prefix, visit) as JsonMap);
  };
  visit(`${META}.ObjectMeta`);
  for (const type of types) {
    const name = schemaName(type);
    visit(name);
    const base = (own(type) ?? found.get(name) ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) as JsonMap;
    found.set(name, kindSchema(type, base, prefix));
  }
  return found;
}

function kindSchema(type: ResourceType, schema: JsonMap, prefix: RefPrefix): JsonMap {
  const metadata = { description: METADATA, allOf: [{ $ref: `${prefix}${META}.ObjectMeta` }] };
  return {
    ...schema,
    properties: { ...(schema['properties'] as JsonMap | undefined), ...TYPE_META, metadata },
    'x-kubernetes-group-version-kind': [gvkOf(type)],
  };
}

/** Objects inside of others, such as claims of a StatefulSet, are kinds too. */
const withTypeMeta = (schema: JsonMap): JsonMap =>
  schema['x-kubernetes-group-version-kind']
    ? { ...schema, properties: { ...TYPE_META, ...(schema['properties'] as JsonMap | undefined) } }
    : schema;

/** With references as a document writes them: one with a description of its own is an allOf of one. */
function linked(value: Json, prefix: RefPrefix, visit: (name: string) => void): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => linked(each, prefix, visit));
  if (!isMap(value)) return value;
  const { $ref, ...rest } = value;
  const fields = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, linked(each, prefix, visit)]));
  if (typeof $ref !== 'string') return fields;
  const name = kubernetes().names.get($ref) ?? $ref;
  visit(name);
  const reference = { $ref: `${prefix}${name}` };
  return Object.keys(fields).length === 0 ? reference : { ...fields, allOf: [reference] };
}

/** The path of a group version among documents. */
export const documentPath = (type: Pick<ResourceType, 'group' | 'version'>): string =>
  type.group === '' ? `api/${type.version}` : `apis/${apiVersionOf(type)}`;
