import type { RuntimeStatus } from '../../../api/index.ts';
import type { Role, WorkloadNames } from '../../../constructs/index.ts';
import { isNotFound } from '../../../kube/errors.ts';
import { type LiveObject, ROLES } from '../../world.ts';
import { ownedKinds, workloadKind } from '../kinds.ts';
import { isOurs, type Owned } from '../store/owner.ts';
import type { ClusterContext } from '../cluster-context.ts';

type Where = Pick<ClusterContext, 'client' | 'store'>;

/** Reads an object that may be ours without our label, so that no watch shows it: Fluid created it, or another writer removed the label. */
export async function unseen(
  { client, store }: Where,
  kind: keyof typeof ownedKinds,
  owner: Owned,
  name: string,
): Promise<LiveObject | undefined> {
  const type = ownedKinds[kind];
  const object = await client.get(type, { namespace: type.namespaced ? owner.namespace : undefined, name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  // The cast: what was read from the API server has a UID and a version.
  return object && isOurs(object, owner, store) ? (object as LiveObject) : undefined;
}

/**
 * The workloads of a runtime that Fluid has bound: without them, a plan from its spec alone would have other host ports and another
 * generation of its fuse pods. A runtime with the condition `Synced` was reconciled by Sluice, and its workloads are not read.
 */
export async function fluidsWorkloads(
  where: Where,
  owner: Owned,
  names: WorkloadNames,
  isBound: boolean,
  { conditions = [] }: Pick<RuntimeStatus, 'conditions'> = {},
): Promise<ReadonlyMap<Role, LiveObject>> {
  const found = new Map<Role, LiveObject>();
  if (!isBound || conditions.some(({ type }) => type === 'Synced')) return found;
  for (const role of ROLES) {
    const live = await unseen(where, workloadKind(role), owner, names[role]);
    if (live) found.set(role, live);
  }
  return found;
}
