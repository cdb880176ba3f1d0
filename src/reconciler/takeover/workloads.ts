import type { RuntimeStatus } from '../../api/index.ts';
import type { Role, Runtime } from '../../constructs/index.ts';
import type { Monotonic } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isAbsent } from '../../kube/errors.ts';
import type { ResourceType } from '../../kube/types.ts';
import { workloadKind, workloadType } from '../../planning/kinds.ts';
import type { Owned } from '../../planning/owner.ts';
import { podsCreated, podsWanted } from '../../planning/views.ts';
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
   * spec Sluice has not yet followed, for each workload that no watch shows; and once for one that does not exist. Of a runtime whose spec
   * Sluice has followed, Fluid may have created workloads of its own kind since: they are looked for, once, while a StatefulSet lacks pods.
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
   * Whether the pods of Fluid's own kind have not yet become those of the StatefulSet of this name: for a moment they have no controller,
   * though they run. At most a minute after `release`.
   */
  areMoving(owner: Owned, name: string): boolean;
  /**
   * Deletes what Fluid created in place of StatefulSets that are about to be created, and leaves its pods: they have a StatefulSet's names
   * and labels, so that it adopts them. Fluid's controller of that kind does not run once Fluid is stopped.
   */
  release(world: World, objects: readonly DesiredObject[]): Promise<void>;
  forget(uid: string): void;
}

/** Pods that a StatefulSet is to have which Fluid's own kind had. */
interface Moving {
  readonly pods: number;
  /** Monotonic. */
  readonly until: number;
}
const MOVING_MS = 60_000;

/** While Fluid's workload of the name exists, a StatefulSet gets none of its pods. */
const lacksPods = (workload: LiveObject): boolean => podsCreated(workload) < podsWanted(workload);

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
  clock: Monotonic,
): WorkloadTakeover {
  /** By UID of the runtime. */
  const left = new Map<string, { readonly type: ResourceType | undefined; readonly found: ReadonlyMap<Role, Found> }>();

  /** By name of the StatefulSet, by UID of the runtime. */
  const moving = new Map<string, ReadonlyMap<string, Moving>>();

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
      const type = fluidsWorkloads && workloadType(fluidsWorkloads);
      const before = left.get(owner.uid)?.found;
      const found = new Map<Role, Found>();
      for (const role of isBound ? ROLES : []) {
        const live = watched(role);
        const kind = live || isFollowed ? undefined : workloadKind(role);
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
      if (!type || leaving.length === 0) return;
      await confirmed(sourcesOf(world));
      const { uid = '' } = world.runtime.metadata;
      for (const object of leaving) {
        const { metadata } = object;
        moving.set(uid, new Map(moving.get(uid)).set(metadata.name, { pods: podsWanted(object), until: clock.monotonic() + MOVING_MS }));
        await client.delete(type, metadata, { uid: metadata.uid, propagation: 'Orphan' }).catch((error: unknown) => {
          if (!isAbsent(error)) throw error;
        });
      }
    },
    areMoving({ uid, namespace }, name) {
      const { pods, until } = moving.get(uid)?.get(name) ?? {};
      const live = store.live('StatefulSet', namespace, name);
      if (pods === undefined || until === undefined) return !live && self.replaced(uid).some(({ metadata }) => metadata.name === name);
      const isOver = clock.monotonic() > until || (live && store.pods(live.metadata).length >= Math.min(pods, podsWanted(live)));
      if (isOver) moving.delete(uid);
      return !isOver;
    },
    forget(uid) {
      left.delete(uid);
      moving.delete(uid);
    },
  };
  return self;
}
