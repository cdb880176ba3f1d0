import { GROUP } from '../api/resource.ts';

/** Namespace of Fluid's chart, and so of Sluice when none is given. */
export const DEFAULT_NAMESPACE = 'fluid-system';

/** The name of the Deployment of a controller in `FLUID_LEASES`, and of its ServiceAccount. */
export const fluidController = (controller: string): string =>
  controller === 'dataset' ? 'dataset-controller' : `${controller}runtime-controller`;

/**
 * Fluid's controllers that write the same objects as Sluice, and the Lease that each renews while it runs. Not `fluidapp`: it
 * only stops sidecars of pods that have ended, as Sluice does, and a second stop finds nothing to do. Nor the webhook, which holds no Lease:
 * its Service selects Sluice's pods after an installation. It may go on writing the CA bundle of a certificate that Sluice has renewed, so
 * docs/taking-over-by-hand.md says to stop it.
 */
export const FLUID_LEASES: ReadonlyMap<string, string> = new Map(
  ['dataset', 'alluxio', 'jindo', 'juicefs', 'thin', 'efc', 'vineyard', 'cache'].map((name) => [name, `${name}.${GROUP}`]),
);

/** Holder of these Leases after `sluice takeover go`: no process, so that no controller waits for its end, and none of Fluid's leads. */
export const TAKEOVER_HOLDER = 'sluice-takeover';
