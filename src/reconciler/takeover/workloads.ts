import type { RuntimeStatus } from '../../api/index.ts';
import type { Role, Runtime } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isAbsent } from '../../kube/errors.ts';
import type { ResourceType } from '../../kube/types.ts';
import { workloadKind, workloadType } from '../../planning/kinds.ts';
import type { Owned } from '../../planning/owner.ts';
import type { Store } from '../kubernetes/store/store.ts';
import { type ExpectedObject, sourcesOf } from '../kubernetes/apply/fresh.ts';
import { type LiveObject, type DesiredObject, ROLES, type World } from '../world.ts';
import { unlabelled } from './unlabelled.ts';

/**
 * Workloads that Fluid created, until they have our label, by which watches show them. Without them, a plan from the spec alone would have
 * other host ports and another generation of its fuse pods.
 */
export interface WorkloadTakeover {
  /**
   * The workloads of a runtime, whoever created them: called at the head of a pass. The API server is asked about a bound runtime whose
   * spec Sluice has not yet followed, for each workload that no watch shows; and once for one that does not exist.
   */
  workloads(
    owner: Owned,
    definition: Pick<Runtime, 'workloads' | 'fluidsWorkloads'>,
    isBound: boolean,
    status: Pick<RuntimeStatus, 'conditions'> | undefined,
  ): Promise<(role: Role) => LiveObject | undefined>;
  /**
   * Deletes what Fluid created in place of StatefulSets that are about to be created, and leaves its pods: they have a StatefulSet's names
   * and labels, so that it adopts them. Fluid's controller of that kind does not run once Fluid is stopped.
   */
  release(world: World, objects: readonly DesiredObject[]): Promise<void>;
  forget(uid: string): void;
}

interface Found {
  readonly workload?: LiveObject;
  /** An object of Fluid's own kind, in place of the StatefulSet. */
  readonly replaced?: LiveObject;
}
const NOTHING: Found = {};

export function createWorkloadTakeover(
  client: KubeClient,
  store: Store,
  confirmed: (seen: readonly ExpectedObject[]) => Promise<void>,
): WorkloadTakeover {
  /** By UID of the runtime. */
  const left = new Map<string, { readonly type: ResourceType | undefined; readonly found: ReadonlyMap<Role, Found> }>();

  async function find(owner: Owned, role: Role, name: string, type: ResourceType | undefined): Promise<Found> {
    const workload = await unlabelled({ client, store }, workloadKind(role), owner, name);
    if (workload) return { workload };
    const replaced = type && role !== 'fuse' ? await unlabelled({ client, store }, type, owner, name) : undefined;
    return replaced ? { replaced } : NOTHING;
  }

  return {
    async workloads(owner, { workloads, fluidsWorkloads }, isBound, { conditions = [] } = {}) {
      const names = workloads(owner.name);
      const watched = (role: Role) => store.live(workloadKind(role), owner.namespace, names[role]);
      if (!isBound || conditions.some(({ type, status }) => type === 'Synced' && status === 'True')) {
        left.delete(owner.uid);
        return watched;
      }
      const type = fluidsWorkloads && workloadType(fluidsWorkloads);
      const before = left.get(owner.uid)?.found;
      const found = new Map<Role, Found>();
      for (const role of ROLES)
        if (!watched(role)) found.set(role, before?.get(role) === NOTHING ? NOTHING : await find(owner, role, names[role], type));
      left.set(owner.uid, { type, found });
      return (role) => watched(role) ?? found.get(role)?.workload;
    },
    async release(world, objects) {
      const { type, found } = left.get(world.runtime.metadata.uid ?? '') ?? {};
      const wanted = new Set(objects.flatMap(({ kind, name }) => (kind === 'StatefulSet' ? [name] : [])));
      const leaving = [...(found?.values() ?? [])].flatMap(({ replaced }) =>
        replaced && wanted.has(replaced.metadata.name) ? [replaced] : [],
      );
      if (!type || leaving.length === 0) return;
      await confirmed(sourcesOf(world));
      for (const { metadata } of leaving)
        await client.delete(type, metadata, { uid: metadata.uid, propagation: 'Orphan' }).catch((error: unknown) => {
          if (!isAbsent(error)) throw error;
        });
    },
    forget: (uid) => void left.delete(uid),
  };
}
