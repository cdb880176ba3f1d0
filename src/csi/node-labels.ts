import type { NodeCluster } from './cluster.ts';

/**
 * The labels of our node, written by one hand: what is asked for while a request is under way goes into the next one, all of it. A label
 * is there for its users, of which there may be several.
 */
export interface NodeLabels {
  /** Resolves when the node has the label. */
  take(key: string, user: string): Promise<void>;
  /** Resolves when the node has it no longer, or when somebody else has taken it. */
  leave(key: string, user: string): Promise<void>;
  /** It uses no label any more; all stay. */
  forget(user: string): void;
}

interface Wish {
  readonly key: string;
  readonly value: 'true' | null;
}

export function nodeLabels(cluster: Pick<NodeCluster, 'labelNode'>): NodeLabels {
  const users = new Map<string, Set<string>>();
  let wishes: Wish[] = [];
  let writing: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function want(wish: Wish): Promise<void> {
    wishes.push(wish);
    next ??= (writing ?? Promise.resolve()).then(write, write);
    return next;
  }

  function drop(key: string, user: string): void {
    const all = users.get(key);
    all?.delete(user);
    if (all?.size === 0) users.delete(key);
  }

  async function write(): Promise<void> {
    // Asked now, when nothing can come in between: who took the label after it was left keeps it.
    const labels = Object.fromEntries(
      wishes.filter(({ key, value }) => value !== null || !users.has(key)).map(({ key, value }) => [key, value]),
    );
    wishes = [];
    next = undefined;
    if (Object.keys(labels).length === 0) return;
    writing = cluster.labelNode(labels);
    try {
      await writing;
    } finally {
      writing = undefined;
    }
  }

  return {
    take(key, user) {
      const all = users.get(key) ?? new Set();
      users.set(key, all.add(user));
      return want({ key, value: 'true' });
    },
    async leave(key, user) {
      drop(key, user);
      if (!users.has(key)) await want({ key, value: null });
    },
    forget(user) {
      for (const key of users.keys()) drop(key, user);
    },
  };
}
