import type { RuntimeStatus } from '../../../api/index.ts';
import type { Role, Runtime } from '../../../constructs/index.ts';
import { isNotFound } from '../../../kube/errors.ts';
import { type LiveObject, ROLES } from '../../world.ts';
import type { ResourceType } from '../../../kube/types.ts';
import { ownedKinds, workloadKind, workloadType } from '../kinds.ts';
import { isOurs, type Owned } from '../store/owner.ts';
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

/** What Fluid left of a runtime that it has bound, as far as no watch shows it. */
export interface LeftByFluid {
  /** Without these, a plan from the spec alone would have other host ports and another generation of its fuse pods. */
  readonly workloads: ReadonlyMap<Role, LiveObject>;
  /** Objects of another kind in place of masters and workers. */
  readonly replaced: readonly LiveObject[];
}
const NOTHING: LeftByFluid = { workloads: new Map(), replaced: [] };

/** A runtime with the condition `Synced` was reconciled by Sluice, and nothing is read. */
export async function leftByFluid(
  where: Where,
  owner: Owned,
  { workloads: namesOf, fluidsWorkloads }: Pick<Runtime, 'workloads' | 'fluidsWorkloads'>,
  isBound: boolean,
  { conditions = [] }: Pick<RuntimeStatus, 'conditions'> = {},
): Promise<LeftByFluid> {
  if (!isBound || conditions.some(({ type }) => type === 'Synced')) return NOTHING;
  const names = namesOf(owner.name);
  const workloads = new Map<Role, LiveObject>();
  const replaced: LiveObject[] = [];
  for (const role of ROLES) {
    const live = await unseen(where, workloadKind(role), owner, names[role]);
    if (live) workloads.set(role, live);
    const other = fluidsWorkloads && role !== 'fuse' && (await unseen(where, workloadType(fluidsWorkloads), owner, names[role]));
    if (other) replaced.push(other);
  }
  return { workloads, replaced };
}
