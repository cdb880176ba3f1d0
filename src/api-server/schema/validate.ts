/** Values against a schema, in the server's words; rule: kube-openapi's pkg/validation/validate, and apiextensions' validation/ratcheting. */
import { isMap, type Json, type JsonMap, same } from '../json.ts';
import type { FieldFault } from '../refusals.ts';
import { distinct, invalidValue, required, tooLong, tooMany, unsupported, WHOLE } from './faults.ts';
import { matches } from './pattern.ts';
import { fieldPath, fieldSchema, indexPath, type StructuralSchema } from './structural.ts';
import { formatFaults, typeFaults } from './types.ts';

/** Where a value is, and what was there before. */
interface ValueAt {
  readonly path: string;
  /** The old value, for lists that are merged by key and for fields; entries of other lists have none. */
  readonly old?: Json | undefined;
}

/**
 * The faults of a value. A value that was there before, unchanged, has none: a schema that becomes stricter does not
 * keep objects from being edited.
 * @param old the value that it replaces
 */
export const schemaFaults = (schema: StructuralSchema, value: Json, old?: Json): readonly FieldFault[] =>
  distinct(faultsOf(schema, value, { path: '', old }));

function faultsOf(schema: StructuralSchema, value: Json, place: ValueAt): readonly FieldFault[] {
  const faults = valueFaults(schema, value, place);
  return faults.length > 0 && place.old !== undefined && same(place.old, value) ? [] : faults;
}

function valueFaults(schema: StructuralSchema, value: Json, place: ValueAt): readonly FieldFault[] {
  const { path } = place;
  const faults = typeFaults(schema, value, path);
  if (value === null) return [...faults, ...enumFaults(schema, value, path)];
  return [
    ...faults,
    ...choiceFaults(schema, value, place),
    ...(typeof value === 'string' ? [...textFaults(schema, value, path), ...formatFaults(schema, value, path)] : []),
    ...(typeof value === 'number' ? numberFaults(schema, value, path) : []),
    ...(Array.isArray(value) ? listFaults(schema, value as readonly Json[], place) : []),
    ...enumFaults(schema, value, path),
    ...(isMap(value) ? objectFaults(schema, value, place) : []),
  ];
}

const enumFaults = ({ enum: allowed = [] }: StructuralSchema, value: Json, path: string): readonly FieldFault[] =>
  allowed.length === 0 || allowed.some((each) => same(each, value)) ? [] : [unsupported(at(path), value, allowed)];

/** A fault names the field; of the whole object, nothing. */
const at = (path: string): string => (path === '' ? WHOLE : path);

function textFaults({ minLength, maxLength, pattern }: StructuralSchema, value: string, path: string): readonly FieldFault[] {
  const length = [...value].length;
  const no = (detail: string) => [invalidValue(at(path), value, `${path} in body ${detail}`)];
  if (maxLength !== undefined && length > maxLength) return [tooLong(at(path), maxLength)];
  if (minLength !== undefined && length < minLength) return no(`should be at least ${minLength} chars long`);
  if (pattern !== undefined && pattern !== '' && !matches(pattern, value)) return no(`should match '${pattern}'`);
  return [];
}

function numberFaults(schema: StructuralSchema, value: number, path: string): readonly FieldFault[] {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  // The server compares whole numbers with the whole part of a bound.
  const bound = (of: number | undefined) => (of !== undefined && Number.isInteger(value) ? Math.trunc(of) : of);
  const [minimum, maximum, factor] = [bound(schema.minimum), bound(schema.maximum), bound(schema.multipleOf)];
  const no = (detail: string) => invalidValue(at(path), value, `${path} in body should be ${detail}`);
  const equal = (exclusive: boolean | undefined) => (exclusive ? '' : ' or equal to');
  const faults: FieldFault[] = [];
  if (factor !== undefined && factor <= 0)
    faults.push(invalidValue(at(path), factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`));
  else if (factor !== undefined && !Number.isInteger(value / factor)) faults.push(no(`a multiple of ${factor}`));
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    faults.push(no(`greater than${equal(exclusiveMinimum)} ${minimum}`));
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    faults.push(no(`less than${equal(exclusiveMaximum)} ${maximum}`));
  return faults;
}

function listFaults(schema: StructuralSchema, value: readonly Json[], { path, old }: ValueAt): readonly FieldFault[] {
  const { items, minItems, maxItems } = schema;
  const faults = items
    ? value.flatMap((entry, index) => faultsOf(items, entry, { path: indexPath(path, index), old: counterpart(schema, entry, old) }))
    : [];
  if (minItems !== undefined && value.length < minItems)
    faults.push(invalidValue(at(path), value.length, `${path} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) faults.push(tooMany(at(path), value.length, maxItems));
  return faults;
}

function counterpart(schema: StructuralSchema, entry: Json, old: Json | undefined): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old) || !isMap(entry)) return undefined;
  return (old as readonly Json[]).find((each) => isMap(each) && keys.every((key) => same(each[key], entry[key])));
}

function objectFaults(schema: StructuralSchema, value: JsonMap, { path, old }: ValueAt): readonly FieldFault[] {
  const { minProperties, maxProperties, required: names = [] } = schema;
  const size = Object.keys(value).length;
  const faults: FieldFault[] = [];
  if (minProperties !== undefined && size < minProperties)
    faults.push(invalidValue(at(path), size, `${path} in body should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && size > maxProperties) faults.push(tooMany(at(path), size, maxProperties));
  for (const [name, child] of Object.entries(value)) {
    const known = fieldSchema(schema, name);
    const before = isMap(old) && Object.hasOwn(old, name) ? old[name] : undefined;
    if (known) faults.push(...faultsOf(known, child, { path: fieldPath(path, name), old: before }));
  }
  for (const name of names) if (!Object.hasOwn(value, name)) faults.push(required(fieldPath(path, name)));
  return faults;
}

/** anyOf, oneOf, allOf and not. The server reports the first alternative's faults, and that none fits of the whole object. */
function choiceFaults({ anyOf = [], oneOf = [], allOf = [], not }: StructuralSchema, value: Json, place: ValueAt): readonly FieldFault[] {
  const results = (schemas: readonly StructuralSchema[]) => schemas.map((schema) => valueFaults(schema, value, place));
  const whole = (detail: string) => invalidValue(WHOLE, '', `${JSON.stringify(place.path)} must ${detail}`);
  const faults: FieldFault[] = [];
  const [any, one, all] = [results(anyOf), results(oneOf), results(allOf)];
  if (any.length > 0 && any.every(({ length }) => length > 0))
    faults.push(whole('validate at least one schema (anyOf)'), ...(any[0] ?? []));
  const fitting = one.filter(({ length }) => length === 0).length;
  if (one.length > 0 && fitting !== 1) {
    const found = fitting === 0 ? 'Found none valid' : `Found ${fitting} valid alternatives`;
    faults.push(whole(`validate one and only one schema (oneOf). ${found}`), ...(fitting === 0 ? (one[0] ?? []) : []));
  }
  const broken = all.filter(({ length }) => length > 0);
  if (broken.length > 0)
    faults.push(...broken.flat(), whole(`validate all the schemas (allOf)${broken.length === all.length ? '. None validated' : ''}`));
  if (not && valueFaults(not, value, place).length === 0) faults.push(whole('not validate the schema (not)'));
  return faults;
}
