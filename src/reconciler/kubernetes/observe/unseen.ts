import type { RuntimeStatus } from '../../../api/index.ts';
import type { Role, Runtime, WorkloadNames } from '../../../constructs/index.ts';
import { isNotFound } from '../../../kube/errors.ts';
import { type LiveObject, type Replaced, ROLES } from '../../world.ts';
import type { ResourceType } from '../../../kube/types.ts';
import { ownedKinds, workloadKind, workloadType } from '../../../planning/kinds.ts';
import { isOurs, type Owned } from '../../../planning/owner.ts';
import type { ClusterContext } from '../cluster-context.ts';

type Where = Pick<ClusterContext, 'client' | 'store'>;

/** Reads an object that may be ours without our label, so that no watch shows it: Fluid created it, or another writer removed the label. */
export async function unseen(
  { client, store }: Where,
  kind: keyof typeof ownedKinds | ResourceType,
  owner: Owned,
  name: string,
): Promise<LiveObject | undefined> {
  const type = typeof kind === 'string' ? ownedKinds[kind] : kind;
  const object = await client.get(type, { namespace: type.namespaced ? owner.namespace : undefined, name }).catch((error: unknown) => {
    // No such object; or no such kind, where it is none of Kubernetes' own.
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
  { conditions = [] }: Conditions = {},
): Promise<ReadonlyMap<Role, LiveObject>> {
  const found = new Map<Role, LiveObject>();
  if (!isBound || conditions.some(({ type }) => type === 'Synced')) return found;
  for (const role of ROLES) {
    const live = await unseen(where, workloadKind(role), owner, names[role]);
    if (live) found.set(role, live);
  }
  return found;
}

/**
 * What Fluid created in place of StatefulSets that do not exist yet. It is looked for until the runtime is as its spec says: a first try to
 * take its pods over may have failed.
 */
export async function replacedWorkloads(
  where: Where,
  owner: Owned,
  { workloads, fluidsWorkloads: kind }: Pick<Runtime, 'workloads' | 'fluidsWorkloads'>,
  isBound: boolean,
  { conditions = [] }: Conditions = {},
): Promise<readonly Replaced[]> {
  if (!kind || !isBound || conditions.some(({ type, status }) => type === 'Synced' && status === 'True')) return [];
  const names = workloads(owner.name);
  const type = workloadType(kind);
  const missing = (['master', 'worker'] as const).filter((role) => !where.store.live(workloadKind(role), owner.namespace, names[role]));
  const found = await Promise.all(missing.map((role) => unseen(where, type, owner, names[role])));
  return found.flatMap((object) => (object ? [{ type, object }] : []));
}

type Conditions = Pick<RuntimeStatus, 'conditions'>;
