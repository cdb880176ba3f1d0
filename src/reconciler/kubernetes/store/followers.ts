import { followedBy, mustSee } from '../../operations/predecessor.ts';
import { operationKeyOf } from '../../operations/references.ts';
import type { OperationObject } from '../../operations/world.ts';
import { keyText, type OperationKey } from '../../world.ts';

/** Which operations name which others in their specs: those that run after them, or near them. */
export interface Followers {
  /** An operation came, changed or went. Returns what it had still to see the end of before, and has not any more. */
  changed(old: OperationObject | undefined, now: OperationObject | undefined): readonly OperationKey[];
  /** Those whose specs name it. */
  of(key: OperationKey): Iterable<OperationKey>;
  /**
   * Whether an operation has still to see the end of this one. An operation of another namespace counts only if the annotation `followers`
   * of this one lists that namespace.
   */
  isAwaited(key: OperationKey): boolean;
}

export function createFollowers(find: (key: OperationKey) => OperationObject | undefined): Followers {
  const byPredecessor = new Map<string, Map<string, OperationKey>>();

  function remove(operation: OperationObject): void {
    for (const key of followedBy(operation)) {
      const id = keyText(key);
      const followers = byPredecessor.get(id);
      followers?.delete(keyText(operationKeyOf(operation)));
      if (followers?.size === 0) byPredecessor.delete(id);
    }
  }
  function add(operation: OperationObject): void {
    const follower = operationKeyOf(operation);
    for (const key of followedBy(operation)) {
      const id = keyText(key);
      byPredecessor.set(id, (byPredecessor.get(id) ?? new Map<string, OperationKey>()).set(keyText(follower), follower));
    }
  }

  return {
    changed(old, now) {
      if (old) remove(old);
      if (now) add(now);
      return old ? followedBy(old).filter((key) => mustSee(old, key, find) && !(now && mustSee(now, key, find))) : [];
    },
    of: (key) => byPredecessor.get(keyText(key))?.values() ?? [],
    isAwaited(key) {
      for (const each of byPredecessor.get(keyText(key))?.values() ?? []) {
        const follower = find(each);
        if (follower && mustSee(follower, key, find)) return true;
      }
      return false;
    },
  };
}
