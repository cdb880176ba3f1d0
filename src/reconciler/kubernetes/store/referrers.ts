import type { Change } from '../../../kube/watch/reflector.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { type Key, keyText } from '../../world.ts';
import { claimedBy, targetOf } from './volumes.ts';

/** Which Datasets refer to which others, by their volumes: no user can write these, so no user can keep a Dataset of another from being deleted. */
export interface Referrers {
  changed(change: Change<KubeObject>): void;
  /** Datasets whose volume leads to this one, sorted. */
  of(key: Key): readonly Key[];
}

/** @param onKey called when the list of a Dataset has changed */
export function createReferrers(onKey: (key: Key, because: string) => void): Referrers {
  /** Names of volumes and their Datasets, by the Dataset that they lead to. */
  const byTarget = new Map<string, Map<string, Key>>();

  function remove(volume: KubeObject, target: Key): void {
    const left = byTarget.get(keyText(target));
    left?.delete(volume.metadata.name);
    if (left?.size === 0) byTarget.delete(keyText(target));
  }

  return {
    changed(change) {
      const { object, type } = change;
      const now = type === 'deleted' ? undefined : targetOf(object);
      const before = type === 'added' ? undefined : targetOf(type === 'changed' ? change.old : object);
      const user = claimedBy(object);
      if (before && now && keyText(before) === keyText(now)) return;
      if (before) remove(object, before);
      if (now) {
        const known = byTarget.get(keyText(now)) ?? new Map<string, Key>();
        byTarget.set(keyText(now), known.set(object.metadata.name, user));
      }
      for (const key of [before, now]) if (key) onKey(key, `Dataset ${keyText(user)} ${now ? 'refers' : 'no longer refers'} to it`);
    },
    of: (key) => [...(byTarget.get(keyText(key))?.values() ?? [])].toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1)),
  };
}
