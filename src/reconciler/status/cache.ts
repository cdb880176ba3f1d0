import { type RuntimeStatus, textBytes } from '../../api/index.ts';
import type { EngineStatus, UfsUsage } from '../../constructs/index.ts';
import type { World } from '../world.ts';

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
