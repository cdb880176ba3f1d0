/** One thing wrong with one field: enough to find it, and to know what would be right. */
export interface Fault {
  /** Where, as in `kubectl explain`: `spec.mounts[0].mountPoint`. */
  readonly path: string;
  /** Whose field it is, `Dataset ml/demo`, where the faults of one error are of several objects. */
  readonly object?: string;
  readonly expected: string;
  readonly found: string;
}

/** In one message. It stands in conditions and events, which somebody reads. */
const MOST_TOLD = 20;

/** Wrong by construction: retrying cannot help until a human edits an object. */
export class InvalidSpec extends Error {
  override readonly name = 'InvalidSpec';
  /** Whose field it is, `Dataset ml/demo`; absent until someone who knows says so. */
  readonly object: string | undefined;
  readonly faults: readonly Fault[];
  /** Reason of the event, where it is not the usual one of a failed set-up. */
  readonly reason: string | undefined;

  constructor(faults: Fault | readonly Fault[], options: { readonly object?: string; readonly reason?: string } & ErrorOptions = {}) {
    const list = Array.isArray(faults) ? (faults as readonly Fault[]) : [faults as Fault];
    const more = list.length > MOST_TOLD ? `; and ${list.length - MOST_TOLD} more` : '';
    super(`${options.object ? `${options.object}: ` : ''}${list.slice(0, MOST_TOLD).map(describe).join('; ')}${more}`, options);
    this.object = options.object;
    this.reason = options.reason;
    this.faults = list;
  }

  /** So is one that another copy of this package threw: a vendor's runtime may bring its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'InvalidSpec' && 'faults' in value;
  }
}

/** `spec.replicas: expected an integer of at least 0, found "three"`. */
export const describe = ({ object, path, expected, found }: Fault): string =>
  `${object ? `${object}: ` : ''}${cut(path, 200)}: expected ${cut(expected, 600)}, found ${cut(found, 400)}`;

/** How a value is shown in an error: short, and recognisable as what the user wrote. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return cut(JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value) ?? String(value), 80);
}

const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest - 3)}...` : text);
