import type { Manifest, StatefulSetSpec } from '../api/index.ts';

/** Where the cache can be, for pods that want to be near it: the workers' node affinity with their node selector in each term. */
export function cacheAffinityOf(workers: readonly Manifest[]): object | undefined {
  const worker = workers.find(({ kind }) => kind === 'StatefulSet');
  const { template, replicas } = (worker?.['spec'] ?? {}) as Partial<StatefulSetSpec>;
  const pod = template?.spec;
  if (!pod) return undefined;
  const selected = Object.entries(pod.nodeSelector ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  // As in Fluid, a runtime without workers has no affinity.
  const affinity = replicas === 0 ? undefined : pod.affinity?.nodeAffinity;
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const withSelector =
    selected.length === 0
      ? terms
      : (terms.length > 0 ? terms : [{}]).map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), ...selected] }));
  return { ...affinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: withSelector } };
}
