import * as gen from './k8s.gen.ts';
import { namespacePattern } from './metadata.ts';
import type { Structural } from './resource.ts';
import { tierLevel } from './schema.ts';

/** `spec.mounts[0].mountPoint`; a key that is no plain word is quoted: `metadata.labels["a/b"]`. Of a key, at most its first 100 characters. */
export function pathText(path: readonly (string | number)[]): string {
  return path.map(stepText).join('').replace(/^\./, '');
}
/**
 * The field of a key that a user chose: `spec.options["a b"]`.
 * @example
 * keyPath('spec.options', 'threads'); // → 'spec.options.threads'
 */
export const keyPath = (path: string, key: string): string => path + stepText(key);
function stepText(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  const short = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}...` : key;
  return /^[\w-]+$/.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`;
}
/** A key may be as long as an object. */
const LONGEST_KEY = 100;

/** Patterns that are better said in words. */
const PATTERNS: ReadonlyMap<string | undefined, string> = new Map([
  [gen.Quantity.pattern, 'a quantity such as 10Gi, 500M or 0.5'],
  [(tierLevel.properties.quotaList as Structural).pattern, 'two or more quantities separated by commas, such as 10Gi,20Gi'],
  [namespacePattern, 'at most 63 lower-case letters, digits and dashes'],
]);

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
};

/** The demand of a schema, in words. */
export function expectedOf(schema: Structural): string {
  const { type, enum: values, pattern, format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  if (values) return `one of ${values.map((value) => (value === '' ? '""' : String(value))).join(', ')}`;
  const inWords = PATTERNS.get(pattern);
  if (pattern !== undefined && inWords) return inWords;
  if (schema['x-kubernetes-int-or-string']) return 'an integer or a string';
  if (format === 'date-time') return 'a time such as 2025-01-31T12:00:00Z';
  const limits = [
    bounds(minimum, maximum, ''),
    bounds(minLength, maxLength, ' characters'),
    bounds(minItems, maxItems, ' items'),
    ...(pattern === undefined ? [] : [`that matches ${pattern}`]),
  ].filter(Boolean);
  const what = format === 'int32' ? 'a 32-bit integer' : (TYPES[type ?? ''] ?? 'a value');
  return [what, ...limits].join(' ');
}

function bounds(low: number | undefined, high: number | undefined, unit: string): string {
  if (low && high !== undefined) return `of ${low} to ${high}${unit}`;
  if (low) return `of at least ${low}${low === 1 ? unit.replace(/s$/, '') : unit}`;
  return high === undefined ? '' : `of at most ${high}${unit}`;
}

/** The expectation of an error about an unknown field. */
export function knownField(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `a known field (did you mean ${near}?)`;
  if (known.length === 0) return 'no fields here';
  return `a known field (${known.slice(0, 12).join(', ')}${known.length > 12 ? ', …' : ''})`;
}

const LONGEST_NAME = 64;

/** The most similar of the known names, if any is similar enough to be meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // Comparing takes the product of both lengths.
  if (name.length > LONGEST_NAME) return undefined;
  const wanted = name.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best && best.edits <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}

/** Levenshtein's: insertions, deletions and replacements from one word to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = (row[column] as number) + (letter === to[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
