/** The way from Fluid to Sluice. The order is the list at the end. */
import { podsAdmitted } from './admission.ts';
import { controllersHeld, controllersStopped, sluiceLeads, webhookStopped } from './controllers.ts';
import { nodePluginWaits, nodesHandedOver } from './node-plugin.ts';
import { applied } from '../world/pieces.ts';
import { fluidRecorded, workloadsFit, workloadsRecorded } from './recording.ts';
import { recordsHidden } from './release.ts';
import type { Step } from '../steps/step.ts';
import { webhookEntered, webhookReady } from './webhook.ts';
import type { World } from '../world/world.ts';

const kindsServed: Step<World> = {
  title: "Sluice's custom resources are served",
  does: "Apply Sluice's CRDs over Fluid's, which keep every field.",
  of(world) {
    const missing = world.target.kinds.map(({ plural }) => plural).filter((plural) => !world.sluice.kinds.has(plural));
    return (
      applied(world, 'crds') ??
      (missing.length > 0 ? { waitsFor: `the API server serves ${missing.join(', ')}`, withinMs: 60_000 } : undefined)
    );
  },
};

const allApplied: Step<World> = {
  title: 'Every other object of the installation is applied',
  does: 'Apply the roles of users and the daemons of runtimes.',
  of: (world) => applied(world, 'rest'),
};

/**
 * The node plugin comes first, since it waits beside Fluid's: by the time that Fluid's controllers stop, the nodes have the image. What
 * Fluid's controllers wrote last is recorded once they have stopped, and before Sluice's controller changes it.
 */
export const FORWARD: readonly Step<World>[] = [
  fluidRecorded,
  kindsServed,
  nodePluginWaits,
  podsAdmitted,
  workloadsFit,
  controllersStopped,
  controllersHeld,
  workloadsRecorded,
  sluiceLeads,
  nodesHandedOver,
  webhookReady,
  webhookEntered,
  webhookStopped,
  allApplied,
  recordsHidden,
];

/** The time between the first of these and the last has no controller. */
export const WITHOUT_CONTROLLER = { from: controllersStopped, to: sluiceLeads } as const;
