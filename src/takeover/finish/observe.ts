import { type CustomResource, ownerUid } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { type KubeObject, resourceType } from '../../kube/types.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { releaseOf } from '../fluid/helm.ts';
import { ClusterRoleBinding, fluidNames } from '../fluid/names.ts';
import { checkRights, type FluidReader, readsOf } from '../fluid/reads.ts';
import { observe } from '../world/observe.ts';
import { type Run, type Seen, seen } from '../steps/step.ts';
import type { Target, World } from '../world/world.ts';
import { seenRecord } from '../world/releases.ts';
import { readUsers } from '../world/users.ts';

/** One reading of the cluster for the end of a take-over. */
export interface FinishWorld extends World {
  /** Rights and accounts of helm's release of Fluid. */
  readonly accounts: readonly Seen[];
  /** The one of these that says in which namespace Fluid is: a run that begins again looks for the record there. */
  readonly binding: readonly Seen[];
  /** Records and values that Fluid's controllers kept of runtimes and operations. */
  readonly kept: readonly Seen[];
}

const ACCOUNTS = [
  ClusterRoleBinding,
  resourceType('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles', false),
  ownedKinds.RoleBinding,
  ownedKinds.Role,
  ownedKinds.ServiceAccount,
];

/** @throws Stopped when a right is missing */
export async function observeFinish(
  client: KubeClient,
  target: Target,
  resources: readonly CustomResource[],
  run: Run,
): Promise<FinishWorld> {
  const world = await observe(client, target, run);
  const { release } = world.fluid;
  const reads = readsOf(client);
  const [accounts, binding, users] = await Promise.all([
    release ? Promise.all(ACCOUNTS.map((type) => labelled(reads, type, target.namespace, release))).then((lists) => lists.flat()) : [],
    reads.get(ClusterRoleBinding, { name: fluidNames.binding }, { metadataOnly: true }),
    readUsers(reads, resources, release),
  ]);
  checkRights(reads.missing());
  return {
    ...world,
    accounts: accounts.filter(({ type, name }) => type !== ClusterRoleBinding || name !== fluidNames.binding),
    binding: binding ? [seen(ClusterRoleBinding, binding)] : [],
    kept: [...users.releases.map(seenRecord), ...users.configMaps.filter(isValues).map((object) => seen(ownedKinds.ConfigMap, object))],
  };
}

/** Objects of this release alone: others have helm's label too. */
async function labelled(
  reads: FluidReader,
  type: Seen['type'],
  namespace: string,
  release: { readonly name: string; readonly namespace: string },
) {
  const options = { labelSelector: 'app.kubernetes.io/managed-by=Helm', metadataOnly: true, ...(type.namespaced && { namespace }) };
  return (await reads.list(type, options))
    .filter((object) => {
      const own = releaseOf([object]);
      return own?.name === release.name && own.namespace === release.namespace;
    })
    .map((object) => seen(type, object));
}

/** Fluid's values of a runtime: no ConfigMap of Sluice has such a name. */
const isValues = (object: KubeObject): boolean => object.metadata.name.endsWith('-values') && ownerUid(object) === undefined;
