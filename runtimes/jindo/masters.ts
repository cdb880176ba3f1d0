import { must, type PlanInput } from '../../src/constructs/index.ts';
import type { JindoRuntimeSpec } from './spec.ts';

/** The pods of a Jindo, beside the clients. */
export interface Deployment {
  /** None, one, or three that elect the one that leads. */
  readonly masters: 0 | 1 | 3;
  readonly hasWorkers: boolean;
}

/** As in Fluid, any number of masters but three means one. */
export const deploymentOf = ({ master, worker }: JindoRuntimeSpec): Deployment => ({
  masters: master?.disabled ? 0 : master?.replicas === 3 ? 3 : 1,
  hasWorkers: !worker?.disabled,
});

/** The masters by the names of their pods, which are those of their Services. */
export function mastersOf({ spec, runtime, facts }: Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'runtime' | 'facts'>): readonly string[] {
  const { masters, hasWorkers } = deploymentOf(spec);
  must(
    masters > 0 || !hasWorkers,
    'spec.worker.disabled',
    'true, since spec.master.disabled is: workers serve nobody without a master',
    false,
  );
  // Masters write one journal together, or one alone its own.
  const before = facts.masters ?? masters;
  must(
    masters === before || masters === 0 || before === 0,
    'spec.master.replicas',
    `${before}, as it was set up; for another number delete the JindoRuntime and create it again`,
    masters,
  );
  return Array.from({ length: masters }, (_, i) => `${runtime.workloads.master}-${i}`);
}

/** Masters as clients and workers find them: `demo-jindofs-master-0.ml:8101`, separated by commas. */
export const addressList = (masters: readonly string[], namespace: string, port: number): string =>
  masters.map((name) => `${name}.${namespace}:${port}`).join();
