/** What operators, methods and fields of CEL mean. */
import { isMap, type Json, same } from '../json.ts';
import { matches } from './pattern.ts';

/** The values of an expression's variables. */
export type Scope = ReadonlyMap<string, Json>;
/** A compiled expression. Throws an Error where CEL has an error, such as a field that does not exist. */
export type Program = (scope: Scope) => Json;

/** Methods of texts. */
export const METHODS: Readonly<Record<string, (text: string, other: string) => boolean>> = {
  contains: (text, other) => text.includes(other),
  endsWith: (text, other) => text.endsWith(other),
  matches: (text, pattern) => matches(pattern, text),
  startsWith: (text, other) => text.startsWith(other),
};

/** `||` and `&&`: the deciding value wins over an error of the other side. */
export const decided =
  (decisive: boolean, left: Program, right: Program): Program =>
  (scope) => {
    let failure: unknown;
    try {
      if (left(scope) === decisive) return decisive;
    } catch (error) {
      failure = error;
    }
    const other = right(scope);
    if (other !== decisive && failure !== undefined) throw failure;
    return other;
  };

/** A field or an entry. Throws where there is none. */
export function select(value: Json, key: Json): Json {
  const found = Array.isArray(value)
    ? (value as readonly Json[])[key as number]
    : isMap(value) && Object.hasOwn(value, String(key))
      ? value[String(key)]
      : undefined;
  if (found !== undefined) return found;
  throw new Error(`${Array.isArray(value) ? 'index out of bounds' : 'no such key'}: ${String(key)}`);
}
/** What macros go through. */
export const items = (value: Json): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : isMap(value) ? Object.keys(value) : [];
/** Characters of a text, entries of the rest. */
export const sizeOf = (value: Json): number => (typeof value === 'string' ? [...value].length : items(value).length);

/** A binary operator but for `||` and `&&`. */
export function operate(operator: string, left: Json, right: Json): Json {
  const [a, b] = [left as number, right as number];
  switch (operator) {
    case '==':
      return same(left, right);
    case '!=':
      return !same(left, right);
    case 'in':
      return items(right).some((item) => same(item, left));
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return operator === '-' ? a - b : (((a as never) + (b as never)) as Json);
  }
}
