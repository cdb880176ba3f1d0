import { InvalidSpec, shown } from '../api/index.ts';

import type { Warning } from './warnings.ts';

export type Options = Readonly<Record<string, string>>;

/** A `-o` list, `allow_other,cache-size=1024`: keys in order, an empty value prints the bare key. `path` names the field in errors. */
export function optionList(options: Options, path: string): string {
  const faults = Object.entries(options).flatMap(([key, value]) =>
    key.includes(',') || value.includes(',') || key === '' || key.includes('=')
      ? [
          {
            path: `${path}.${key}`,
            expected: 'a name without "," or "=" and a value without ",", which separate mount options',
            found: shown(key + (value ? `=${value}` : '')),
          },
        ]
      : [],
  );
  if (faults.length > 0) throw new InvalidSpec(faults);
  return joinedOptions(options);
}

/** The same of options that are whatever their user says, as in Fluid; `separatorsIn` tells of those that become several. */
export const joinedOptions = (options: Options): string =>
  Object.keys(options)
    .toSorted()
    .filter((key) => key || options[key])
    .map((key) => (options[key] ? `${key}=${options[key]}` : key))
    .join(',');

/** Clients split their options at each ",": a value with one works, though not as it reads. */
export const separatorsIn = (options: Options = {}, path: string): readonly Warning[] =>
  Object.entries(options).flatMap(([key, value]) =>
    key === '' || /[,=]/.test(key) || value.includes(',')
      ? [{ reason: 'SpecAmbiguous', message: `${path}[${shown(key)}]: "," and "=" separate mount options; the client sees several` }]
      : [],
  );

/** A value that a program takes by position: one that begins with `-` would be read as an option. */
export function positional(value: string, path: string): string {
  if (value.startsWith('-') || value === '')
    throw new InvalidSpec({ path, expected: 'a text that does not begin with "-"', found: shown(value) });
  return value;
}

/** A path that will be deleted or mounted on: absolute, without `..`. */
export function absolutePath(value: string, path: string): string {
  if (!value.startsWith('/') || value.split('/').includes('..'))
    throw new InvalidSpec({ path, expected: 'an absolute path without ".."', found: shown(value) });
  return value;
}
