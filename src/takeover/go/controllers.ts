import { TAKEOVER_HOLDER } from '../../install/fluid.ts';
import { some } from '../../planning/some.ts';
import type { FluidDeployment } from '../fluid/installation.ts';
import { ENDS_MS, STARTS_MS } from '../waits.ts';
import { applied, living, waitingFor } from './pieces.ts';
import type { Contribution, Step } from './step.ts';
import { undoers } from './undone.ts';
import type { World } from './world.ts';

/** The webhook goes on admitting pods until Sluice's does. */
export const controllersOf = ({ fluid }: World): readonly FluidDeployment[] => fluid.deployments.filter(({ role }) => role !== 'webhook');

/** A pod that ends still writes, and one whose node does not answer may. */
export const controllersStopped: Step<World> = {
  title: "Fluid's controllers are stopped, and their pods are gone",
  does: "Scale Fluid's controllers to 0, and wait until no pod of theirs exists.",
  of: (world) => stopped(controllersOf(world)),
  undoneBy: (world) => undoers(world, controllersOf(world)),
};

export const webhookStopped: Step<World> = {
  title: "Fluid's webhook is stopped",
  does: "Scale Fluid's webhook to 0: it would write the CA bundle of an older certificate.",
  of: (world) => (hasWebhook(world) ? stopped(webhooksOf(world)) : undefined),
  undoneBy: (world) => undoers(world, webhooksOf(world)),
};

const webhooksOf = ({ fluid }: World): readonly FluidDeployment[] => fluid.deployments.filter(({ role }) => role === 'webhook');
/** An installation without a webhook leaves Fluid's at work. */
export const hasWebhook = ({ target }: World): boolean => (target.parts.get('webhook') ?? []).length > 0;

export function stopped(deployments: readonly FluidDeployment[]): Contribution | undefined {
  const running = deployments.filter(({ replicas }) => replicas > 0);
  if (running.length > 0) return { actions: running.map(({ name }) => ({ do: 'scale', deployment: name, replicas: 0 })) };
  const unseen = deployments.filter(({ object }) => !isSeen(object));
  const pods = deployments.flatMap((deployment) => deployment.pods);
  const late = [
    ...unseen.map(({ name }) => `Deployment ${name} is scaled`),
    ...pods.map(({ name, node }) => `pod ${name}${node === undefined ? '' : ` on ${node}`} ends`),
  ];
  return late.length > 0 ? { waitsFor: some(late), withinMs: ENDS_MS } : undefined;
}

/** A Deployment whose controller has not seen the scale may yet create a pod. */
function isSeen({ metadata: { generation = 0 }, status }: FluidDeployment['object']): boolean {
  const { observedGeneration = 0, replicas = 0 } = (status ?? {}) as { readonly observedGeneration?: number; readonly replicas?: number };
  return observedGeneration >= generation && replicas === 0;
}

/**
 * Sluice's controller then waits for no Lease. And a controller of Fluid that is scaled up again, by whatever tool, does not lead: since
 * client-go 0.29, that of Fluid 1.0.4, it waits for as long as the Lease says, and before that for 15 s.
 */
export const controllersHeld: Step<World> = {
  title: "The Leases of Fluid's controllers are held",
  does: 'Hold the Leases, so that none of these controllers leads if it is scaled up again.',
  of({ fluid }) {
    const free = fluid.leases.filter(({ holder }) => holder !== TAKEOVER_HOLDER);
    return free.length > 0 ? { actions: free.map(({ object }) => ({ do: 'hold', lease: object, holder: TAKEOVER_HOLDER })) } : undefined;
  },
};

export const sluiceLeads: Step<World> = {
  title: "Sluice's controller leads",
  does: "Apply Sluice's controller, and wait until one of its pods holds the Lease.",
  of(world) {
    const { controller, leader } = world.sluice;
    // A controller of a try leads for its namespaces alone.
    const leads = living(controller).some(({ name, isPartial }) => !isPartial && leader.startsWith(`${name}_`));
    return applied(world, 'controller') ?? (leads ? undefined : waitingFor('a pod of sluice-controller leads', STARTS_MS, controller));
  },
};
