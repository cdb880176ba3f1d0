import { InvalidSpec, shown } from '../api/index.ts';

/**
 * Collapses a list that the API server merges by key.
 * `later`: the last entry of a key wins and takes the last one's place, as in the kubelet's reading of `env`.
 * `equal`: entries of a key must be equal.
 * @throws InvalidSpec at `path`, when two entries of a key differ.
 */
export function byKey<T extends object>(
  keyOf: (entry: T) => unknown,
  list: readonly T[] | undefined,
  rule: 'later' | 'equal',
  path = '',
): readonly T[] | undefined {
  if (!list || list.length === 0) return undefined;
  const merged = new Map<unknown, T>();
  for (const entry of list) {
    const key = keyOf(entry);
    const before = merged.get(key);
    if (before && rule === 'equal' && inOrder(before) !== inOrder(entry))
      throw new InvalidSpec({
        path: `${path}[${String(key)}]`,
        expected: 'one entry for each key',
        found: `${shown(before)} and ${shown(entry)}`,
      });
    // Deleted first, so that the winner also has the last one's position: `$(VAR)` refers to variables before it.
    if (rule === 'later') merged.delete(key);
    merged.set(key, entry);
  }
  return [...merged.values()];
}

/** As JSON, with sorted fields. */
const inOrder = (entry: object): string =>
  JSON.stringify(entry, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).toSorted()) : value,
  );
