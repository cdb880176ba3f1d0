import { isForbidden, isInvalid } from '../../kube/kube-client.ts';
import type { NodeCluster } from './node-cluster.ts';

/**
 * The labels of our node, written by one hand: what is asked for while a request is under way goes into the next one, all of it. A label
 * is there for its users, of which there may be several. What is refused together is asked for one by one: each is told of its own.
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
  readonly done: PromiseWithResolvers<void>;
}

export function nodeLabels(cluster: Pick<NodeCluster, 'labelNode'>): NodeLabels {
  const users = new Map<string, Set<string>>();
  const wishes: Wish[] = [];
  let writing = false;

  function want(key: string, value: 'true' | null): Promise<void> {
    const done = Promise.withResolvers<void>();
    wishes.push({ key, value, done });
    if (!writing) {
      writing = true;
      queueMicrotask(() => void writeAll());
    }
    return done.promise;
  }

  function drop(key: string, user: string): void {
    const all = users.get(key);
    all?.delete(user);
    if (all?.size === 0) users.delete(key);
  }

  async function writeAll(): Promise<void> {
    while (wishes.length > 0) await write(wishes.splice(0));
    writing = false;
  }

  async function write(batch: readonly Wish[]): Promise<void> {
    // Asked now, when nothing can come in between: who took the label after it was left keeps it.
    const labels = Object.fromEntries(
      batch.filter(({ key, value }) => value !== null || !users.has(key)).map(({ key, value }) => [key, value]),
    );
    try {
      if (Object.keys(labels).length > 0) await cluster.labelNode(labels);
      for (const { done } of batch) done.resolve();
    } catch (error) {
      if (batch.length > 1 && (isInvalid(error) || isForbidden(error))) for (const wish of batch) await write([wish]);
      else for (const { done } of batch) done.reject(error);
    }
  }

  return {
    take(key, user) {
      const all = users.get(key) ?? new Set();
      users.set(key, all.add(user));
      return want(key, 'true');
    },
    async leave(key, user) {
      drop(key, user);
      if (!users.has(key)) await want(key, null);
    },
    forget(user) {
      for (const key of users.keys()) drop(key, user);
    },
  };
}
