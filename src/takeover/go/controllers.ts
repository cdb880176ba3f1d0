import { FLUID_LEASES, fluidController, TAKEOVER_HOLDER } from '../../install/fluid.ts';
import { LEASE } from '../../kube/lease/lease-record.ts';
import type { KubeObject } from '../../kube/types.ts';
import { living, waitingFor } from '../steps/pieces.ts';
import type { Step } from '../steps/step.ts';
import { STARTS_MS } from '../steps/waits.ts';
import { controllersOf, stopped, undoers, webhooksOf } from '../world/fluid-deployments.ts';
import { applied } from '../world/pieces.ts';
import type { World } from '../world/world.ts';

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

/** An installation without a webhook leaves Fluid's at work. */
export const hasWebhook = ({ target }: World): boolean => (target.parts.get('webhook') ?? []).length > 0;

/**
 * Sluice's controller then waits for no Lease. And a controller of Fluid that is scaled up again, by whatever tool, does not lead: since
 * client-go 0.29, that of Fluid 1.0.4, it waits for as long as the Lease says, and before that for 15 s.
 */
export const controllersHeld: Step<World> = {
  title: "The Leases of Fluid's controllers are held",
  does: 'Hold the Leases, so that none of these controllers leads if it is scaled up again.',
  of({ fluid: { namespace, deployments, leases } }) {
    const free = leases.filter(({ holder }) => holder !== TAKEOVER_HOLDER).map(({ object }) => object);
    // A controller of a kind that was never used has none, and would create it.
    const existing = new Set(leases.map(({ name }) => name));
    const scalable = new Set(deployments.map(({ name }) => name));
    const never = [...FLUID_LEASES]
      .filter(([controller, name]) => scalable.has(fluidController(controller)) && !existing.has(name))
      .map(([, name]): KubeObject => ({ apiVersion: 'coordination.k8s.io/v1', kind: LEASE.kind, metadata: { namespace, name } }));
    const actions = [...free, ...never].map((lease) => ({ do: 'hold', lease, holder: TAKEOVER_HOLDER }) as const);
    return actions.length > 0 ? { actions } : undefined;
  },
};

export const sluiceLeads: Step<World> = {
  title: "Sluice's controller leads",
  does: "Apply Sluice's controller, and wait until one of its pods holds the Lease.",
  of(world) {
    const { controller, leader } = world.sluice;
    // A controller of a try leads for its namespaces alone.
    const leads = living(controller).some(({ name, namespaces }) => !namespaces && leader.startsWith(`${name}_`));
    return applied(world, 'controller') ?? (leads ? undefined : waitingFor('a pod of sluice-controller leads', STARTS_MS, controller));
  },
};
