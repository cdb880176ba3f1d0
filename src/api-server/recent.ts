/** Values made lately: each is made once for callers that ask at about the same time, and memory does not grow with their number. */
export interface Recent<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
}

/** @param most the sizes of all that is kept, together, besides the newest; the oldest goes first */
export function createRecent<K, V>(most: number, sizeOf: (value: V) => number): Recent<K, V> {
  const kept = new Map<K, V>();
  let size = 0;
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      const before = kept.get(key);
      if (before !== undefined) size -= sizeOf(before);
      // As the newest.
      kept.delete(key);
      kept.set(key, value);
      size += sizeOf(value);
      for (const [oldest, its] of kept) {
        if (size <= most || oldest === key) break;
        kept.delete(oldest);
        size -= sizeOf(its);
      }
    },
  };
}
