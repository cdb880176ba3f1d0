/** Reviews of the rights of the playground's one user, who may do everything: no review is stored. */
import { badRequest } from '../api-server/refusals.ts';
import type { WireAnswer } from '../api-server/wire/answers.ts';
import type { WireRequest } from '../api-server/wire/requests.ts';
import type { Served } from '../api-server/wire/served.ts';
import { resourceType } from '../kube/types.ts';

export const USER = { username: 'playground', groups: ['system:masters', 'system:authenticated'] };

const ALL = ['*'];
/** Statuses by kind. `kubectl auth can-i` and `kubectl auth whoami` ask for them. */
const STATUSES: Readonly<Record<string, object>> = {
  SelfSubjectAccessReview: { allowed: true, reason: 'the playground checks no rights' },
  SelfSubjectRulesReview: {
    resourceRules: [{ verbs: ALL, apiGroups: ALL, resources: ALL }],
    nonResourceRules: [{ verbs: ALL, nonResourceURLs: ALL }],
    incomplete: false,
  },
  SelfSubjectReview: { userInfo: USER },
};
const AUTHORIZATION = 'authorization.k8s.io';
export const REVIEWS: readonly Served[] = [
  resourceType(AUTHORIZATION, 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', false),
  resourceType(AUTHORIZATION, 'SelfSubjectRulesReview', 'selfsubjectrulesreviews', false),
  resourceType('authentication.k8s.io', 'SelfSubjectReview', 'selfsubjectreviews', false),
].map((type) => ({ type, singular: type.kind.toLowerCase(), verbs: ['create'], subresources: [] }));

/** The answer to a review; undefined for what is none. @throws Refusal */
export function review({ type, verb, body }: WireRequest): WireAnswer | undefined {
  const status = REVIEWS.some((each) => each.type.plural === type.plural && each.type.group === type.group) && STATUSES[type.kind];
  if (!status || verb !== 'create') return undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest(`expected a ${type.kind} in the body of the request`);
  return { status: 201, headers: {}, text: JSON.stringify({ ...body, status }) };
}
