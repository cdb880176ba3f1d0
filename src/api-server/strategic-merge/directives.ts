/** The directives of a strategic merge patch, beside values. */
import { isMap, type Json, type JsonMap } from '../json.ts';
import { badRequest, Refusal } from '../refusals.ts';

export const BAD_RETAIN_KEYS = 'invalid patch format of retainKeys';

const MARK = '$patch';
const RETAIN = '$retainKeys';
const ORDER = '$setElementOrder/';
const REMOVE = '$deleteFromPrimitiveList/';

export interface Directives {
  /** `replace`, `delete`, or `merge`, of the map that has it. */
  readonly marked: Json | undefined;
  /** The only fields that stay. */
  readonly retained: readonly Json[] | undefined;
  /** By list: the order of its entries, as their keys or values. */
  readonly orders: ReadonlyMap<string, readonly Json[]>;
  /** By list: values to remove. */
  readonly removals: ReadonlyMap<string, readonly Json[]>;
  /** Fields that are no directive. */
  readonly fields: JsonMap;
}

/** @throws Refusal for a directive that is no list, but for removals, which the API server ignores then */
export function directivesOf(patch: JsonMap): Directives {
  const orders = new Map<string, readonly Json[]>();
  const removals = new Map<string, readonly Json[]>();
  const fields: Record<string, Json> = {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(ORDER)) {
      if (!Array.isArray(value)) throw new Refusal(500, '', `expected a list, but received ${JSON.stringify(value)}`);
      orders.set(key.slice(ORDER.length), value);
    } else if (key.startsWith(REMOVE)) {
      if (Array.isArray(value)) removals.set(key.slice(REMOVE.length), value);
    } else if (key !== MARK && key !== RETAIN) fields[key] = value;
  }
  const retained = patch[RETAIN];
  if (retained !== undefined && !Array.isArray(retained)) throw badRequest(BAD_RETAIN_KEYS);
  return { marked: patch[MARK], retained, orders, removals, fields };
}

export const markOf = (entry: Json): Json | undefined => (isMap(entry) ? entry[MARK] : undefined);

/** A value that is new: without directives, without maps that have a mark, and without nulls, which remove nothing. */
export function plain(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).filter((entry) => markOf(entry) === undefined).map(plain);
  if (!isMap(value)) return value;
  const { fields } = directivesOf(value);
  const kept = Object.entries(fields).filter(([, inner]) => inner !== null && markOf(inner) === undefined);
  return Object.fromEntries(kept.map(([key, inner]) => [key, plain(inner)]));
}
