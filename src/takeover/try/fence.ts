/** The policies of a try as they are in a cluster. */
import type { CallOptions, KubeClient } from '../../kube/contract.ts';
import { ApiError, ignoreNotFound, isNoNamespace } from '../../kube/errors.ts';
import { selectorText } from '../../kube/selector.ts';
import type { KubeObject } from '../../kube/types.ts';
import { selector } from '../../install/labels.ts';
import type { FluidReader } from '../fluid/reads.ts';
import { type Seen, seen } from '../steps/step.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { Binding, FENCE, type Fence, fenceObjects, Policy, PROBE } from './policies.ts';

/** The policy and the binding that refuse writes in namespaces, as they are; either may be missing. */
export interface FencePair {
  readonly policy?: KubeObject | undefined;
  readonly binding?: KubeObject | undefined;
}

/** Reads the policy and its binding by their names. threat-model: R-try-policy */
export async function readFence(client: Pick<KubeClient, 'get'>, options: CallOptions = {}): Promise<FencePair> {
  const [policy, binding] = await Promise.all(
    [Policy, Binding].map((type) => client.get(type, { name: FENCE }, options).catch(ignoreNotFound)),
  );
  return { policy, binding };
}

/** All policies of a try and their bindings, also those that were changed. Bindings first: without a policy, one is of no use. */
export async function readPolicies(reads: FluidReader): Promise<readonly Seen[]> {
  const lists = [Binding, Policy].map(async (type) => {
    const objects = await reads.list(type, { labelSelector: selectorText(selector('controller')), metadataOnly: true });
    return objects.map((object) => seen(type, object));
  });
  return (await Promise.all(lists)).flat().filter(({ name }) => name.startsWith(FENCE));
}

/** Whom they keep off what: as they say themselves. Undefined if there are none, or if what they refuse was changed. */
export function fenceOf({ policy, binding }: FencePair): Fence | undefined {
  if (!policy || !binding) return undefined;
  // The casts: what is not as it was written is found below.
  const { matchConditions } = policy['spec'] as { matchConditions?: readonly { readonly expression: string }[] };
  const { matchResources } = binding['spec'] as {
    matchResources?: { namespaceSelector?: { matchExpressions?: readonly { readonly values?: readonly string[] }[] } };
  };
  const users = listIn(matchConditions?.[0]?.expression ?? '');
  const namespaces = matchResources?.namespaceSelector?.matchExpressions?.[0]?.values;
  if (!users || !namespaces) return undefined;
  const wanted = fenceObjects({ namespaces, users });
  const isAsWritten = [policy, binding].every(({ kind, spec }) =>
    wanted.some((each) => each.kind === kind && each.metadata.name === FENCE && includes(spec, each['spec'])),
  );
  return isAsWritten && !policy.metadata.deletionTimestamp && !binding.metadata.deletionTimestamp ? { namespaces, users } : undefined;
}

function listIn(expression: string): readonly string[] | undefined {
  const list = /\["[^[\]]*"\]/.exec(expression)?.[0];
  // The cast: as above.
  return list === undefined ? undefined : (JSON.parse(list) as readonly string[]);
}

/** Whether a value has all that another one has: the API server adds defaults. */
function includes(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(wanted) && (!Array.isArray(value) || value.length !== wanted.length)) return false;
  return Object.entries(wanted).every(([key, each]) => includes((value as Readonly<Record<string, unknown>>)[key], each));
}

/** Why a controller of Fluid may write in these namespaces; undefined if the policy refuses it. @param user of a controller of Fluid */
export function whyOpen(found: FencePair, namespaces: readonly string[], user: string): string | undefined {
  const fence = fenceOf(found);
  if (!fence)
    return found.policy && found.binding
      ? `the ValidatingAdmissionPolicy ${FENCE} or its binding is not as \`sluice takeover try\` writes it`
      : `there is no ValidatingAdmissionPolicy ${FENCE} with a binding`;
  const open = namespaces.filter((namespace) => !fence.namespaces.includes(namespace));
  if (open.length > 0) return `the ValidatingAdmissionPolicy ${FENCE} does not refuse writes in ${open.join(', ')}`;
  return fence.users.includes(user) ? undefined : `the ValidatingAdmissionPolicy ${FENCE} does not refuse writes of ${user}`;
}

/**
 * Whether the policy is in force in a namespace, by a request that it refuses to every user and that changes nothing. With several API servers,
 * the one that answers may be ahead of others by a second. In a namespace that is gone or going no user may create anything: whoever may delete
 * it must not end the try of the others.
 */
export async function isInForce(client: Pick<KubeClient, 'create'>, namespace: string, options: CallOptions = {}): Promise<boolean> {
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: PROBE } };
  try {
    await client.create(ownedKinds.ConfigMap, probe, { ...options, dryRun: true });
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403 && error.message.includes(FENCE)) return true;
    if (isNoNamespace(error)) return true;
    throw error;
  }
}
