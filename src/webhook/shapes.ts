/** Readers of values of unknown shape, for objects that others write. */

export type Fields = Readonly<Record<string, unknown>>;
const NOTHING: Fields = Object.freeze({});

export const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
/** The fields of an object; none of anything else. */
export const record = (value: unknown): Fields => (isRecord(value) ? value : NOTHING);
/** The items of a list; none of anything else. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
