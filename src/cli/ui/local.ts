import { Dataset, operationKinds } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import type { ResourceType } from '../../kube/types.ts';
import { Event, Node, Pod, typeOf } from '../../planning/kinds.ts';
import { CSINode } from '../../ui/server/nodes/watches.ts';

/** The rights of a kubeconfig's user to list. */
export interface LocalRights {
  /** Absent: all. */
  readonly namespaces?: readonly string[];
  mayList(plural: string, namespace: string | undefined): boolean;
  /** Plurals of kinds that they may list nowhere. */
  readonly hidden: readonly string[];
}

/**
 * Finds out by lists of one object, as an API server without reviews of rights answers them too.
 *
 * @param wanted namespaces that the user has named; empty: all, or `home` alone if they may not list Datasets in all
 */
export async function rightsOf(
  client: KubeClient,
  runtimes: readonly Runtime[],
  wanted: readonly string[],
  home: string,
): Promise<LocalRights> {
  const mayListAll = wanted.length === 0 && (await mayList(client, typeOf(Dataset), undefined));
  const namespaces = mayListAll ? undefined : wanted.length > 0 ? [...new Set(wanted)] : [home];
  const own = [Dataset, ...runtimes.map(({ resource }) => resource), ...operationKinds].map(typeOf);
  const types = [...own, Pod, Event, Node, CSINode];
  const placesOf = ({ namespaced }: ResourceType): readonly (string | undefined)[] =>
    namespaced ? (namespaces ?? [undefined]) : [undefined];
  const asked = types.flatMap((type) => placesOf(type).map((namespace) => ({ type, namespace })));
  const answers = await Promise.all(
    asked.map(async ({ type, namespace }) => ({ type, namespace, may: await mayList(client, type, namespace) })),
  );
  const allowed = new Set(answers.filter(({ may }) => may).map(({ type, namespace }) => `${type.plural} ${namespace ?? ''}`));
  const isAllowed = (plural: string, namespace: string | undefined) => allowed.has(`${plural} ${namespace ?? ''}`);
  return {
    ...(namespaces && { namespaces }),
    mayList: isAllowed,
    hidden: types.filter((type) => !placesOf(type).some((namespace) => isAllowed(type.plural, namespace))).map(({ plural }) => plural),
  };
}

async function mayList(client: KubeClient, type: ResourceType, namespace: string | undefined): Promise<boolean> {
  try {
    await client.list(type, { ...(namespace !== undefined && { namespace }), limit: 1 });
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    // A kind that is not installed may be installed later.
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** Who the API server takes the user for; undefined if it does not say (before Kubernetes 1.28). */
export async function userName(client: KubeClient): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const answer = await client.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body });
    return (answer as { status?: { userInfo?: { username?: string } } }).status?.userInfo?.username;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
