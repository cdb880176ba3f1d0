/** Readers of values of unknown shape, for objects that others write. */

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** The fields of an object; none of anything else. */
export const record = (value: unknown): Readonly<Record<string, unknown>> =>
  // The cast: it is an object with string keys.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : NOTHING;
/** The items of a list; none of anything else. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
