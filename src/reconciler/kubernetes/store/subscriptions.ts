import { type Key, keyText } from '../../world.ts';

/** Who asked for which profile: nobody else is to be told of its changes. */
export interface Subscriptions {
  add(kind: string, name: string, user: Key): void;
  of(kind: string, name: string): Iterable<Key>;
  forget(user: Key): void;
}

export function createSubscriptions(): Subscriptions {
  const users = new Map<string, Map<string, Key>>();
  const used = new Map<string, Set<string>>();
  return {
    add(kind, name, user) {
      const [id, text] = [`${kind}/${name}`, keyText(user)];
      const those = users.get(id) ?? new Map<string, Key>();
      if (those.has(text)) return;
      users.set(id, those.set(text, user));
      used.set(text, (used.get(text) ?? new Set()).add(id));
    },
    of: (kind, name) => [...(users.get(`${kind}/${name}`)?.values() ?? [])],
    forget(user) {
      const text = keyText(user);
      for (const id of used.get(text) ?? []) {
        const those = users.get(id);
        those?.delete(text);
        if (those?.size === 0) users.delete(id);
      }
      used.delete(text);
    },
  };
}
