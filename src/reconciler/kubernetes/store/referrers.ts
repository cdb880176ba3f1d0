import type { ObjectChange } from '../../../kube/watch/reflector.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { type Key, keyText } from '../../world.ts';
import { claimedBy, targetsOf } from '../../../planning/volumes.ts';

/** Which Datasets refer to which others, by their volumes: no user can write these, so no user can keep a Dataset of another from being deleted. */
export interface Referrers {
  changed(change: ObjectChange<KubeObject>): void;
  /** Datasets whose volume leads to this one, at once or in the end; sorted. */
  of(key: Key): readonly Key[];
}

/** @param onKey called when the list of a Dataset has changed */
export function createReferrers(onKey: (key: Key, because: string) => void): Referrers {
  /** Names of volumes and their Datasets, by each Dataset that they lead to. */
  const byTarget = new Map<string, Map<string, Key>>();

  function remove(volume: KubeObject, target: Key): void {
    const left = byTarget.get(keyText(target));
    left?.delete(volume.metadata.name);
    if (left?.size === 0) byTarget.delete(keyText(target));
  }

  return {
    changed(change) {
      const { object, type } = change;
      const now = type === 'deleted' ? [] : targetsOf(object);
      const before = type === 'added' ? [] : targetsOf(type === 'changed' ? change.old : object);
      const user = claimedBy(object);
      const isIn = (keys: readonly Key[]) => (key: Key) => keys.some((each) => keyText(each) === keyText(key));
      const [ended, begun] = [before.filter((key) => !isIn(now)(key)), now.filter((key) => !isIn(before)(key))];
      for (const key of ended) remove(object, key);
      for (const key of begun) {
        const known = byTarget.get(keyText(key)) ?? new Map<string, Key>();
        byTarget.set(keyText(key), known.set(object.metadata.name, user));
      }
      for (const key of ended) onKey(key, `Dataset ${keyText(user)} no longer refers to it`);
      for (const key of begun) onKey(key, `Dataset ${keyText(user)} refers to it`);
    },
    of: (key) => [...(byTarget.get(keyText(key))?.values() ?? [])].toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1)),
  };
}
