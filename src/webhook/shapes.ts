/** Readers of values of unknown shape, for objects that others write. */

export type JsonObject = Readonly<Record<string, unknown>>;
const NOTHING: JsonObject = Object.freeze({});

export const isRecord = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
/** The fields of an object; none of anything else. */
export const record = (value: unknown): JsonObject => (isRecord(value) ? value : NOTHING);
/** The items of a list; none of anything else. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
