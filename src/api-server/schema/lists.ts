/** Lists whose entries are told apart: by keys, or as a set; rule: apiextensions-apiserver's schema/listtype. */
import { isMap, type Json } from '../json.ts';
import type { FieldFault } from '../refusals.ts';
import { duplicate, invalidValue } from './faults.ts';
import { additionalOf, fieldPath, fieldSchema, indexPath, type StructuralSchema } from './structural.ts';

/** The faults of `x-kubernetes-list-type: map` and `set`: two entries of the same key, or twice the same. */
export function listTypeFaults(schema: StructuralSchema | undefined, value: Json, path = ''): readonly FieldFault[] {
  if (!schema) return [];
  if (isMap(value))
    return Object.entries(value).flatMap(([name, child]) => {
      const isField = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
      return listTypeFaults(
        fieldSchema(schema, name),
        child,
        isField || !additionalOf(schema) ? fieldPath(path, name) : `${path}[${name}]`,
      );
    });
  if (!Array.isArray(value)) return [];
  const entries = value as readonly Json[];
  return [
    ...uniqueFaults(schema, entries, path),
    ...entries.flatMap((entry, index) => listTypeFaults(schema.items, entry, indexPath(path, index))),
  ];
}

function uniqueFaults(schema: StructuralSchema, entries: readonly Json[], path: string): readonly FieldFault[] {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'map') return kind === 'set' ? repeated(entries, path) : [];
  const stray = entries.findIndex((entry) => entry !== null && !isMap(entry));
  if (stray >= 0) return [invalidValue(indexPath(path, stray), entries[stray] ?? null, 'must be an object for an array of list-type map')];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysOf = (entry: Json): Json =>
    Object.fromEntries(keys.flatMap((key) => (isMap(entry) && entry[key] !== undefined ? [[key, entry[key]]] : [])));
  return repeated(entries.map(keysOf), path);
}

/** Each value that is there before, once. */
function repeated(values: readonly Json[], path: string): readonly FieldFault[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = JSON.stringify(value);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [duplicate(indexPath(path, index), value)] : [];
  });
}
