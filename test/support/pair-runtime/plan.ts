import { type BasePlan, basePlan, type Needs, type PlanInput } from '../../../src/constructs/index.ts';
import type { PairRuntimeSpec } from './spec.ts';

/** Variable of the controller: the engine of runtimes that are set up from now on. */
export const ENGINE_ENV = 'PAIR_ENGINE_TYPE';

export interface PairPlan extends BasePlan {
  readonly image: string;
  /** Every master by its stable name. */
  readonly masters: readonly string[];
  /** Files of the user's, in order. */
  readonly files: readonly string[];
  /** Where workers can be reached. */
  readonly endpoints: readonly string[];
  readonly mounts: readonly { readonly path: string; readonly source: string }[];
}

export const needs = ({ spec }: PlanInput<PairRuntimeSpec>): Needs => ({
  pods: ['worker'],
  ...(spec.hadoopConfig && { configMaps: [spec.hadoopConfig] }),
});

export function plan(input: PlanInput<PairRuntimeSpec>): PairPlan {
  const { namespace, spec, runtime, facts } = input;
  const { engine, workloads } = runtime;
  const count = spec.masters ?? 3;
  return {
    ...basePlan(input, { app: 'pairfs', mountType: 'pairfs', mountDir: 'pairfs-fuse', mountAt: '/pairfs', isMount: false }),
    config: { name: `${input.name}-endpoints`, roles: ['fuse', 'worker'] },
    files: facts.configMaps[spec.hadoopConfig ?? ''] ?? [],
    endpoints: (facts.pods.worker ?? []).map(({ ip, node }) => `${node}=${ip}`),
    image: spec.image ?? `example.io/${engine}:v1`,
    masters: Array.from({ length: count }, (_, i) => `${workloads.master}-${i}.${workloads.master}.${namespace}`),
    mounts: (input.dataset.spec.mounts ?? []).map(({ name = '', path, mountPoint }) => ({ path: path ?? `/${name}`, source: mountPoint })),
    cleaning: { attempts: 2, graceSeconds: 7 },
    replicas: { master: count, worker: spec.replicas ?? 1 },
  };
}
