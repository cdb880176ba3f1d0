import type { KubeObject } from '../../kube/types.ts';
import { type Collection, createCollection } from '../collection.ts';
import type { ApiServer, Changed } from '../index.ts';

/** Objects of all kinds by what they say, such as who owns them: kept with each change, so that nobody searches among all of them. */
export interface ObjectIndex {
  /** In the order of their names. The list stays the same one until one of them changes. */
  of(key: string): readonly KubeObject[];
  count(key: string): number;
}

/** @param keysOf by which keys an object is found, the same ones each time; one for which it throws is not found */
export function createIndex(server: ApiServer, keysOf: (object: KubeObject) => readonly string[]): ObjectIndex {
  const found = new Map<string, Collection>();
  function readKeys(object: KubeObject | undefined): readonly string[] {
    try {
      return object ? keysOf(object) : [];
    } catch {
      return [];
    }
  }
  function follow({ object, old }: Changed): void {
    const [keys, before] = [readKeys(object), readKeys(old)];
    for (const key of keys) {
      const at = found.get(key) ?? createCollection();
      found.set(key, at);
      at.set(idOf(object!), object!);
    }
    for (const key of before) {
      const at = found.get(key);
      if (object && keys.includes(key) && idOf(object) === idOf(old!)) continue;
      at?.delete(idOf(old!));
      if (at?.size === 0) found.delete(key);
    }
  }
  for (const object of server.all()) follow({ object, old: undefined });
  server.follow(follow);
  return { of: (key) => found.get(key)?.sorted() ?? [], count: (key) => found.get(key)?.size ?? 0 };
}

const idOf = ({ apiVersion, kind, metadata: { namespace = '', name } }: KubeObject): string => `${apiVersion}/${kind}/${namespace}/${name}`;
