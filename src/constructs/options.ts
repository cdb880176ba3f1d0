import { InvalidSpec, keyPath, shown } from '../api/index.ts';

import { ignored, type Warning } from './warnings.ts';

/** Options of a client, by name. An empty value means an option without value. */
export type Options = Readonly<Record<string, string>>;

/**
 * A `-o` list, in the order of names. An empty value prints the name alone. `path` names the field in errors.
 * @throws InvalidSpec when a name has "," or "=", or a value has ",": they separate options.
 * @example
 * optionList({ 'cache-size': '1024', allow_other: '' }, 'spec.options'); // → 'allow_other,cache-size=1024'
 * optionList({ a: '1,suid' }, 'spec.options'); // throws spec.options.a
 */
export function optionList(options: Options, path: string): string {
  const faults = Object.entries(options).flatMap(([key, value]) =>
    key.includes(',') || value.includes(',') || key === '' || key.includes('=')
      ? [
          {
            path: keyPath(path, key),
            expected:
              key === '' ? 'the name of an option' : 'a name without "," or "=" and a value without ",", which separate mount options',
            found: shown(key + (key && value ? `=${value}` : '')),
          },
        ]
      : [],
  );
  if (faults.length > 0) throw new InvalidSpec(faults);
  return joinedOptions(options);
}

/**
 * The same list of options that are passed as their user wrote them, as in Fluid, but for those without a name. `separatorsIn` warns of these,
 * and of those that become several.
 */
export const joinedOptions = (options: Options): string =>
  Object.keys(options)
    .toSorted()
    .filter((key) => key !== '')
    .map((key) => (options[key] ? `${key}=${options[key]}` : key))
    .join(',');

/** Clients split options at each ",": one whose value has a "," works, but not as it reads. */
export const separatorsIn = (options: Options = {}, path: string): readonly Warning[] =>
  Object.entries(options).flatMap(([key, value]) => {
    const field = keyPath(path, key);
    if (key === '') return [ignored(field, 'has no effect; expected the name of an option, found ""')];
    return /[,=]/.test(key) || value.includes(',')
      ? [{ reason: 'SpecAmbiguous', message: `${field}: "," and "=" separate mount options; the client sees several` }]
      : [];
  });

/**
 * A value that a program takes by position.
 * @throws InvalidSpec when it begins with "-", which a program would read as an option, or is empty.
 * @example
 * positional('bucket/images', 'spec.mounts[0].mountPoint'); // → 'bucket/images'
 * positional('-rf', 'spec.mounts[0].mountPoint'); // throws a text that does not begin with "-"
 */
export function positional(value: string, path: string): string {
  if (value.startsWith('-') || value === '')
    throw new InvalidSpec({ path, expected: 'a text that does not begin with "-"', found: shown(value) });
  return value;
}

/**
 * A path to delete or to mount on.
 * @throws InvalidSpec when it is not absolute or has `..`.
 * @example
 * absolutePath('/cache', 'spec.cachePath'); // → '/cache'
 * absolutePath('/cache/../etc', 'spec.cachePath'); // throws an absolute path without ".."
 */
export function absolutePath(value: string, path: string): string {
  // Not split: a path may have as many parts as an object has characters.
  if (!value.startsWith('/') || `${value}/`.includes('/../'))
    throw new InvalidSpec({ path, expected: 'an absolute path without ".."', found: shown(value) });
  return value;
}

/**
 * An absolute path without slashes that say nothing: one at its end, or two in a row.
 * @example
 * cleanPath('cache//a/'); // → '/cache/a'
 */
export const cleanPath = (path: string): string =>
  // A path is split only if it has to be: it may have as many parts as an object has characters.
  /^\/[^/]/.test(path) && !path.includes('//') && !path.endsWith('/') ? path : `/${path.split('/').filter(Boolean).join('/')}`;

/**
 * The directory of a cache, as `cleanPath` writes it.
 * @throws InvalidSpec when it is not absolute, has `..`, or is the root.
 * @example
 * cacheDirectory('/cache/', 'spec.cachePath'); // → '/cache'
 */
export function cacheDirectory(value: string, path: string): string {
  const directory = cleanPath(absolutePath(value, path));
  if (directory === '/') throw new InvalidSpec({ path, expected: 'a directory below /', found: shown(value) });
  return directory;
}

/**
 * A user's text as an argument of a container: the kubelet would replace `$(NAME)` by a variable, and `$$` by `$`.
 * @example
 * literal('/data/$(HOME)'); // → '/data/$$(HOME)'
 */
export const literal = (text: string): string => text.replaceAll('$', () => '$$');
