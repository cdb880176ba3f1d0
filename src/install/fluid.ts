import { GROUP } from '../api/resource.ts';

/** Namespace of Fluid's chart, and so of Sluice when none is given. */
export const DEFAULT_NAMESPACE = 'fluid-system';

/**
 * Fluid's controllers that write the same objects as Sluice, and the Lease that each renews while it runs. Not `fluidapp`: it
 * only stops sidecars of pods that have ended, as Sluice does, and a second stop finds nothing to do.
 */
export const FLUID_LEASES: ReadonlyMap<string, string> = new Map(
  ['dataset', 'alluxio', 'jindo', 'juicefs', 'thin', 'efc', 'vineyard', 'cache'].map((name) => [name, `${name}.${GROUP}`]),
);
