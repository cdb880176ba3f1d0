import type { ObjectChange } from '../../../kube/watch/reflector.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { type Key, keyText } from '../../world.ts';

/** Which runtimes read which profile or which other Dataset: a change of it wakes them, and no others. */
export interface Subscriptions {
  add(kind: string, name: string, user: Key): void;
  /** Wakes every user of this kind and name. */
  wake(kind: string, name: string, change: ObjectChange<KubeObject>): void;
  /** Removes all subscriptions of a user. */
  remove(user: Key): void;
}

export function createSubscriptions(onKey: (key: Key, because: string) => void): Subscriptions {
  const usersOf = new Map<string, Map<string, Key>>();
  const usedBy = new Map<string, Set<string>>();
  return {
    add(kind, name, user) {
      const [id, text] = [`${kind}/${name}`, keyText(user)];
      const users = usersOf.get(id) ?? new Map<string, Key>();
      if (users.has(text)) return;
      usersOf.set(id, users.set(text, user));
      usedBy.set(text, (usedBy.get(text) ?? new Set()).add(id));
    },
    wake(kind, name, { type, object }) {
      for (const user of usersOf.get(`${kind}/${name}`)?.values() ?? []) onKey(user, `${object.kind} ${object.metadata.name} ${type}`);
    },
    remove(user) {
      const text = keyText(user);
      for (const id of usedBy.get(text) ?? []) {
        const users = usersOf.get(id);
        users?.delete(text);
        if (users?.size === 0) usersOf.delete(id);
      }
      usedBy.delete(text);
    },
  };
}
