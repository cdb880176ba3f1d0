/** Patterns of files, as Python's `glob` has them, which Fluid uses: `*`, `?`, `[a-z]`, `[!a]`, and `**` for any directories. */

/** The names on the way to a file, each of which may be a pattern. */
type Pattern = readonly string[];

/** How far a path below the root fits which patterns: the names that are still to come. A path that fits none has none. */
export type Fits = readonly Pattern[];

const ANY = '**';
/** Whether a text has wildcards. */
export const isPattern = (segment: string): boolean => /[*?[]/.test(segment);

/**
 * The patterns that fit before the first name. A pattern without wildcards is a file, or a directory with everything in it.
 * @param texts absolute paths
 */
export function fitsOf(texts: readonly string[]): Fits {
  const patterns = texts
    .map((text) => text.split('/').filter((segment) => segment !== '' && segment !== '.'))
    .filter((pattern) => pattern.length > 0 && !pattern.includes('..'));
  return closed(patterns.flatMap((pattern) => (pattern.some(isPattern) ? [pattern] : [pattern, [...pattern, ANY]])));
}

/** The patterns that fit after one more name. */
export const after = (fits: Fits, name: string): Fits =>
  closed(
    fits.flatMap((pattern) => {
      const [first = '', ...rest] = pattern;
      if (first === ANY) return isHidden(name) ? [] : [pattern];
      return pattern.length > 0 && matches(first, name) ? [rest] : [];
    }),
  );

/** A file of this path has to be read. */
export const isWhole = (fits: Fits): boolean => fits.some((pattern) => pattern.length === 0);

/** The names that can come next; undefined: any. */
export function nextNames(fits: Fits): readonly string[] | undefined {
  const names = fits.flatMap(([first]) => first ?? []);
  return names.some(isPattern) ? undefined : names;
}

/** With what follows if `**` stands for no directory. Each pattern once: `**` `**` is `**`. */
function closed(patterns: readonly Pattern[]): Fits {
  const all = new Map<string, Pattern>();
  const add = (pattern: Pattern): void => {
    const key = pattern.join('/');
    if (all.has(key)) return;
    all.set(key, pattern);
    if (pattern[0] === ANY) add(pattern.slice(1));
  };
  patterns.forEach(add);
  return [...all.values()];
}

/** Wildcards pass such names over: file systems have special files among them, some of which never end. */
const isHidden = (name: string): boolean => name.startsWith('.');

/** Whether a name fits a pattern without `/`, in at most as many steps as the product of both lengths. */
export function matches(pattern: string, name: string): boolean {
  if (isHidden(name) && !pattern.startsWith('.')) return false;
  let [p, n] = [0, 0];
  /** After the last star, and where its part of the name ends. */
  let star = -1;
  let taken = 0;
  while (n < name.length) {
    const length = lengthOfOne(pattern, p, name[n] ?? '');
    if (pattern[p] === '*') {
      star = ++p;
      taken = n;
    } else if (length > 0) {
      p += length;
      n++;
    } else if (star >= 0) {
      p = star;
      n = ++taken;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Length of the piece of the pattern that fits this character; 0 if it does not. */
function lengthOfOne(pattern: string, at: number, character: string): number {
  const first = pattern[at];
  if (first === undefined || first === '*') return 0;
  // A bracket that comes first is a member, as in `[]]`.
  const end = first === '[' ? pattern.indexOf(']', at + (pattern[at + 1] === '!' ? 3 : 2)) : -1;
  if (end < 0) return first === '?' || first === character ? 1 : 0;
  const isNegated = pattern[at + 1] === '!';
  const members = pattern.slice(at + (isNegated ? 2 : 1), end);
  return isMember(members, character) !== isNegated ? end + 1 - at : 0;
}

function isMember(members: string, character: string): boolean {
  for (let i = 0; i < members.length; ) {
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    const [from = '', to = ''] = [members[i], members[isRange ? i + 2 : i]];
    if (from <= character && character <= to) return true;
    i += isRange ? 3 : 1;
  }
  return false;
}
