import type { KubeObject } from '../types.ts';

/** A change of one object. An object made anew under an old name is `deleted`, then `added`. */
export type ObjectChange<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'changed'; readonly old: T; readonly object: T }
  /** `object` is the last that was seen: from the event, or from the store if the deletion was only noticed by a new list. */
  | { readonly type: 'deleted'; readonly object: T };

/** The objects of one collection as last seen, and what changed each time more is seen. */
export interface WatchedCollection<T> {
  readonly store: ReadonlyMap<string, T>;
  /** An object as it is now. */
  seen(object: KubeObject): void;
  /** An object that is gone. */
  gone(object: KubeObject): void;
  /** The projection of an object from a list that is not complete yet. */
  read(object: KubeObject): Projected<T>;
  /** Everything that there is now. */
  replace(objects: readonly Projected<T>[]): void;
}

export interface Projected<T> {
  readonly key: string;
  readonly uid: string | undefined;
  /** Undefined: it cannot be read. */
  readonly kept: T | undefined;
}

/** The key of an object: `<namespace>/<name>`, with nothing before the slash for what belongs to the cluster. */
export const keyOf = (namespace: string | undefined, name: string): string =>
  // Not a template: V8 would keep the parts of it, and there are as many keys as objects.
  [namespace ?? '', name].join('/');

/**
 * @param project what is kept of each object; must keep metadata.uid and metadata.resourceVersion. Undefined: cannot be read, and is
 *   passed over. Given what was kept of it before, with which it may share what has not changed
 * @param onChange called after the store has the change, in order, one at a time
 */
export function createCollection<T extends KubeObject>(
  project: (object: KubeObject, before?: T) => T | undefined,
  onChange: (change: ObjectChange<T>) => void,
): WatchedCollection<T> {
  const store = new Map<string, T>();

  function read(object: KubeObject): Projected<T> {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const key = keyOf(namespace, name);
    const old = store.get(key);
    // Seen already: a new list finds most objects as they were.
    const isSeen = old !== undefined && old.metadata.uid === uid && old.metadata.resourceVersion === resourceVersion;
    return { key, uid, kept: isSeen ? old : project(object, old?.metadata.uid === uid ? old : undefined) };
  }

  function remove(key: string, last: T): void {
    store.delete(key);
    onChange({ type: 'deleted', object: last });
  }

  function take({ key, uid, kept }: Projected<T>): void {
    const old = store.get(key);
    const isSame = old !== undefined && old.metadata.uid === uid;
    if (old !== undefined && !isSame) remove(key, old);
    if (kept === undefined || kept === old) return;
    store.set(key, kept);
    onChange(isSame ? { type: 'changed', old, object: kept } : { type: 'added', object: kept });
  }

  return {
    store,
    read,
    seen: (object) => take(read(object)),
    gone(object) {
      const key = keyOf(object.metadata.namespace, object.metadata.name);
      const old = store.get(key);
      // Another uid: the deletion was reported when its successor was seen.
      if (old !== undefined && old.metadata.uid === object.metadata.uid) remove(key, project(object) ?? old);
    },
    replace(objects) {
      const there = new Set(objects.map(({ key }) => key));
      // Deletions first: what they free (ports, names) may be what an addition needs.
      for (const [key, old] of store) if (!there.has(key)) remove(key, old);
      for (const object of objects) take(object);
    },
  };
}
