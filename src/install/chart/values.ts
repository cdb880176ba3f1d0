import type { CompleteOptions } from '../settled.ts';
import { type Value, valuesOf } from '../values.ts';

/**
 * How templates use a value. A choice has a condition for each of its words; every other kind has a mark, which becomes the value: a text, a
 * number, a map, a list of texts or of named objects, or variables of a container, which take the place of ours.
 */
type Kind = 'choice' | 'text' | 'number' | 'map' | 'texts' | 'objects' | 'variables';

/** Values that change one of the base's, and the condition of a template under which that counts. */
export interface Variant {
  /** The value's: `controller.replicas`. */
  readonly path: string;
  readonly when: string;
  readonly unless: string;
  readonly values: CompleteOptions;
}

/** Stands for the value at a path, within texts too. */
export const mark = (path: string): string => `⟦${path}⟧`;
export const MARK = /⟦([^⟦⟧]+)⟧/g;
/** In a text that is read as an image: a host, and a tag, that are not printed. */
export const HOST = 'localhost/⟦⟧';
export const TAG = ':⟦⟧';
/** The path, if the text is a mark and nothing else. */
export const markOf = (value: unknown): string | undefined => (typeof value === 'string' ? /^⟦([^⟧]+)⟧$/.exec(value)?.[1] : undefined);

type Values = { [key: string]: unknown };

const VALUES = valuesOf();
const KINDS: ReadonlyMap<string, Kind> = new Map(VALUES.map((value) => [value.path, kindFrom(value)]));
/** The kind of a value; undefined for a mark of another text. */
export const kindOf = (path: string): Kind | undefined => KINDS.get(path);

function kindFrom({ path, usual, schema: { type, enum: words, items } }: Value): Kind {
  if (path === 'daemons' || type === 'boolean' || (words && usual === undefined)) return 'choice';
  if (type === 'integer') return 'number';
  if (type === 'string' || words) return 'text';
  if (type !== 'array') return 'map';
  if (path.endsWith('.env')) return 'variables';
  return items?.type === 'string' ? 'texts' : 'objects';
}

const MARKED: Readonly<Record<Exclude<Kind, 'choice'>, (path: string) => unknown>> = {
  text: mark,
  number: mark,
  map: (path) => ({ [mark(path)]: '' }),
  texts: (path) => [mark(path)],
  objects: (path) => [{ name: mark(path) }],
  variables: (path) => [{ name: mark(path) }],
};

/** Values to find the templates by: a base with a mark in the place of each, and its variants. */
export function markedValues(daemons: readonly string[]): { readonly base: CompleteOptions; readonly variants: readonly Variant[] } {
  const base: Values = {};
  const changes = VALUES.flatMap((value) => {
    const { path } = value;
    const kind = kindFrom(value);
    const [first, ...others] = kind === 'choice' ? choicesOf(value, daemons) : markedOf(value, kind);
    set(base, path, first?.value);
    return others.map((each) => ({ path, ...each }));
  });
  // The casts: every option has a value.
  return {
    base: base as unknown as CompleteOptions,
    variants: changes.map(({ path, value, when, unless }) => {
      const values = structuredClone(base);
      set(values, path, value);
      return { path, when, unless, values: values as unknown as CompleteOptions };
    }),
  };
}

/** The base's first, whose conditions nobody needs. */
type Choices = readonly { readonly value: unknown; readonly when: string; readonly unless: string }[];
const baseOf = (value: unknown) => ({ value, when: '', unless: '' });
const without = (path: string, value: unknown) => ({ value, when: `not .Values.${path}`, unless: `.Values.${path}` });

function choicesOf({ path, schema: { type, enum: words } }: Value, daemons: readonly string[]): Choices {
  const at = `.Values.${path}`;
  if (type === 'boolean') return [baseOf(true), without(path, false)];
  if (path === 'daemons') {
    const lacking = (each: string) => daemons.filter((other) => other !== each);
    return [
      baseOf(daemons),
      ...daemons.map((each) => ({ value: lacking(each), when: `not (has "${each}" ${at})`, unless: `has "${each}" ${at}` })),
    ];
  }
  const [first, ...others] = words as readonly string[];
  return [
    baseOf(first),
    ...others.map((word) => ({ value: word, when: `eq ${at} "${word}"`, unless: `ne ${at} "${word}"` })),
    without(path, undefined),
  ];
}

function markedOf({ path, usual, schema: { pattern } }: Value, kind: Exclude<Kind, 'choice'>): Choices {
  const base = baseOf(MARKED[kind](path));
  if (path === 'image') {
    // One that names its host stays as it is.
    const namesHost = `regexMatch "^(localhost|[^/]*[.:][^/]*)/" .Values.image`;
    return [base, { value: `${HOST}${mark(path)}`, when: namesHost, unless: `not (${namesHost})` }];
  }
  if (kind === 'text') {
    if (pattern !== undefined && new RegExp(String(pattern)).test('')) return [base, without(path, '')];
    return usual === undefined ? [base, without(path, undefined)] : [base];
  }
  // A template repeats none of an empty list.
  if (kind === 'number' || path === 'reservedKeysAllow') return [base];
  return [base, without(path, kind === 'map' ? undefined : [])];
}

function set(values: Values, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() as string;
  let at = values;
  for (const key of keys) at = (at[key] ??= {}) as Values;
  if (value === undefined) delete at[last];
  else at[last] = value;
}
