/** A fault of one field. */
export interface Fault {
  /** The field, as in `kubectl explain`: `spec.mounts[0].mountPoint`. */
  readonly path: string;
  /** The object that has the field, `Dataset ml/demo`, if the faults of one error are of several objects. */
  readonly object?: string;
  /** The expected value: `an integer of at least 0`. */
  readonly expected: string;
  /** The value of the field, as `shown` prints it. */
  readonly found: string;
}

/** Faults in one message, which goes into conditions and events. */
const MOST_IN_MESSAGE = 20;

/**
 * An object that only its user can correct. The controller writes the message to a condition and waits for an edit; all other errors it
 * retries. The message reads `<object>: <path>: expected …, found …`.
 * @example
 * throw new InvalidSpec({ path: 'spec.replicas', expected: 'at most 3', found: shown(5) });
 */
export class InvalidSpec extends Error {
  override readonly name = 'InvalidSpec';
  /** The object that has the fields, `Dataset ml/demo`. Absent if the caller knows it. */
  readonly object: string | undefined;
  /** All that is wrong, in the order of fields. The message has the first 20. */
  readonly faults: readonly Fault[];
  /** Reason of the event, if it is not the usual one of a failed set-up. */
  readonly reason: string | undefined;

  constructor(
    faults: Fault | readonly Fault[],
    options: { readonly object?: string; readonly reason?: string; readonly cause?: unknown } = {},
  ) {
    const given = Array.isArray(faults) ? (faults as readonly Fault[]) : [faults as Fault];
    // Each component may have read the same field.
    const list = [...new Map(given.map((fault) => [JSON.stringify(fault), fault])).values()];
    const more = list.length > MOST_IN_MESSAGE ? `; and ${list.length - MOST_IN_MESSAGE} more` : '';
    super(`${options.object ? `${options.object}: ` : ''}${list.slice(0, MOST_IN_MESSAGE).map(describe).join('; ')}${more}`, options);
    this.object = options.object;
    this.reason = options.reason;
    this.faults = list;
  }

  /** An InvalidSpec of another copy of this package is one too: the package of a runtime may have its own copy. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'InvalidSpec' && 'faults' in value;
  }
}

/** `spec.replicas: expected an integer of at least 0, found "three"`. */
export const describe = ({ object, path, expected, found }: Fault): string =>
  oneLine(`${object ? `${object}: ` : ''}${cut(path, 200)}: expected ${cut(expected, 600)}, found ${cut(found, 400)}`);

/**
 * The text with control characters as JSON writes them: names of objects and keys of options may have any, and a message is one line. Format
 * characters are among them, since they turn the order of what a person reads, or hide it.
 * @example
 * oneLine('a\nb'); // → 'a\\nb'
 */
export const oneLine = (text: string): string =>
  text.replace(CONTROL, (character) =>
    // JSON.stringify leaves those from 7F on as they are, and terminals obey some of them.
    character < ' ' ? JSON.stringify(character).slice(1, -1) : character.split('').map(unit).join(''),
  );
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const unit = (text: string): string => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A value as an error message shows it: JSON, at most 80 characters. An absent value reads `nothing`.
 * @example
 * shown('three'); // → '"three"'
 * shown(undefined); // → 'nothing'
 */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return cut(JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value) ?? String(value), 80);
}

const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest - 3)}...` : text);
