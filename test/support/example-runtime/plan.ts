import { type BasePlan, basePlan, cacheByMedium, must, type Needs, type PlanInput, positional } from '../../../src/constructs/index.ts';
import type { ExampleRuntimeSpec } from './spec.ts';

export interface ExamplePlan extends BasePlan {
  readonly image: string;
  readonly ports: Readonly<Record<'master' | 'worker', number>>;
  /** Every master by its stable name, in the order of their ordinals. */
  readonly masters: readonly string[];
  readonly cacheDir: string;
  readonly mounts: readonly { readonly path: string; readonly source: string; readonly options: Readonly<Record<string, string>> }[];
}

export const needs = ({ settings }: PlanInput<ExampleRuntimeSpec>): Needs => {
  const range = settings.portRanges['example'] ?? ([24000, 24999] as const);
  return { ports: (['master', 'worker'] as const).map((role) => ({ name: role, range, in: role, portName: 'rpc' })) };
};

export function plan(input: PlanInput<ExampleRuntimeSpec>): ExamplePlan {
  const { name, namespace, spec, dataset, facts } = input;
  must(spec.masters !== 2, 'spec.masters', '1 or 3: two cannot outvote one another', spec.masters);
  const base = basePlan(input, { mountType: 'fuse.example', mountDir: 'example-fuse' });
  const masters = Array.from({ length: spec.masters ?? 1 }, (_, i) => `${name}-master-${i}.${name}-master.${namespace}`);
  return {
    ...base,
    image: spec.image ?? 'example.io/example:v1',
    ports: { master: facts.ports['master'] ?? 0, worker: facts.ports['worker'] ?? 0 },
    masters,
    replicas: { master: masters.length, worker: spec.replicas ?? 1 },
    cacheDir: spec.tieredstore?.levels?.[0]?.path ?? '/var/example',
    cacheOnNode: cacheByMedium(spec.tieredstore?.levels),
    mounts: (dataset.spec.mounts ?? []).map(({ name = '', path, mountPoint, options }, i) => ({
      path: path ?? `/${name}`,
      source: positional(mountPoint, `spec.mounts[${i}].mountPoint`),
      options: { ...dataset.spec.sharedOptions, ...options },
    })),
  };
}
