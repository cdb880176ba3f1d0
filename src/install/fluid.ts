import { GROUP } from '../api/resource.ts';

/**
 * Fluid's controllers that write what we write, and the lease that each renews while it runs. Not `fluidapp`: it ends the sidecars that
 * Fluid's webhook has put into pods, and may go on.
 */
export const FLUID_LEASES: ReadonlyMap<string, string> = new Map(
  ['dataset', 'alluxio', 'jindo', 'juicefs', 'thin', 'efc', 'vineyard', 'cache'].map((name) => [name, `${name}.${GROUP}`]),
);
