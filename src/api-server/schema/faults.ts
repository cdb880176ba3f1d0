/** Faults of values, in the words of apimachinery's util/validation/field. */
import type { Json } from '../json.ts';
import type { FieldFault } from '../refusals.ts';

/** The path that the server prints for a fault of the whole object. */
export const WHOLE = '<nil>';

const shown = (value: Json): string => (typeof value === 'number' || typeof value === 'boolean' ? `${value}` : JSON.stringify(value));

const body = (what: string, detail: string): string => (detail === '' ? what : `${what}: ${detail}`);

export const required = (field: string, detail = ''): FieldFault => ({
  reason: 'FieldValueRequired',
  field,
  message: body('Required value', detail),
});
export const invalidValue = (field: string, value: Json, detail: string): FieldFault => ({
  reason: 'FieldValueInvalid',
  field,
  message: body(`Invalid value: ${shown(value)}`, detail),
});
export const invalidType = (field: string, found: string, detail: string): FieldFault => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: body(`Invalid value: ${shown(found)}`, detail),
});
export const unsupported = (field: string, value: Json, allowed: readonly Json[]): FieldFault => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${shown(value)}: supported values: ${allowed.map((each) => (typeof each === 'string' ? JSON.stringify(each) : JSON.stringify(shown(each)))).join(', ')}`,
});
export const duplicate = (field: string, value: Json): FieldFault => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${shown(value)}`,
});
export const tooLong = (field: string, most: number): FieldFault => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${most} ${most === 1 ? 'byte' : 'bytes'}`,
});
export const tooMany = (field: string, found: number, most: number): FieldFault => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${found}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
});

/** Each message once, as `Result.Merge` of kube-openapi keeps them. */
export function distinct(faults: readonly FieldFault[]): readonly FieldFault[] {
  const seen = new Set<string>();
  return faults.filter(({ field, message }) => {
    const key = `${field}\0${message}`;
    return !seen.has(key) && seen.add(key);
  });
}
