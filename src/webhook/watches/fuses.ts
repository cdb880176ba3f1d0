import { type Change, keyOf } from '../../kube/watch/collection.ts';
import type { KeptFuse } from './kept.ts';

/** DaemonSets by the runtime that owns them. */
export interface Fuses {
  changed(change: Change<KeptFuse>): void;
  /** Name of the DaemonSet of a runtime. Of several the first by name, so that all replicas choose the same. */
  nameOf(namespace: string, owner: string): string | undefined;
}

export function createFuses(): Fuses {
  /** Nearly always one name. */
  const names = new Map<string, readonly string[]>();
  const keyOfOwner = ({ metadata, known }: KeptFuse) => known && keyOf(metadata.namespace, known.owner);

  function remove(fuse: KeptFuse): void {
    const key = keyOfOwner(fuse);
    if (key === undefined) return;
    const left = (names.get(key) ?? []).filter((name) => name !== fuse.metadata.name);
    if (left.length > 0) names.set(key, left);
    else names.delete(key);
  }
  function add(fuse: KeptFuse): void {
    const key = keyOfOwner(fuse);
    if (key !== undefined) names.set(key, [...(names.get(key) ?? []), fuse.metadata.name].toSorted());
  }

  return {
    changed(change) {
      if (change.type === 'changed') {
        if (change.old.known?.owner === change.object.known?.owner) return;
        remove(change.old);
      }
      if (change.type === 'deleted') remove(change.object);
      else add(change.object);
    },
    nameOf: (namespace, owner) => names.get(keyOf(namespace, owner))?.[0],
  };
}
