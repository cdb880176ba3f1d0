import { knownField } from '../../api/wording.ts';
import { isRecord, list, record } from '../shapes.ts';

/** Readers of a configuration, which throw an Error with the place, what was expected and what was found. */

/** The fields of an object that has no others; none if it is absent. */
export function fieldsOf<N extends string>(value: unknown, where: string, names: readonly N[]): Readonly<Partial<Record<N, unknown>>> {
  const fields = record(value);
  if (value !== undefined && value !== null && !isRecord(value)) throw unexpected(where, `the fields ${names.join(' and ')}`, value);
  const other = Object.keys(fields).find((name) => !names.some((each) => each === name));
  if (other !== undefined) throw unexpected(`${where}.${cut(other)}`, knownField(other, names), other);
  // The cast: it has no others.
  return fields as Partial<Record<N, unknown>>;
}

/** The items of a list, each with its place; none if it is absent. */
export function itemsOf(value: unknown, where: string): readonly (readonly [item: unknown, where: string])[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) throw unexpected(where, 'a list', value);
  return list(value).map((item, i) => [item, `${where}[${i}]`] as const);
}

/** Longer values and names are cut: a message is for people. */
const LONGEST = 100;

export function unexpected(where: string, expected: string, found: unknown): Error {
  const json = JSON.stringify(found) ?? 'nothing';
  return new Error(`${where}: expected ${expected}, found ${cut(json)}`);
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
