import type { KubeObject } from './types.ts';

/** What happened to one object. An object made anew under an old name is `deleted`, then `added`. */
export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'changed'; readonly old: T; readonly object: T }
  /** `object` is the last that was seen: from the event, or from the store if the deletion was only noticed by a new list. */
  | { readonly type: 'deleted'; readonly object: T };

/** The objects of one collection as last seen, and what changed each time more is seen. */
export interface Collection<T> {
  readonly store: ReadonlyMap<string, T>;
  /** An object as it is now. */
  seen(object: KubeObject): void;
  /** An object that is gone. */
  gone(object: KubeObject): void;
  /** Everything that there is now. */
  replace(objects: readonly KubeObject[]): void;
}

/** The key of an object: `<namespace>/<name>`, with nothing before the slash for what belongs to the cluster. */
export const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

/**
 * @param project what is kept of each object; must keep metadata.uid and metadata.resourceVersion. Undefined: cannot be read, and is
 *   passed over
 * @param onChange called after the store has the change, in order, one at a time
 */
export function createCollection<T extends KubeObject>(
  project: (object: KubeObject) => T | undefined,
  onChange: (change: Change<T>) => void,
): Collection<T> {
  const store = new Map<string, T>();

  function add(key: string, object: KubeObject): void {
    const added = project(object);
    if (added === undefined) return;
    store.set(key, added);
    onChange({ type: 'added', object: added });
  }

  function remove(key: string, last: T): void {
    store.delete(key);
    onChange({ type: 'deleted', object: last });
  }

  function seen(object: KubeObject): void {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const key = keyOf(namespace, name);
    const old = store.get(key);
    if (old === undefined) return add(key, object);
    if (old.metadata.uid !== uid) {
      remove(key, old);
      return add(key, object);
    }
    // Seen already: a new list finds most objects as they were.
    if (old.metadata.resourceVersion === resourceVersion) return;
    const now = project(object);
    if (now === undefined) return;
    store.set(key, now);
    onChange({ type: 'changed', old, object: now });
  }

  return {
    store,
    seen,
    gone(object) {
      const key = keyOf(object.metadata.namespace, object.metadata.name);
      const old = store.get(key);
      // Another uid: that deletion was already told when its successor was seen.
      if (old !== undefined && old.metadata.uid === object.metadata.uid) remove(key, project(object) ?? old);
    },
    replace(objects) {
      const there = new Set(objects.map(({ metadata }) => keyOf(metadata.namespace, metadata.name)));
      // Deletions first: what they free (ports, names) may be what an addition needs.
      for (const [key, old] of store) if (!there.has(key)) remove(key, old);
      for (const object of objects) seen(object);
    },
  };
}
