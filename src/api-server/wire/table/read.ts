/** Reading objects that no schema has checked: what is missing or has another shape reads as empty. */
import { isMap, type JsonMap } from '../../json.ts';

/** The value at a path of fields; undefined where there is none, or null. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, field) => (isMap(inner) && Object.hasOwn(inner, field) ? inner[field] : undefined), value) ?? undefined;

/** The text at a path; empty without one. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

/** The integer at a path; 0 without one. */
export function countAt(value: unknown, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' ? Math.trunc(found) : 0;
}

/** The entries of the list at a path. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The fields of the map at a path. */
export function mapAt(value: unknown, ...path: readonly string[]): JsonMap {
  const found = at(value, ...path);
  return isMap(found) ? found : {};
}

/** The condition of a type. */
export const conditionOf = (object: unknown, type: string): unknown =>
  listAt(object, 'status', 'conditions').find((condition) => at(condition, 'type') === type);

/** Whether the condition of a type is True. */
export const isTrue = (object: unknown, type: string): boolean => at(conditionOf(object, type), 'status') === 'True';
