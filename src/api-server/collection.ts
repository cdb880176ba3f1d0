import type { KubeObject } from '../kube/types.ts';

/** Objects of one kind by key, and in the order in which they are listed. */
export interface Collection {
  readonly size: number;
  get(key: string): KubeObject | undefined;
  set(key: string, object: KubeObject): void;
  delete(key: string): void;
  /** In the order of their creation. */
  all(): readonly KubeObject[];
  /** By key. It stays the same list until one of them changes. */
  sorted(): readonly KubeObject[];
}

export function createCollection(): Collection {
  const objects = new Map<string, KubeObject>();
  let keys: string[] = [];
  let sorted: readonly KubeObject[] = [];
  /** Keys of what has changed since they were sorted. */
  const stale = new Set<string>();

  /** Puts what has changed in its place: to sort thousands of objects again for a change of one would take most of the server's time. */
  function sort(): readonly KubeObject[] {
    if (stale.size > keys.length / 8) {
      keys = [...objects.keys()].toSorted();
      return keys.map((key) => objects.get(key)!);
    }
    const made = [...sorted];
    for (const key of stale) {
      const at = placeOf(key, keys);
      const object = objects.get(key);
      const isThere = keys[at] === key;
      if (object && isThere) made[at] = object;
      else if (object) {
        keys.splice(at, 0, key);
        made.splice(at, 0, object);
      } else if (isThere) {
        keys.splice(at, 1);
        made.splice(at, 1);
      }
    }
    return made;
  }

  return {
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    set(key, object) {
      objects.set(key, object);
      stale.add(key);
    },
    delete(key) {
      objects.delete(key);
      stale.add(key);
    },
    all: () => [...objects.values()],
    sorted() {
      if (stale.size > 0) sorted = sort();
      stale.clear();
      return sorted;
    },
  };
}

/** The first place in sorted keys whose key is not before this one. */
const placeOf = (key: string, keys: readonly string[]): number => firstIndex(keys.length, (i) => keys[i]! >= key);

/** The first of so many indexes for which it holds; it holds for all after that one too. */
export function firstIndex(length: number, holds: (i: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
