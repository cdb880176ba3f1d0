/** Patterns of definitions and rules. They are Go's; those that JavaScript reads mean the same there. */

const known = new Map<string, RegExp | undefined>();

/** Whether a text matches somewhere. A pattern that JavaScript cannot read is not judged: every text does. */
export function matches(pattern: string, text: string): boolean {
  if (!known.has(pattern)) known.set(pattern, read(pattern));
  return known.get(pattern)?.test(text) ?? true;
}

/** Strictly if it can be, since without `u` a character beyond 16 bits is two. */
function read(pattern: string): RegExp | undefined {
  const isCaseless = pattern.startsWith('(?i)');
  const body = isCaseless ? pattern.slice('(?i)'.length) : pattern;
  for (const flags of ['u', '']) {
    try {
      return new RegExp(body, isCaseless ? `${flags}i` : flags);
    } catch {
      continue;
    }
  }
  return undefined;
}
