import type { TSchema } from '../../api/schema.ts';
import { type CompleteOptions, DEFAULTS, InstallOptions } from '../options.ts';
import { isPart } from '../values.ts';

/** A value of the installation, as its chart sees it. */
export interface ChartValue {
  /** `controller.replicas`. */
  readonly path: string;
  readonly kind: 'text' | 'number' | 'choice' | 'map' | 'texts' | 'objects' | 'variables';
}

/** Values that change one of the base's, and the condition of a template under which that counts. */
export interface Variant {
  /** The value's. */
  readonly path: string;
  readonly when: string;
  readonly unless: string;
  readonly values: CompleteOptions;
}

/** Values to find the templates by: with a mark in the place of each, and variants of them. */
export interface MarkedValues {
  readonly byPath: ReadonlyMap<string, ChartValue>;
  readonly base: CompleteOptions;
  readonly variants: readonly Variant[];
}

/** Stands for the value at a path, within texts too. */
export const mark = (path: string): string => `⟦${path}⟧`;
/** In a text that is read as an image: a host, and a tag, that are not printed. */
export const HOST = 'localhost/⟦⟧';
export const TAG = ':⟦⟧';
export const MARK = /⟦([^⟧]+)⟧/g;
/** The path, if the text is a mark and nothing else. */
export const markOf = (value: unknown): string | undefined => (typeof value === 'string' ? /^⟦([^⟧]+)⟧$/.exec(value)?.[1] : undefined);

type Values = { [key: string]: unknown };

/** @param daemons the types of runtimes that have daemons */
export function markedValues(daemons: readonly string[]): MarkedValues {
  const byPath = new Map<string, ChartValue>();
  const base: Values = {};
  const changes: (Omit<Variant, 'values'> & { readonly value: unknown })[] = [];
  const vary = (path: string, value: unknown, when: string, unless: string) => changes.push({ path, value, when, unless });

  for (const [path, schema] of leaves(InstallOptions)) {
    const value = `.Values.${path}`;
    const take = (kind: ChartValue['kind'], standIn: unknown) => {
      byPath.set(path, { path, kind });
      set(base, path, standIn);
    };
    const orNone = (none: unknown) => vary(path, none, `not ${value}`, value);
    const hasDefault = defaultOf(path) !== undefined || path === 'image';
    if (path === 'daemons') {
      set(base, path, daemons);
      for (const each of daemons)
        vary(
          path,
          daemons.filter((other) => other !== each),
          `not (has "${each}" ${value})`,
          `has "${each}" ${value}`,
        );
    } else if (schema['type'] === 'boolean') {
      set(base, path, true);
      orNone(false);
    } else if (schema['enum'] && !hasDefault) {
      const [first, ...others] = schema['enum'] as readonly string[];
      set(base, path, first);
      for (const each of others) vary(path, each, `eq ${value} "${each}"`, `ne ${value} "${each}"`);
      orNone(undefined);
    } else if (schema['type'] === 'integer') take('number', mark(path));
    else if (schema['type'] === 'string' || schema['enum']) {
      take('text', mark(path));
      if (new RegExp(String(schema['pattern'] ?? '.')).test('')) orNone('');
      else if (!hasDefault) orNone(undefined);
      // An image that names its host stays as it is.
      if (path === 'image') {
        const namesHost = `regexMatch "^(localhost|[^/]*[.:][^/]*)/" ${value}`;
        vary(path, `${HOST}${mark(path)}`, namesHost, `not (${namesHost})`);
      }
    } else if (schema['type'] === 'array') {
      const isOfTexts = (schema['items'] as Values)['type'] === 'string';
      take(path.endsWith('.env') ? 'variables' : isOfTexts ? 'texts' : 'objects', [isOfTexts ? mark(path) : { name: mark(path) }]);
      // A template repeats none of them, too.
      if (path !== 'reservedKeysAllow') orNone([]);
    } else {
      take('map', { [mark(path)]: '' });
      orNone(undefined);
    }
  }
  // The casts: every option has a value.
  return {
    byPath,
    base: base as unknown as CompleteOptions,
    variants: changes.map(({ path, value, when, unless }) => {
      const values = structuredClone(base);
      set(values, path, value);
      return { path, when, unless, values: values as unknown as CompleteOptions };
    }),
  };
}

const defaultOf = (path: string): unknown => path.split('.').reduce((at: unknown, key) => (at as Values | undefined)?.[key], DEFAULTS);

/** Every value that is no part with values of its own. */
function leaves(schema: TSchema): readonly (readonly [string, Values])[] {
  const { properties } = schema as unknown as { readonly properties: Readonly<Record<string, Values>> };
  return Object.entries(properties).flatMap(([name, value]) =>
    isPart(name) ? leaves(value as unknown as TSchema).map(([path, leaf]) => [`${name}.${path}`, leaf] as const) : [[name, value] as const],
  );
}

function set(values: Values, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() as string;
  let at = values;
  for (const key of keys) at = (at[key] ??= {}) as Values;
  if (value === undefined) delete at[last];
  else at[last] = value;
}
