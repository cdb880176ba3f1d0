/**
 * The part of CEL (github.com/google/cel-spec) that rules of custom resources use: fields, comparisons, logic, `has`, `size`, `matches`,
 * and the macros `all` and `exists`. A rule that needs more is refused when it is compiled, rather than read in another way.
 */
import { isMap, type Json, same } from '../fields.ts';

type Scope = ReadonlyMap<string, Json>;
/** A compiled expression. Throws an Error where CEL has an error, such as a field that does not exist. */
export type Program = (scope: Scope) => Json;

const TOKEN = /\s*(?:([A-Za-z_]\w*)|(\d+\.\d+|\d+)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(\|\||&&|[=!<>]=|[-!<>()[\].,?:+]))/y;
const ORDER: readonly (readonly string[])[] = [
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
];

/**
 * Compiles an expression.
 * @throws Error for what is not of the part above; its message has the expression.
 * @example
 * compile('size(self.name) <= 3')(new Map([['self', { name: 'abc' }]])); // → true
 */
export function compile(text: string): Program {
  const tokens = tokensOf(text);
  let at = 0;
  const fail = (): never => {
    throw new Error(`expected a CEL rule of the part that the API server in memory knows, found ${tokens[at] ?? 'its end'} in: ${text}`);
  };
  const take = (token: string): boolean => tokens[at] === token && ++at > 0;
  const expect = (token: string): void => void (take(token) || fail());
  const next = (): string => tokens[at++] ?? fail();
  const name = (): string => (/^[A-Za-z_]/.test(tokens[at] ?? '') ? next() : fail());

  function choice(): Program {
    const test = either('||', true, () => either('&&', false, comparison));
    if (!take('?')) return test;
    const [yes, , no] = [choice(), expect(':'), choice()];
    return (scope) => (test(scope) === true ? yes(scope) : no(scope));
  }
  /** Both sides count: an error of one is none if the other decides. */
  function either(token: string, decisive: boolean, operand: () => Program): Program {
    let left = operand();
    while (take(token)) left = decided(decisive, left, operand());
    return left;
  }
  const comparison = (): Program => binary(0);
  function binary(level: number): Program {
    const operators = ORDER[level];
    if (!operators) return unary();
    let left = binary(level + 1);
    while (operators.includes(tokens[at] ?? '')) {
      const [operator, before, right] = [next(), left, binary(level + 1)];
      left = (scope) => operate(operator, before(scope), right(scope));
    }
    return left;
  }
  function unary(): Program {
    if (take('!')) {
      const operand = unary();
      return (scope) => operand(scope) !== true;
    }
    if (take('-')) {
      const operand = unary();
      return (scope) => -(operand(scope) as number);
    }
    return member(primary());
  }
  function member(of: Program): Program {
    if (take('[')) {
      const [index] = [choice(), expect(']')];
      return member((scope) => select(of(scope), index(scope)));
    }
    if (!take('.')) return of;
    const field = name();
    return member(take('(') ? method(of, field) : (scope) => select(of(scope), field));
  }
  function method(of: Program, called: string): Program {
    if (called === 'all' || called === 'exists') {
      const [variable, , test] = [name(), expect(','), choice(), expect(')')];
      const each = (scope: Scope) => items(of(scope)).map((item) => () => test(new Map([...scope, [variable, item]])));
      return (scope) =>
        each(scope).reduceRight<Program>(
          (rest, one) => decided(called === 'exists', one, rest),
          () => called === 'all',
        )(scope);
    }
    const argument = tokens[at] === ')' ? undefined : choice();
    expect(')');
    if (called === 'size' && !argument) return (scope) => sizeOf(of(scope));
    const compare = METHODS[called];
    if (!compare || !argument) return fail();
    return (scope) => compare(String(of(scope)), String(argument(scope)));
  }
  function primary(): Program {
    if (take('(')) {
      const [inner] = [choice(), expect(')')];
      return inner;
    }
    if (take('[')) {
      const list: Program[] = [];
      while (!take(']')) {
        list.push(choice());
        if (tokens[at] !== ']') expect(',');
      }
      return (scope) => list.map((each) => each(scope));
    }
    const token = next();
    const first = token[0] ?? '';
    if (first === "'" || first === '"') return () => token.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    if (/\d/.test(first)) return () => Number(token);
    if (token === 'true' || token === 'false') return () => token === 'true';
    if (token === 'null') return () => null;
    if (token === 'has' || token === 'size') return call(token);
    if (!/^[A-Za-z_]/.test(token) || tokens[at] === '(') return (at--, fail());
    return (scope) => scope.get(token) ?? null;
  }
  function call(called: string): Program {
    const [, argument] = [expect('('), choice(), expect(')')];
    return called === 'size' ? (scope) => sizeOf(argument(scope)) : (scope) => exists(argument, scope);
  }
  const program = choice();
  return at < tokens.length ? fail() : program;
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.trimEnd().length; ) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new Error(`expected a CEL rule of the part that the API server in memory knows, found ${text.slice(from)}`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

const METHODS: Readonly<Record<string, (text: string, other: string) => boolean>> = {
  contains: (text, other) => text.includes(other),
  endsWith: (text, other) => text.endsWith(other),
  matches: (text, pattern) => new RegExp(pattern, 'u').test(text),
  startsWith: (text, other) => text.startsWith(other),
};

/** `||` and `&&`: the deciding value wins over an error of the other side. */
const decided =
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

class NoSuchKey extends Error {}

function select(value: Json, key: Json): Json {
  const found = Array.isArray(value)
    ? (value as readonly Json[])[key as number]
    : isMap(value) && Object.hasOwn(value, String(key))
      ? value[String(key)]
      : undefined;
  if (found !== undefined) return found;
  throw Array.isArray(value) ? new Error(`index out of bounds: ${String(key)}`) : new NoSuchKey(`no such key: ${String(key)}`);
}
function exists(field: Program, scope: Scope): boolean {
  try {
    field(scope);
    return true;
  } catch (error) {
    if (error instanceof NoSuchKey) return false;
    throw error;
  }
}
const items = (value: Json): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : isMap(value) ? Object.keys(value) : [];
const sizeOf = (value: Json): number => (typeof value === 'string' ? [...value].length : items(value).length);

function operate(operator: string, left: Json, right: Json): Json {
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
