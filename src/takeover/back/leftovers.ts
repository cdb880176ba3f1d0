/** Changes, while no controller runs, of all that Fluid's controllers could not read. */
import { ownersOf } from '../../api/records.ts';
import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { conditionsRemoved } from '../fluid/unbound.ts';
import { deleted } from '../steps/pieces.ts';
import { recorded } from '../world/pieces.ts';
import type { Action, Step } from '../steps/step.ts';
import { seenRecord, staleReleases } from '../world/releases.ts';
import type { BackWorld } from './world.ts';

/** Fluid never creates the AdvancedStatefulSets of a runtime that is set up, and adopts the pods of one that is there. */
export const workloadsRestored: Step<BackWorld> = {
  title: 'AdvancedStatefulSets are restored, with their pods',
  does: 'Delete the StatefulSets of CacheRuntimes that Fluid had created and leave their pods; restore the recorded AdvancedStatefulSets.',
  of(world) {
    const { users, record, workloads, target, run } = world;
    const living = new Set(users.runtimes.map(({ metadata: { uid } }) => uid));
    const wanted = (record.workloads ?? []).filter((set) => ownersOf(set).some(({ uid }) => living.has(uid)));
    const names = new Set(wanted.map(nameIn));
    const replaced = users.statefulSets.filter((set) => names.has(nameIn(set)) && !run.deleted.has(set.metadata.uid ?? ''));
    const scaled = scaledAs(replaced, record.workloads ?? []);
    if (scaled) return recorded(world, { ...record, workloads: scaled });
    if (replaced.length > 0)
      return {
        actions: replaced.map(
          ({ metadata: { namespace, name, uid = '' } }): Action => ({
            do: 'delete',
            object: { type: ownedKinds.StatefulSet, namespace, name, uid },
            leavesPods: true,
          }),
        ),
      };
    const late = users.statefulSets.filter((set) => names.has(nameIn(set)));
    // Until then its pods have it as their owner.
    if (late.length > 0) return { waitsFor: `StatefulSet ${nameIn(late[0] as KubeObject)} is deleted`, withinMs: 60_000 };
    const there = new Set(workloads.map(nameIn));
    const restored = wanted
      .filter((object) => !there.has(nameIn(object)))
      .flatMap((object): readonly Action[] => {
        const type = target.workloads.find(({ kind }) => kind === object.kind);
        return type ? [{ do: 'restore', type, object }] : [];
      });
    return restored.length > 0 ? { actions: restored } : undefined;
  },
};

/** The kept sets with the replicas that StatefulSets have by now: else their pods would end, or be missing. undefined: it has them already. */
function scaledAs(statefulSets: readonly KubeObject[], kept: readonly KubeObject[]): readonly KubeObject[] | undefined {
  const now = new Map(statefulSets.map((set) => [nameIn(set), replicasOf(set)]));
  const isOther = (set: KubeObject) => now.has(nameIn(set)) && now.get(nameIn(set)) !== replicasOf(set);
  if (!kept.some(isOther)) return undefined;
  return kept.map((set) => (isOther(set) ? { ...set, spec: { ...(set['spec'] as object), replicas: now.get(nameIn(set)) } } : set));
}
const replicasOf = ({ spec }: KubeObject): number => ((spec ?? {}) as { readonly replicas?: number }).replicas ?? 1;

const nameIn = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

export const datasetsReleased: Step<BackWorld> = {
  title: 'Fluid can set up the Datasets that are not bound',
  does: 'Remove the conditions of Datasets that are not bound: Fluid sets up none that has the condition Ready.',
  of: ({ users }) => conditionsRemoved(users.datasets),
};

export const releasesDeleted: Step<BackWorld> = {
  title: 'No record of a release is left whose runtime or operation is deleted',
  does: "Delete the records of Fluid's releases of runtimes and operations that no longer exist.",
  of: (world) => deleted(world, staleReleases(world.users).map(seenRecord)),
};
