import { isRecord } from '../../api/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The JSON merge patch (RFC 7386) that leads from one value to the other, undefined when they are equal. `only` limits it to the fields that are ours; null removes one. */
export function mergePatch(before: Fields, after: Fields, only: 'all' | 'given' = 'all'): Fields | undefined {
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = before[key];
    if (value === null && old === undefined) continue;
    if (isRecord(value) && isRecord(old)) {
      const inner = mergePatch(old, value);
      if (inner) patch[key] = inner;
    } else if (!equal(old, value)) patch[key] = value;
  }
  if (only === 'all') for (const key of Object.keys(before)) if (after[key] === undefined) patch[key] = null;
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Whether two values are equal as JSON; the order of keys does not count. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((entry, i) => equal(entry, b[i]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  return keys.length === Object.keys(b).filter((key) => b[key] !== undefined).length && keys.every((key) => equal(a[key], b[key]));
}
