import { datasetId, isOwnedBy, label, lastValidName } from '../../../api/index.ts';
import type { Role } from '../../../constructs/index.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import { listAll } from '../../../kube/watch/pages.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { type LiveObject, type DesiredObject, ROLES, type World } from '../../world.ts';
import { ownedType, Pod, workloadKind } from '../../../planning/kinds.ts';
import type { Store } from '../store/store.ts';
import { outdatedPods } from '../../../planning/views.ts';

/** Objects that a pod uses besides its template. Secrets are not in the inventory (former-secrets.ts). */
const GIVEN = ['ConfigMap', 'ServiceAccount', 'Role', 'RoleBinding'];

interface View {
  workload(role: Role): LiveObject | undefined;
  pods(workload: LiveObject): readonly KubeObject[];
}

/**
 * Objects that are no longer wanted, though pods of an older template may still use them: such pods run until a user deletes them, and a
 * container that restarts needs its ConfigMap. Until a workload's controller has seen the newest template, it is unknown which pods are
 * older. Before something would be deleted, pods are read afresh: their watch may hang.
 */
export async function keptForOutdatedPods(
  client: KubeClient,
  store: Pick<Store, 'inventory' | 'live' | 'pods'>,
  world: Pick<World, 'key' | 'runtime' | 'names' | 'plan'>,
  keep: readonly Pick<DesiredObject, 'kind' | 'name'>[],
): Promise<readonly LiveObject[]> {
  const { key, runtime } = world;
  const { namespace } = key;
  const given = store
    .inventory({ uid: runtime.metadata.uid ?? '', namespace })
    .filter(({ kind, metadata }) => GIVEN.includes(kind) && metadata.name !== lastValidName(key.name));
  const isKept = ({ kind, metadata }: LiveObject) => keep.some((each) => each.kind === kind && each.name === metadata.name);
  if (given.every((object) => isKept(object) || object.metadata.deletionTimestamp)) return [];
  return (await areUpToDate(client, store, world)) ? [] : given;
}

/** Whether no pod of the runtime has an older template, by the watches and by a fresh read. */
export async function areUpToDate(
  client: KubeClient,
  store: Pick<Store, 'live' | 'pods'>,
  world: Pick<World, 'key' | 'names' | 'plan'>,
): Promise<boolean> {
  const seen: View = {
    workload: (role) => store.live(workloadKind(role), world.key.namespace, world.names[role]),
    pods: ({ metadata }) => store.pods(metadata),
  };
  return isSettled(seen) && isSettled(await afresh(client, world));
}

const isSettled = ({ workload, pods: podsOf }: View): boolean =>
  ROLES.every((role) => {
    const live = workload(role);
    if (!live) return true;
    const pods = podsOf(live);
    const { observedGeneration } = (live.status ?? {}) as { observedGeneration?: number };
    return pods.length === 0 || (observedGeneration === live.metadata.generation && outdatedPods(live, pods).length === 0);
  });

async function afresh(client: KubeClient, { key: { namespace }, names, plan }: Pick<World, 'key' | 'names' | 'plan'>): Promise<View> {
  const workloads = new Map<Role, LiveObject>();
  for (const role of ROLES) {
    const live = await client.get(ownedType(workloadKind(role)), { namespace, name: names[role] }).catch(ignoreNotFound);
    // The cast: what was read from the API server has a UID and a version.
    if (live) workloads.set(role, live as LiveObject);
  }
  const labelSelector = `${label.datasetId}=${datasetId(plan.base.dataset)}`;
  const pods = await listAll(client, Pod, { namespace, labelSelector, metadataOnly: true }, (page) => page);
  return {
    workload: (role) => workloads.get(role),
    pods: ({ metadata: { uid } }) => pods.items.filter((pod) => isOwnedBy(pod, uid)),
  };
}
