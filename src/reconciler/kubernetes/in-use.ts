import { lastValidName } from '../../api/index.ts';
import { type LiveObject, ROLES, type World } from '../world.ts';
import type { Store } from './store.ts';
import { workloadKind } from './kinds.ts';
import { outdatedPods } from './views.ts';

/** What a pod is given besides its template. Secrets are not in the inventory, and stay in any case. */
const GIVEN = ['ConfigMap', 'ServiceAccount', 'Role', 'RoleBinding'];

/**
 * What is no longer wanted, though pods of an older template may still use it: they run on until somebody deletes them, and a container that
 * is started again needs its ConfigMap. Until a workload's controller has seen the newest template, nobody knows which pods are older.
 */
export function inUse(
  store: Pick<Store, 'inventory' | 'live' | 'pods'>,
  { key, runtime, names }: Pick<World, 'key' | 'runtime' | 'names'>,
): readonly LiveObject[] {
  const { namespace, name } = key;
  const isSettled = ROLES.every((role) => {
    const workload = store.live(workloadKind(role), namespace, names[role]);
    if (!workload) return true;
    const pods = store.pods(workload.metadata);
    const { observedGeneration } = (workload.status ?? {}) as { observedGeneration?: number };
    return pods.length === 0 || (observedGeneration === workload.metadata.generation && outdatedPods(workload, pods).length === 0);
  });
  if (isSettled) return [];
  return store
    .inventory({ uid: runtime.metadata.uid ?? '', namespace })
    .filter(({ kind, metadata }) => GIVEN.includes(kind) && metadata.name !== lastValidName(name));
}
