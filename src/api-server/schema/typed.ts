/** The values that server-side apply can merge; rule: structured-merge-diff's typed/validate.go. */
import { isMap, type Json, type JsonMap } from '../json.ts';
import { goSyntax, goText, goType } from './go.ts';
import { OBJECT_META } from './metadata.ts';
import { additionalOf, ownOf, type StructuralSchema } from './structural.ts';

const text: StructuralSchema = { type: 'string' };

/** The faults of an applied configuration: fields that are not in the schema, and values of another sort than it says. */
export const typedFaults = (schema: StructuralSchema, config: JsonMap): readonly string[] =>
  faultsOf({ ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata: OBJECT_META } }, config, '');

function faultsOf(schema: StructuralSchema, value: Json, path: string): readonly string[] {
  if (value === null || schema['x-kubernetes-int-or-string'] || (!schema.type && !schema.properties)) return [];
  const wrong = (sort: string): readonly string[] => [`${path}: expected ${sort}, got &{${goText(value)}}`];
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? [] : [`${path}: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('boolean');
    case 'integer':
    case 'number':
      return typeof value === 'number' ? [] : [`${path}: expected numeric (int or float), got ${goType(value)}`];
    case 'array':
      return Array.isArray(value)
        ? (value as readonly Json[]).flatMap((entry, index) => entryFaults(schema, entry, index, path))
        : wrong('list');
    default:
      return isMap(value) ? mapFaults(schema, value, path) : wrong('map');
  }
}

/** The first field that is not declared ends the look at a map. */
function mapFaults(schema: StructuralSchema, value: JsonMap, path: string): readonly string[] {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties || !schema.properties;
  const faults: string[] = [];
  for (const [name, child] of Object.entries(value)) {
    const known = ownOf(schema, name) ?? additionalOf(schema);
    if (known) faults.push(...faultsOf(known, child, `${path}.${name}`));
    else if (!isOpen) return [...faults, `${path}.${name}: field not declared in schema`];
  }
  return faults;
}

function entryFaults(schema: StructuralSchema, entry: Json, index: number, path: string): readonly string[] {
  const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  const at = isMap(entry) && keys.length > 0 ? keys.map((key) => `${key}=${JSON.stringify(entry[key] ?? null)}`).join(',') : `${index}`;
  return schema.items ? faultsOf(schema.items, entry, `${path}[${at}]`) : [];
}
