/** A text is not what it should be; the message names the field, what was expected and what was found. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** @throws Malformed */
export function expect(holds: boolean, field: string, expected: string, found: unknown): asserts holds {
  if (!holds) throw new Malformed(`${field}: expected ${expected}, found ${foundOf(found)}`);
}

/** Never more than a short text: what is in a pod may be secret, or nested too deeply to be printed. */
function foundOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
}
