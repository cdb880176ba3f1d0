/** Readers of values of unknown shape, for objects that others write. */
import { isRecord } from '../api/is-record.ts';

export { isRecord };
export type JsonObject = Readonly<Record<string, unknown>>;
const NOTHING: JsonObject = Object.freeze({});

/** The fields of an object; none of anything else. */
export const record = (value: unknown): JsonObject => (isRecord(value) ? value : NOTHING);
/** The items of a list; none of anything else. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
