/**
 * JSONPath as the columns of CustomResourceDefinitions speak it: fields, `[*]`, indices and slices, keys in quotes, unions, filters and
 * `..`. Rule: kubernetes.io/docs/reference/kubectl/jsonpath. No column has more than one path, so `range` is not read.
 */
import { field, filter, literal, Mismatch, mismatch, recursive, run, slice, type Step, union, wildcard } from './json-path-steps.ts';

class Unreadable extends Error {}

/** Longer ones are nobody's column. */
const LONGEST_PATH = 1000;

/** Finds what a path leads to in a value; nothing where a field is missing. undefined for a text that is no path. */
export function jsonPath(path: string): ((value: unknown) => readonly unknown[]) | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const steps = unless(Unreadable, () => parse(path));
  return steps && ((value) => unless(Mismatch, () => run(steps, [value])) ?? []);
}

function unless<T>(refusal: new () => Error, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof refusal) return undefined;
    throw error;
  }
}

/** One step, and where the next begins. */
type Read = readonly [steps: readonly Step[], next: number];

function parse(path: string): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < path.length; ) {
    const [read, next] = step(path, at);
    steps.push(...read);
    at = next;
  }
  return steps;
}

function step(path: string, at: number): Read {
  const char = path.charAt(at);
  if (path.startsWith('[?(', at)) return filterStep(path, at + 3);
  if (path.startsWith('..', at)) return recursiveStep(path, at + 2);
  // The API server puts a path into braces: what follows them is text.
  if (char === '}') return [[], path.length];
  if (char === ' ' || char === '@' || char === '$') return [[], at + 1];
  if (char === '[') return bracket(path, at + 1);
  if (char === '"' || char === "'") return quoted(path, at);
  if (char === '.') return fieldStep(path, at + 1);
  if (/[-+\d]/.test(char)) return numberStep(path, at);
  if (/[\p{L}\p{N}_]/u.test(char)) return wordStep(path, at);
  throw new Unreadable();
}

const ENDS = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}']);

/** Up to the next character that ends a name; a backslash takes the next character as it is. */
function fieldStep(path: string, start: number): Read {
  let at = start;
  while (at < path.length && !ENDS.has(path.charAt(at))) at += path.charAt(at) === '\\' ? 2 : 1;
  const name = path.slice(start, at);
  return [[name === '*' ? wildcard : field(name.replaceAll('\\', ''))], Math.min(at, path.length)];
}

function recursiveStep(path: string, at: number): Read {
  if (path.startsWith('..', at)) throw new Unreadable();
  if (!/^[\p{L}\p{N}_]/u.test(path.slice(at, at + 2))) return [[recursive], at];
  const [steps, next] = fieldStep(path, at);
  return [[recursive, ...steps], next];
}

function numberStep(path: string, at: number): Read {
  const [text] = /^[-+]?[\d.]*/.exec(path.slice(at)) ?? [''];
  const value = Number(text);
  if (Number.isNaN(value) || !/\d/.test(text)) throw new Unreadable();
  return [[literal(value)], at + text.length];
}

function wordStep(path: string, start: number): Read {
  let at = start;
  while (at < path.length && !ENDS.has(path.charAt(at))) at++;
  const word = path.slice(start, at);
  return [[word === 'true' || word === 'false' ? literal(word === 'true') : mismatch], at];
}

/** Where a quote that opens at `start` closes. */
function closing(path: string, start: number): number {
  const quote = path.charAt(start);
  for (let at = start + 1; at < path.length; at++) if (path.charAt(at) === quote && path.charAt(at - 1) !== '\\') return at;
  throw new Unreadable();
}

function quoted(path: string, start: number): Read {
  const end = closing(path, start);
  return [[literal(path.slice(start + 1, end).replaceAll(/\\(.)/g, '$1'))], end + 1];
}

const INDEX = /^(-?\d{0,9})(:-?\d{0,9})?(:-?\d{0,9})?$/;

/** The text between brackets: `*`, an index, a slice, a key in single quotes, or several of these with commas. */
function bracket(path: string, start: number): Read {
  const end = path.indexOf(']', start);
  if (end === -1) throw new Unreadable();
  return [bracketSteps(path.slice(start, end)), end + 1];
}

function bracketSteps(text: string): readonly Step[] {
  if (text.includes(',')) return [union(text.split(',').map((each) => bracketSteps(each.trim())))];
  const [, key] = /^'([^']*)'$/.exec(text) ?? [];
  if (key !== undefined) return parse(`.${key}`);
  const [, first, end, every] = INDEX.exec(text === '*' ? ':' : text) ?? [];
  if (first === undefined) throw new Unreadable();
  return [
    slice({ first: numberOf(first), ...(end !== undefined && { end: numberOf(end.slice(1)) }), every: numberOf((every ?? '').slice(1)) }),
  ];
}

function numberOf(text: string): number | undefined {
  if (text === '-') throw new Unreadable();
  return text === '' ? undefined : Number(text);
}

/** `[?(@.type=="Ready")]` and `[?(@.ready)]`. */
function filterStep(path: string, start: number): Read {
  let end = start;
  while (end < path.length && path.charAt(end) !== ')') end = /["']/.test(path.charAt(end)) ? closing(path, end) + 1 : end + 1;
  if (!path.startsWith(')]', end)) throw new Unreadable();
  const text = path.slice(start, end);
  const begin = text.search(/[!<>=]/);
  if (begin < 1) return [[filter(parse(text))], end + 2];
  const [operator] = /^[!<>=]+/.exec(text.slice(begin)) ?? [''];
  const [left, right] = [text.slice(0, begin), text.slice(begin + operator.length)];
  return [[filter(parse(left), { operator, right: parse(right) })], end + 2];
}
