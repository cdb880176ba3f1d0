import { type DatasetSpec, type EncryptOption, InvalidSpec, type Manifest } from '../api/index.ts';
import { pathText } from '../api/wording.ts';
import type { Operation, RuntimeInput } from './contract.ts';
import { optionSecrets } from './secret-options.ts';
import type { Blame } from './startable.ts';

/** Entries of one list or map. The largest objects that an API server stores could hold ten times as many, and no file system can. */
export const MOST_ENTRIES = 2048;
/** No argument of a program and no variable of its environment can be longer (MAX_ARG_STRLEN of Linux). */
export const LONGEST_TEXT = 128 * 1024;
/**
 * Characters. A ConfigMap has at most so many, and with its managed fields no larger object fits into etcd. What is larger never was stored,
 * so that no bound Dataset has it.
 */
const LARGEST_OBJECT = 1 << 20;
/** Limit for all mounts together: 16 of each of as many mounts as a list may have. */
const MOST_OPTIONS = 16 * MOST_ENTRIES;
/** Each Secret is a request to the API server and a volume of the pods. */
export const MOST_SECRETS = 256;

/**
 * Rejects specs that are larger than any file system needs, before planning: no tenant's spec may keep the controller from the others.
 * Of specs that were in force before, only that counts which no API server could store: what is bound stays bound (decision 17).
 * @throws InvalidSpec with the first field that is too large.
 */
export function withinReason({ spec, dataset, namespace, name, wasInForce }: RuntimeInput<unknown>): void {
  const object = `Dataset ${namespace}/${name}`;
  if (wasInForce) return optionsWithinReason(dataset.spec, object, { characters: LARGEST_OBJECT });
  const options = optionSecrets(dataset.spec).length;
  reject(tooLong(spec), {});
  reject(tooLong(dataset.spec), { object });
  if (options > MOST_SECRETS)
    throw new InvalidSpec({ path: 'spec', expected: `at most ${MOST_SECRETS} Secrets with options`, found: String(options) }, { object });
  optionsWithinReason(dataset.spec, object, { options: MOST_OPTIONS, characters: LARGEST_OBJECT });
}

/** Each mount has the options of all mounts too: the product is what clients and engines get, as one text or as one table. */
function optionsWithinReason(
  { mounts = [], sharedOptions, sharedEncryptOptions }: DatasetSpec,
  object: string,
  limits: Readonly<Partial<Record<'options' | 'characters', number>>>,
): void {
  const shared = sizeOf(sharedOptions, sharedEncryptOptions);
  const own = mounts.map(({ options, encryptOptions }) => sizeOf(options, encryptOptions));
  for (const unit of ['options', 'characters'] as const) {
    const most = limits[unit] ?? Infinity;
    const sum = own.reduce((total, each) => total + each[unit], 0);
    if (mounts.length * shared[unit] + sum <= most) continue;
    const path = shared.options === 0 ? 'mounts' : sharedOptions ? 'sharedOptions' : 'sharedEncryptOptions';
    const expected = `at most ${most} ${unit}${unit === 'characters' ? ' in options' : ''}, where each mount has those of all mounts too`;
    const found = `${mounts.length} mounts × ${shared[unit]} + ${sum}`;
    throw new InvalidSpec({ path: `spec.${path}`, expected, found }, { object });
  }
}

function sizeOf(plain: Readonly<Record<string, string>> = {}, secret: readonly EncryptOption[] = []) {
  const names = Object.keys(plain);
  const ofPlain = names.reduce((sum, name) => sum + name.length + (plain[name] ?? '').length, 0);
  const ofSecret = secret.reduce((sum, { name, valueFrom }) => sum + name.length + (valueFrom?.secretKeyRef?.name ?? '').length, 0);
  return { options: names.length + secret.length, characters: ofPlain + ofSecret };
}

/**
 * A rendered object, before it is kept or sent. A synthesis measures only the data of ConfigMaps and Secrets, as whole objects would cost
 * it a third more; the controller measures the text by which it compares.
 * @param text the object as JSON, whose escapes make it longer, if it is known
 * @param blame which field a user can shorten, if it is known
 * @throws InvalidSpec with the object that is too large.
 */
export function storable(manifest: Manifest, text?: string, blame?: Blame): Manifest {
  const { kind, metadata } = manifest;
  // In base64.
  const most = kind === 'Secret' ? (LARGEST_OBJECT / 3) * 4 : LARGEST_OBJECT;
  const measured = text === undefined ? { data: manifest['data'] } : text.length > most ? manifest : {};
  if (room(measured, most) >= 0) return manifest;
  const { path, ...options } = blame?.() ?? { path: 'spec' };
  const expected = `objects of at most ${LARGEST_OBJECT} characters, which the API server can store`;
  throw new InvalidSpec({ path, expected, found: `a larger ${kind} ${metadata.name}` }, options);
}

/** The rest of so many characters; negative, and no longer counted, when they are used up. */
function room(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left;
  for (const key in value) {
    rest = room((value as Readonly<Record<string, unknown>>)[key], rest - key.length);
    if (rest < 0) break;
  }
  return rest;
}

/** The same for an operation. */
export const operationWithinReason = ({ spec }: Operation): void => reject(tooLong(spec), {});

function reject(found: Beyond | undefined, options: { readonly object?: string }): void {
  if (!found) return;
  const { path, ...said } = found;
  throw new InvalidSpec({ path: pathText(['spec', ...path.toReversed()]), ...said }, options);
}

interface Beyond {
  /** Keys from there to the root. */
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly found: string;
}

function tooLong(value: unknown): Beyond | undefined {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT
      ? { path: [], expected: `at most ${LONGEST_TEXT} characters`, found: `${value.length} characters` }
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const keys = Object.keys(value);
  if (keys.length > MOST_ENTRIES) return { path: [], expected: `at most ${MOST_ENTRIES} entries`, found: `${keys.length} entries` };
  for (const key of keys) {
    const found = tooLong(key) ?? tooLong((value as Readonly<Record<string, unknown>>)[key]);
    if (found) return { ...found, path: [...found.path, Array.isArray(value) ? Number(key) : key] };
  }
  return undefined;
}
