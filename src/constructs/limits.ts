import { InvalidSpec } from '../api/index.ts';
import { pathText } from '../api/wording.ts';
import type { Operation, RuntimeInput } from './contract.ts';
import { optionSecrets } from './secret-options.ts';

/** Entries of one list or map. The largest objects that an API server stores could hold ten times as many, and no file system can. */
export const MOST_ENTRIES = 2048;
/** No argument of a program and no variable of its environment can be longer (MAX_ARG_STRLEN of Linux). */
export const LONGEST_TEXT = 128 * 1024;
/** Each Secret is a request to the API server and a volume of the pods. */
export const MOST_SECRETS = 256;

/**
 * Rejects specs that are larger than any file system needs, before planning: no tenant's spec may keep the controller from the others.
 * @throws InvalidSpec with the first field that is too large.
 */
export function withinReason({ spec, dataset, namespace, name }: RuntimeInput<unknown>): void {
  const object = `Dataset ${namespace}/${name}`;
  const options = optionSecrets(dataset.spec).length;
  reject(tooLong(spec), {});
  reject(tooLong(dataset.spec), { object });
  if (options > MOST_SECRETS)
    throw new InvalidSpec({ path: 'spec', expected: `at most ${MOST_SECRETS} Secrets with options`, found: String(options) }, { object });
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
