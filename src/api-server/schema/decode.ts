/**
 * Decoding: the server's changes of an object before it looks at values; rule: apiextensions-apiserver's schema/pruning and
 * schema/defaulting.
 */
import { isMap, type Json, type JsonMap } from '../json.ts';
import { additionalOf, fieldPath, fieldSchema, indexPath, mapped, ownOf, type StructuralSchema } from './structural.ts';

const META = new Set(['apiVersion', 'kind', 'metadata']);

/** An object without unknown fields, and the paths of those that it had. */
export interface Pruned {
  readonly object: JsonMap;
  readonly unknown: readonly string[];
}

/** Leaves out fields that the schema does not have, unless it says `x-kubernetes-preserve-unknown-fields`. */
export function pruned(schema: StructuralSchema, object: JsonMap): Pruned {
  const unknown: string[] = [];
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  return { object: prune(root, object, '', unknown) as JsonMap, unknown: unknown.toSorted() };
}

function prune(schema: StructuralSchema | undefined, value: Json, path: string, unknown: string[]): Json {
  if (schema?.['x-kubernetes-preserve-unknown-fields']) return preserve(schema, value, path, unknown);
  const field = (name: string, child: Json): Json | undefined => {
    if (schema?.['x-kubernetes-embedded-resource'] && META.has(name)) return child;
    const at = fieldPath(path, name);
    const known = schema && (ownOf(schema, name) ?? additionalOf(schema));
    if (known || (schema && schema.additionalProperties !== undefined)) return prune(known, child, at, unknown);
    if (path !== '' || !META.has(name)) unknown.push(at);
    return undefined;
  };
  return mapped(value, field, (index, entry) => prune(schema?.items, entry, indexPath(path, index), unknown));
}

/** Unknown fields stay; below known ones the rest of the schema holds. */
function preserve(schema: StructuralSchema, value: Json, path: string, unknown: string[]): Json {
  const field = (name: string, child: Json): Json => {
    if (schema['x-kubernetes-embedded-resource'] && META.has(name)) return child;
    const known = ownOf(schema, name) ?? additionalOf(schema);
    return known ? prune(known, child, fieldPath(path, name), unknown) : child;
  };
  const { items } = schema;
  return mapped(value, field, (index, entry) => (items ? preserve(items, entry, indexPath(path, index), unknown) : entry));
}

/** Leaves out nulls that a field may not hold and no default replaces. */
export function withoutNulls(schema: StructuralSchema | undefined, value: Json): Json {
  const field = (name: string, child: Json): Json | undefined => {
    const known = fieldSchema(schema, name);
    return child === null && known && !known.nullable && known.default === undefined ? undefined : withoutNulls(known, child);
  };
  return mapped(value, field, (_, entry) => withoutNulls(schema?.items, entry));
}

/** Fills in the schema's defaults, where a field is absent or null. */
export function withDefaults(schema: StructuralSchema | undefined, value: Json): Json {
  if (!schema) return value;
  const filled = isMap(value) ? { ...value, ...defaultsFor(schema, value) } : value;
  const orDefault = (known: StructuralSchema | undefined, child: Json): Json =>
    withDefaults(known, child === null && known && !known.nullable && known.default !== undefined ? known.default : child);
  return mapped(
    filled,
    (name, child) => orDefault(fieldSchema(schema, name), child),
    (_, entry) => orDefault(schema.items, entry),
  );
}

const defaultsFor = ({ properties = {} }: StructuralSchema, value: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: standard }]) =>
      standard !== undefined && !Object.hasOwn(value, name) ? [[name, standard]] : [],
    ),
  );
