import type { KubeObject } from '../../kube/types.ts';

/** Reads what follows from an object, once for each version of it: there may be thousands, and each pass lists them. */
export type Once<T> = (listed: KubeObject, read: () => Promise<T>) => Promise<T>;

export function createOnce<T>(): Once<T> {
  const known = new Map<string, T>();
  return async ({ metadata: { uid = '', resourceVersion = '' } }, read) => {
    const id = `${uid} ${resourceVersion}`;
    if (!known.has(id)) known.set(id, await read());
    // The cast: it was set above.
    return known.get(id) as T;
  };
}
