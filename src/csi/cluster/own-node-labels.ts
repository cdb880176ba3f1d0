import { isForbidden, isInvalid } from '../../kube/client/kube-client.ts';
import type { NodeCluster } from './node-cluster.ts';

/**
 * The labels of the plugin's node, all written here: what is wanted while a request is under way goes into the next one. A label may have
 * several users. When the API server rejects a request, its labels are written one by one, so that each caller gets its own error.
 */
export interface NodeLabels {
  /** Resolves when the node has the label. */
  take(key: string, user: string): Promise<void>;
  /** Sets a label again that its users took and the node has lost. */
  renew(key: string): Promise<void>;
  /** Resolves when the node has the label no longer, or when another user has taken it. */
  leave(key: string, user: string): Promise<void>;
  /** The user needs no label any more; the node keeps all. */
  forget(user: string): void;
}

interface LabelChange {
  readonly key: string;
  readonly value: 'true' | null;
  readonly done: PromiseWithResolvers<void>;
}

export function nodeLabels(cluster: Pick<NodeCluster, 'labelNode'>): NodeLabels {
  const users = new Map<string, Set<string>>();
  const changes: LabelChange[] = [];
  let writing = false;

  function want(key: string, value: 'true' | null): Promise<void> {
    const done = Promise.withResolvers<void>();
    changes.push({ key, value, done });
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
    while (changes.length > 0) await write(changes.splice(0));
    writing = false;
  }

  async function write(batch: readonly LabelChange[]): Promise<void> {
    // Decided now, so that a user who took the label after another had left it keeps it.
    const labels = Object.fromEntries(
      batch.filter(({ key, value }) => value !== null || !users.has(key)).map(({ key, value }) => [key, value]),
    );
    try {
      if (Object.keys(labels).length > 0) await cluster.labelNode(labels);
      for (const { done } of batch) done.resolve();
    } catch (error) {
      if (batch.length > 1 && (isInvalid(error) || isForbidden(error))) for (const change of batch) await write([change]);
      else for (const { done } of batch) done.reject(error);
    }
  }

  return {
    async take(key, user) {
      const isNew = !users.get(key)?.has(user);
      // At once: another user may leave it meanwhile.
      users.set(key, (users.get(key) ?? new Set()).add(user));
      try {
        await want(key, 'true');
      } catch (error) {
        // The kubelet does not unstage what was not staged, so no call would ever leave it.
        if (isNew) drop(key, user);
        throw error;
      }
    },
    renew: (key) => want(key, 'true'),
    async leave(key, user) {
      drop(key, user);
      if (!users.has(key)) await want(key, null);
    },
    forget(user) {
      for (const key of users.keys()) drop(key, user);
    },
  };
}
