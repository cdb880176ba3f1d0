import { type Manifest, type RuntimeStatus, type StatefulSetSpec, textBytes } from '../../api/index.ts';
import type { EngineStatus, UfsUsage } from '../../constructs/index.ts';
import type { World } from '../world.ts';

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

export function cacheStatesOf({ plan, workloads, probes, dataset }: World, before: Pick<RuntimeStatus, 'cacheStates'> | undefined) {
  // The first probe since this process started: until it ends, the last reported value stays.
  if (probes.cacheRunning && !probes.cache && before?.cacheStates) return before.cacheStates;
  const { cacheStates } = engineStatusOf({ plan, workloads, probes, dataset });
  return cacheStates && { ...cacheStates };
}

export function engineStatusOf({
  plan,
  workloads,
  probes,
  dataset,
}: Pick<World, 'plan' | 'workloads' | 'probes' | 'dataset'>): EngineStatus {
  const ufs = probes.ufs ?? counted(dataset.status?.ufsTotal);
  return plan.status({ readyWorkers: workloads.worker?.ready ?? 0, ...probes, ...(ufs && { ufs }) });
}

/** Counted once, by any process: from then on the status holds it, rounded. */
function counted(text: string | undefined): UfsUsage | undefined {
  const totalBytes = text === undefined ? undefined : textBytes(text);
  return totalBytes === undefined ? undefined : { totalBytes };
}
