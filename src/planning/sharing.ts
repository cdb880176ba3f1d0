import { isDeepStrictEqual } from 'node:util';

/** Values that thousands of objects have in common, each once in memory. Shared values are never changed afterwards. */
export interface Sharing {
  text(text: string): string;
  /** A value of an object as it was parsed from JSON; parts that equal those of another object are shared with it. */
  piece<T>(value: T): T;
}

const MOST_TEXTS = 100_000;
/** Limit of all texts together. On average a text has 34. */
const MOST_CHARACTERS = 8_000_000;
/** A longer text is like no other: of an annotation that a tool keeps writing, each value would be kept. */
const LONGEST_TEXT = 1000;
/** Shared values of one kind appear again soon; larger or rarer ones would take more memory here than they save. */
const MOST_PIECES = 1000;
const LARGEST_PIECE = 1000;

export function createSharing(): Sharing {
  const texts = new Map<string, string>();
  const pieces = new Map<string, unknown>();
  let characters = 0;

  function text(given: string): string {
    if (given.length > LONGEST_TEXT) return given;
    const before = texts.get(given);
    if (before !== undefined) return before;
    // Values in use stay; only later ones are no longer shared with them.
    if (texts.size >= MOST_TEXTS || characters > MOST_CHARACTERS) {
      texts.clear();
      characters = 0;
    }
    texts.set(given, given);
    characters += given.length;
    return given;
  }

  function piece<T>(value: T): T {
    if (typeof value === 'string') return text(value) as T;
    if (typeof value !== 'object' || value === null) return value;
    const json = JSON.stringify(value);
    const before = json.length <= LARGEST_PIECE ? pieces.get(json) : undefined;
    if (before !== undefined) return before as T;
    const own = JSON.parse(json) as Record<string, unknown>;
    for (const key of Object.keys(own)) if (key !== '__proto__') own[key] = piece(own[key]);
    if (json.length <= LARGEST_PIECE) {
      if (pieces.size >= MOST_PIECES) pieces.clear();
      pieces.set(json, own);
    }
    return own as T;
  }

  return { text, piece };
}

/** A value that has not changed stays the same JavaScript object: two versions take little more memory than one, and are compared at once. */
export const sameOr = <T>(before: T, now: T, otherwise: (value: T) => T = (value) => value): T =>
  isDeepStrictEqual(before, now) ? before : otherwise(now);

/** The same field by field. */
export function fieldsOr<T extends object>(before: T | undefined, now: T, otherwise: (value: unknown) => unknown): T {
  if (isDeepStrictEqual(before, now)) return before as T;
  // A copy of all fields at once has no spare room, unlike an object that grew field by field.
  const own = { ...now } as Record<string, unknown>;
  for (const name of Object.keys(own)) own[name] = sameOr((before as Record<string, unknown> | undefined)?.[name], own[name], otherwise);
  return own as T;
}

/** One shared object for all empty records, of which thousands exist. */
export const compact = <T extends Readonly<Record<string, unknown>>>(record: T): T =>
  Object.keys(record).length > 0 ? record : (NONE as T);
const NONE = Object.freeze({});

/** A copy of a text by itself: V8 keeps the parts of a concatenated text, and the whole of which a text is a slice. */
export const flat = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
