import type { CustomResource } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { resourceType } from '../../kube/types.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { releaseOf } from '../fluid/helm.ts';
import { ClusterRoleBinding, fluidNames } from '../fluid/names.ts';
import { checkRights, type FluidReader, readsOf } from '../fluid/reads.ts';
import { observe } from '../world/observe.ts';
import { type Run, type Seen, seen } from '../steps/step.ts';
import type { Target, World } from '../world/world.ts';
import { seenRecord } from '../world/releases.ts';
import { createOnce } from '../world/once.ts';
import { type FluidRelease, isFluidsValues, readUsers } from '../world/users.ts';

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

/** Returns a function that reads the cluster for the end, and throws Stopped when a right is missing. */
export function observerOfFinish(
  client: KubeClient,
  target: Target,
  resources: readonly CustomResource[],
): (run: Run) => Promise<FinishWorld> {
  const [once, onceOfValues] = [createOnce<FluidRelease | undefined>(), createOnce<boolean>()];
  return async (run) => {
    const world = await observe(client, target, run);
    const { release } = world.fluid;
    const reads = readsOf(client);
    const [accounts, binding, users] = await Promise.all([
      release ? Promise.all(ACCOUNTS.map((type) => labelled(reads, type, target.namespace, release))).then((lists) => lists.flat()) : [],
      reads.get(ClusterRoleBinding, { name: fluidNames.binding }, { metadataOnly: true }),
      readUsers(reads, resources, release, once),
    ]);
    const named = users.configMaps.filter(({ metadata: { name } }) => name.endsWith('-values'));
    const isValues = await Promise.all(
      named.map((listed) =>
        onceOfValues(listed, async () => {
          const whole = await reads.get(ownedKinds.ConfigMap, listed.metadata);
          return whole !== undefined && isFluidsValues(whole);
        }),
      ),
    );
    checkRights(reads.missing());
    return {
      ...world,
      accounts: accounts.filter(({ type, name }) => type !== ClusterRoleBinding || name !== fluidNames.binding),
      binding: binding ? [seen(ClusterRoleBinding, binding)] : [],
      kept: [...users.releases.map(seenRecord), ...named.filter((_, i) => isValues[i]).map((object) => seen(ownedKinds.ConfigMap, object))],
    };
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
