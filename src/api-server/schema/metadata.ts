/** The metadata of an object, as the server reads it: by Go's ObjectMeta, not by a definition; rule: schema/objectmeta. */
import { isMap, type Json, type JsonMap } from '../json.ts';
import { pruned } from './decode.ts';
import type { StructuralSchema } from './structural.ts';

const text: StructuralSchema = { type: 'string' };
const number: StructuralSchema = { type: 'integer' };
const flag: StructuralSchema = { type: 'boolean' };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };
const anything: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const object = (properties: StructuralSchema['properties'] = {}): StructuralSchema => ({ type: 'object', properties });
const list = (items: StructuralSchema): StructuralSchema => ({ type: 'array', items });

/** meta/v1 ObjectMeta. */
export const OBJECT_META = object({
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: number,
  creationTimestamp: text,
  deletionTimestamp: text,
  deletionGracePeriodSeconds: number,
  labels: texts,
  annotations: texts,
  ownerReferences: list(object({ apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag })),
  finalizers: list(text),
  managedFields: list(
    object({ manager: text, operation: text, apiVersion: text, time: text, fieldsType: text, fieldsV1: anything, subresource: text }),
  ),
});

/** Metadata without unknown fields and nulls, with the paths of the unknown ones; or why Go cannot read it. */
export type ReadMetadata = { readonly metadata: JsonMap; readonly unknown: readonly string[] } | { readonly error: string };

/** Reads an object's metadata. */
export function readMetadata(value: Json): ReadMetadata {
  const error = mismatch(OBJECT_META, value, []);
  if (error !== undefined) return { error };
  const { object: known, unknown } = pruned({ ...OBJECT_META, 'x-kubernetes-embedded-resource': false }, value as JsonMap);
  const metadata = Object.fromEntries(Object.entries(known).filter(([, child]) => child !== null));
  return { metadata, unknown: unknown.map((path) => `metadata.${path}`) };
}

const GO_TYPES: Readonly<Record<string, string>> = { string: 'string', integer: 'int64', boolean: 'bool' };
const nameOf = (value: Json): string =>
  Array.isArray(value) ? 'array' : isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;

/** The first value of another type, as Go's decoder says it. A null is no value. */
function mismatch(schema: StructuralSchema, value: Json, path: readonly string[]): string | undefined {
  if (value === null || schema['x-kubernetes-preserve-unknown-fields']) return undefined;
  const found = nameOf(value);
  const fits =
    { object: isMap(value), array: Array.isArray(value), integer: Number.isInteger(value) }[schema.type as string] ??
    found === goKind(schema);
  if (!fits) return unreadable(found, path, goType(schema, path));
  if (Array.isArray(value)) return first(value as readonly Json[], (entry) => mismatch(schema.items ?? {}, entry, path));
  if (!isMap(value)) return undefined;
  const { properties = {}, additionalProperties } = schema;
  return first(Object.entries(value), ([name, child]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) return mismatch(known, child, [...path, name]);
    return typeof additionalProperties === 'object' ? mismatch(additionalProperties, child, path) : undefined;
  });
}

const goKind = ({ type }: StructuralSchema) => (type === 'boolean' ? 'bool' : type);
function goType({ type = '', properties, items }: StructuralSchema, path: readonly string[]): string {
  if (type === 'array')
    return items?.type === 'string' ? '[]string' : `[]v1.${path.at(-1) === 'managedFields' ? 'ManagedFieldsEntry' : 'OwnerReference'}`;
  if (type === 'object') return properties ? (path.length === 0 ? 'v1.ObjectMeta' : 'v1.OwnerReference') : 'map[string]string';
  return GO_TYPES[type] ?? type;
}
function unreadable(found: string, path: readonly string[], type: string): string {
  const field = path.length === 0 ? 'Go value' : `Go struct field ObjectMeta.${path.join('.')}`;
  return `json: cannot unmarshal ${found} into ${field} of type ${type}`;
}
function first<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
