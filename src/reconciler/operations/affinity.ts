import type { NodeAffinity, NodeSelectorRequirement } from '../../api/index.ts';
import type { OperationSpec } from '../../constructs/index.ts';

/**
 * Where operations run, for those that follow: near the data that the earlier one wrote or warmed. Both sides are in the words of Fluid:
 * `status.nodeAffinity` of the earlier operation, `spec.runAfter.affinityStrategy` of the later one.
 */

export const HOSTNAME = 'kubernetes.io/hostname';
/** Labels that are recorded of every node. */
const PLACES = [HOSTNAME, 'topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/**
 * The node on which an operation ran, by its labels; undefined if it has none of them.
 *
 * @param more further labels, separated by commas, that count for this operation
 */
export function affinityTo(labels: Readonly<Record<string, string>> = {}, more = ''): NodeAffinity | undefined {
  const keys = [...new Set([...PLACES, ...more.split(',', MOST_KEYS).map((key) => key.trim())])];
  const own = new Map(Object.entries(labels));
  const matchExpressions = keys.flatMap((key) => {
    const value = own.get(key);
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  return requiring(matchExpressions);
}
const MOST_KEYS = 32;

type Strategy = NonNullable<NonNullable<OperationSpec['runAfter']>['affinityStrategy']>;

/** The node affinity of a later operation, given where the earlier one ran. */
export function affinityLike(ran: NodeAffinity | undefined, { policy, prefers, requires }: Strategy): NodeAffinity | undefined {
  const [term] = ran?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const expressionsOf = (name: string) => (term?.matchExpressions ?? []).filter(({ key }) => key === name);
  if (policy === 'Require') {
    const names = requires?.length ? requires : [{ name: HOSTNAME }];
    return requiring(names.flatMap(({ name }) => expressionsOf(name)));
  }
  if (policy !== 'Prefer') return undefined;
  const names = prefers?.length ? prefers : [{ name: HOSTNAME, weight: 100 }];
  const preferred = names.flatMap(({ name, weight }) =>
    expressionsOf(name).map((expression) => ({ weight, preference: { matchExpressions: [expression] } })),
  );
  return preferred.length > 0 ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : undefined;
}

const requiring = (matchExpressions: NodeSelectorRequirement[]): NodeAffinity | undefined =>
  matchExpressions.length > 0
    ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } }
    : undefined;
