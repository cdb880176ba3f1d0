/** Rules in CEL (github.com/google/cel-spec), about values of JSON. */
import { Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { isMap, type Json } from '../json.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

/** Evaluates a rule about a `celValue`. Throws an Error where CEL has one, such as a missing field. */
export type Program = (self: unknown) => unknown;

const environment = new Environment({ enableOptionalTypes: true }).registerVariable('self', 'dyn');
/** Patterns that JavaScript reads in another way than Go, or not at all. */
const OF_GO = /\\[apqz]|\(\?[a-z]|\[\[:/i;

/** A value in the library's types: an `int` is a bigint, a `double` a number; its schema says which it is. */
export function celValue(value: Json, schema: StructuralSchema | undefined): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && schema?.type !== 'number' ? BigInt(value) : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((entry) => celValue(entry, schema?.items));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, celValue(each, fieldSchema(schema, name))]));
}

/**
 * Compiles an expression.
 * @throws Error for what the library lacks of Kubernetes' CEL, such as quantities; its message has the expression.
 * @example
 * compile('size(self.name) <= 3')({ name: 'abc' }); // → true
 */
export function compile(text: string): Program {
  const unknown = (found: string) => new Error(`expected a CEL rule that the API server in memory knows, found ${found} in: ${text}`);
  if (text.includes('matches') && OF_GO.test(text)) throw unknown("a pattern of Go's");
  const program = parsed(text, unknown);
  const { valid, error } = program.check();
  if (!valid) throw unknown(summaryOf(error));
  return (self) => {
    try {
      return program({ self }) as unknown;
    } catch (error) {
      throw error instanceof EvaluationError ? new Error(asServer(error.summary)) : error;
    }
  };
}

function parsed(text: string, unknown: (found: string) => Error): ReturnType<Environment['parse']> {
  try {
    return environment.parse(text);
  } catch (error) {
    throw error instanceof ParseError ? unknown(summaryOf(error)) : error;
  }
}
const summaryOf = (error: unknown): string => (error as { readonly summary?: string } | undefined)?.summary ?? String(error);

/** In the words of cel-go: `no such key: x`, `index out of bounds: 3`. */
const asServer = (summary: string): string =>
  summary.replace(/^No such key: index out of bounds, index (\d+) .*/, 'index out of bounds: $1').replace(/^No such/, 'no such');
