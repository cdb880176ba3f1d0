import type { RuntimeStatus } from '../../api/index.ts';
import type { Role, Runtime } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isAbsent } from '../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { workloadKind, workloadType } from '../../planning/kinds.ts';
import type { Owned } from '../../planning/owner.ts';
import { podsCreated, podsWanted } from '../../planning/views.ts';
import { attempt } from '../failures.ts';
import type { Store } from '../kubernetes/store/store.ts';
import { type ExpectedObject, sourcesOf } from '../kubernetes/apply/fresh.ts';
import { type DesiredObject, type Failure, type LiveObject, ROLES, type World } from '../world.ts';
import { texts } from '../status/pods.ts';
import { unlabelled } from './unlabelled.ts';

/**
 * Workloads that Fluid created, until they have our label, by which watches show them. Without them, a plan from the spec alone would have
 * other host ports and another generation of its fuse pods.
 */
export interface WorkloadTakeover {
  /**
   * The workloads of a runtime, whoever created them: called at the head of a pass. The API server is asked about a bound runtime whose
   * spec Sluice has not yet followed, for each workload that no watch shows; and once for one that does not exist. It is also asked for a
   * workload that the status reports, since another writer may have removed its label. Fluid may have created workloads of its own kind
   * since Sluice followed the spec: they are looked for, once, while a StatefulSet lacks pods.
   */
  workloads(
    owner: Owned,
    definition: Pick<Runtime, 'workloads' | 'fluidsWorkloads'>,
    isBound: boolean,
    status: Pick<RuntimeStatus, 'conditions'> | undefined,
  ): Promise<(role: Role) => LiveObject | undefined>;
  /** The workload of this role, as it was last read, of a runtime whose workload no watch shows. */
  left(uid: string, role: Role): LiveObject | undefined;
  /** Objects of Fluid's own kind, in place of the StatefulSets of a runtime, which are not released yet. */
  replaced(uid: string): readonly LiveObject[];
  /**
   * Pods that run and are to become those of the StatefulSet of this name: those of Fluid's own kind, and those without a controller. A
   * pass that does not find them would report that the workers are gone, and remove labels of their nodes.
   */
  moving(owner: Owned, name: string): readonly KubeObject[];
  /**
   * Deletes what Fluid created in place of StatefulSets that are about to be created, and leaves its pods: they have a StatefulSet's names
   * and labels, so that it adopts them. Fluid's controller of that kind does not run once Fluid is stopped.
   *
   * Returns those that the API server refuses to delete. While one exists, no StatefulSet of its name may be created.
   */
  release(world: World, objects: readonly DesiredObject[]): Promise<readonly RefusedRelease[]>;
  forget(uid: string): void;
}

/** While Fluid's workload of the name exists, a StatefulSet gets none of its pods. */
const lacksPods = (workload: LiveObject): boolean => podsCreated(workload) < podsWanted(workload);

/** An object that stays. */
export interface RefusedRelease {
  readonly name: string;
  readonly failures: readonly Failure[];
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

  /** Objects of Fluid's own kind that were deleted, by UID of the runtime: until the garbage collector has released their pods. */
  const released = new Map<string, readonly LiveObject[]>();

  async function find(
    owner: Owned,
    name: string,
    kind: 'StatefulSet' | 'DaemonSet' | undefined,
    type: ResourceType | undefined,
  ): Promise<Found> {
    const workload = kind && (await unlabelled({ client, store }, kind, owner, name));
    if (workload) return { workload };
    const replaced = type && (await unlabelled({ client, store }, type, owner, name));
    return replaced ? { replaced } : NOTHING;
  }

  const self: WorkloadTakeover = {
    async workloads(owner, { workloads, fluidsWorkloads }, isBound, { conditions = [] } = {}) {
      const names = workloads(owner.name);
      const watched = (role: Role) => store.live(workloadKind(role), owner.namespace, names[role]);
      const isFollowed = conditions.some(({ type, status }) => type === 'Synced' && status === 'True');
      const isReported = (role: Role) => conditions.some(({ type }) => type === texts[role].ready.type);
      const type = fluidsWorkloads && workloadType(fluidsWorkloads);
      const before = left.get(owner.uid)?.found;
      const found = new Map<Role, Found>();
      for (const role of isBound ? ROLES : []) {
        const live = watched(role);
        const kind = live || (isFollowed && !isReported(role)) ? undefined : workloadKind(role);
        const instead = role !== 'fuse' && (!live || lacksPods(live)) ? type : undefined;
        if (!kind && !instead) continue;
        found.set(role, before?.get(role) === NOTHING ? NOTHING : await find(owner, names[role], kind, instead));
      }
      if (found.size > 0) left.set(owner.uid, { type, found });
      else left.delete(owner.uid);
      return (role) => watched(role) ?? found.get(role)?.workload;
    },
    left: (uid, role) => left.get(uid)?.found.get(role)?.workload,
    replaced: (uid) => [...(left.get(uid)?.found.values() ?? [])].flatMap(({ replaced }) => replaced ?? []),
    async release(world, objects) {
      const { type, found } = left.get(world.runtime.metadata.uid ?? '') ?? {};
      const wanted = new Set(objects.flatMap(({ kind, name }) => (kind === 'StatefulSet' ? [name] : [])));
      const leaving = [...(found?.values() ?? [])].flatMap(({ replaced }) =>
        replaced && wanted.has(replaced.metadata.name) ? [replaced] : [],
      );
      if (!type || leaving.length === 0) return [];
      await confirmed(sourcesOf(world));
      const { uid = '' } = world.runtime.metadata;
      const refusals: RefusedRelease[] = [];
      for (const object of leaving) {
        const { metadata } = object;
        const others = (released.get(uid) ?? []).filter((each) => each.metadata.uid !== metadata.uid);
        released.set(uid, [...others, object]);
        const failures = await attempt('DeleteFailed', `${type.kind}/${metadata.name}`, () =>
          client.delete(type, metadata, { uid: metadata.uid, propagation: 'Orphan' }).catch((error: unknown) => {
            if (!isAbsent(error)) throw error;
          }),
        );
        if (failures.length > 0) refusals.push({ name: metadata.name, failures });
      }
      return refusals;
    },
    moving({ uid, namespace }, name) {
      const former = [...self.replaced(uid), ...(released.get(uid) ?? [])].filter(({ metadata }) => metadata.name === name);
      const byUid = new Map(
        [...former.flatMap(({ metadata }) => store.pods(metadata)), ...store.strays({ namespace, name })].map((pod) => [
          pod.metadata.uid,
          pod,
        ]),
      );
      return [...byUid.values()];
    },
    forget(uid) {
      left.delete(uid);
      released.delete(uid);
    },
  };
  return self;
}
