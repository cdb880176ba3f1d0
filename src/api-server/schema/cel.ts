/**
 * The part of CEL (github.com/google/cel-spec) that rules of custom resources use: fields, comparisons, logic, `has`, `size`, `matches`,
 * and the macros `all` and `exists`. A rule that needs more is refused when it is compiled, rather than read in another way.
 */
import { isMap } from '../json.ts';
import { decided, items, METHODS, operate, type Program, type Scope, select, sizeOf } from './cel-values.ts';

/** Whether a field exists, by the program that reads it. */
const presence = new WeakMap<Program, Program>();

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
    if (take('(')) return member(method(of, field));
    const read: Program = (scope) => select(of(scope), field);
    presence.set(read, (scope) => {
      const value = of(scope);
      return isMap(value) && Object.hasOwn(value, field);
    });
    return member(read);
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
    if (first === "'" || first === '"') {
      // Other escapes, such as those of a line break, are not read here.
      if (/\\[^\\'"]/.test(token.replaceAll('\\\\', ''))) return (at--, fail());
      return () => token.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    }
    if (/\d/.test(first)) return () => Number(token);
    if (token === 'true' || token === 'false') return () => token === 'true';
    if (token === 'null') return () => null;
    if (token === 'has' || token === 'size') return call(token);
    if (!/^[A-Za-z_]/.test(token) || tokens[at] === '(') return (at--, fail());
    return (scope) => scope.get(token) ?? null;
  }
  function call(called: string): Program {
    const [, argument] = [expect('('), choice(), expect(')')];
    return called === 'size' ? (scope) => sizeOf(argument(scope)) : (presence.get(argument) ?? fail());
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
