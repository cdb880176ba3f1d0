import type { KnownObjects } from './known.ts';

/** Characters of JSON that one admission may have read of DaemonSets and runtimes: a pod with more clients could not be stored. */
const MOST = 1 << 20;

/** An admission would read more than it may. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/**
 * The same, for one admission: each object is found once. Datasets of one tenant may be many and large, and the event loop is everybody's.
 * @throws TooMuch from its methods
 */
export function metered(known: KnownObjects): KnownObjects {
  let sum = 0;
  function once<T extends { readonly size: number }>(find: (...path: string[]) => T | undefined): (...path: string[]) => T | undefined {
    const found = new Map<string, T | undefined>();
    return (...path) => {
      const key = path.join('/');
      if (found.has(key)) return found.get(key);
      const object = find(...path);
      sum += object?.size ?? 0;
      if (sum > MOST) throw new TooMuch(`expected Datasets whose FUSE clients are at most ${MOST} characters of JSON in all, found more`);
      found.set(key, object);
      return object;
    };
  }
  const fuse = once((namespace = '', name = '') => known.fuse(namespace, name));
  const runtime = once((type = '', namespace = '', name = '') => known.runtime(type, namespace, name));
  return { ...known, fuse, runtime };
}
