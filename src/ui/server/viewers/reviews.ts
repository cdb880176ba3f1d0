import type { KubeClient } from '../../../kube/contract.ts';
import { apiVersionOf, type KubeObject, type ResourceType, resourceType } from '../../../kube/types.ts';

const TokenReview = resourceType('authentication.k8s.io', 'TokenReview', 'tokenreviews', false);
const SubjectAccessReview = resourceType('authorization.k8s.io', 'SubjectAccessReview', 'subjectaccessreviews', false);

/** One whose token the API server accepts, as it knows them. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Asks the API server whose token this is. @returns undefined if it accepts none such */
export async function userOf(client: KubeClient, token: string): Promise<ReviewedUser | undefined> {
  const { authenticated, user } = await review<{ authenticated?: boolean; user?: ReviewedUser }>(client, TokenReview, { token });
  return authenticated === true && user?.username ? user : undefined;
}

/** Asks the API server whether a user may list a kind. @param namespace empty: in all, or in the cluster */
export async function mayList(
  client: KubeClient,
  { username, uid, groups, extra }: ReviewedUser,
  type: ResourceType,
  namespace: string,
): Promise<boolean> {
  const { group, plural: resource } = type;
  const resourceAttributes = { verb: 'list', group, resource, ...(namespace !== '' && { namespace }) };
  const who = { user: username, ...(uid !== undefined && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
  const { allowed } = await review<{ allowed?: boolean }>(client, SubjectAccessReview, { ...who, resourceAttributes });
  return allowed === true;
}

/** A review is an object that the API server answers and does not store. */
async function review<Status extends object>(client: KubeClient, type: ResourceType, spec: object): Promise<Partial<Status>> {
  // The cast: a review has no name.
  const sent = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: {}, spec } as unknown as KubeObject;
  const { status } = (await client.create(type, sent)) as { readonly status?: Status };
  return status ?? {};
}
