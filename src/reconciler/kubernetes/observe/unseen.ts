import type { RuntimeStatus } from '../../../api/index.ts';
import type { Role, WorkloadNames } from '../../../constructs/index.ts';
import { isNotFound } from '../../../kube/errors.ts';
import { type LiveObject, ROLES } from '../../world.ts';
import { ownedKinds, workloadKind } from '../kinds.ts';
import { isOurs, type Owned } from '../store/owner.ts';
import type { Context } from '../context.ts';

type Where = Pick<Context, 'client' | 'store'>;

/** An object that is ours though it carries no label of ours, so that no watch shows it: Fluid made it, or somebody took the label off. */
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
 * The workloads of a runtime that Fluid has bound: planned from its spec alone it would get other host ports, and another generation of
 * its fuse pods. Whoever was reconciled by us says whether all is well, and is not asked about.
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
