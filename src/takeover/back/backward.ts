/** The way from Sluice back to Fluid. The order is the list at the end. */
import { TAKEOVER_HOLDER } from '../../install/fluid.ts';
import { some } from '../../planning/some.ts';
import { deleted } from '../steps/pieces.ts';
import { recordSeen } from '../world/pieces.ts';
import { relabelled } from '../world/releases.ts';
import { RECORD } from '../world/record.ts';
import type { Step } from '../steps/step.ts';
import { datasetsReleased, releasesDeleted, workloadsRestored } from './leftovers.ts';
import { driverRestored, fluidPluginServes, sluicePluginGone } from './node-plugin.ts';
import { partRemoved } from './removed.ts';
import { controllersOf, started, stopped, undoers } from '../world/fluid-deployments.ts';
import { certificateLasts, entryRestored, fluidWebhookReady, sluiceWebhookGone } from './webhook.ts';
import type { BackWorld } from './world.ts';

/** Without them, there is nothing to go back to. */
export const canGoBack: Step<BackWorld> = {
  title: "Fluid's Deployments exist, and the record of the take-over",
  does: "Check that the record and Fluid's Deployments exist.",
  of({ record, fluid }) {
    if (record.resourceVersion === undefined)
      return {
        refusal: [`ConfigMap ${fluid.namespace}/${RECORD} does not exist: no take-over of this command is recorded, or \`back\` is done`],
      };
    const gone = Object.keys(record.replicas).filter((name) => fluid.deployments.every((deployment) => deployment.name !== name));
    return gone.length > 0
      ? { refusal: [`Fluid's ${some(gone)} no longer exist in ${fluid.namespace}: install Fluid's chart again, in place of \`back\``] }
      : undefined;
  },
};

const sluiceStopped: Step<BackWorld> = {
  title: "Sluice's controller is stopped, and its pods are gone",
  does: "Delete Sluice's controller with its rights, and wait until none of its pods exists.",
  of: (world) => partRemoved(world, 'controller', world.sluice.controller),
};

/**
 * Only while none runs are the objects of users read and given back, and afterwards the record is gone. Controllers that were scaled up since
 * lead nothing while their Leases are held.
 */
const fluidIdle: Step<BackWorld> = {
  title: 'No controller of Fluid runs before all is given back',
  does: "Scale Fluid's controllers to 0 if they were scaled up since, and wait until no pod of theirs exists.",
  of: (world) => (world.fluid.leases.some(({ holder }) => holder === TAKEOVER_HOLDER) ? stopped(controllersOf(world)) : undefined),
  undoneBy: (world) => undoers(world, controllersOf(world)),
};

/** Sluice serves nothing any more: with them, no controller would serve those namespaces. */
const policiesGone: Step<BackWorld> = {
  title: 'No policy of a try keeps Fluid off a namespace',
  does: 'Delete the admission policies of `sluice takeover try`, if they are left.',
  of: (world) => deleted(world, world.fence),
};

const leasesFreed: Step<BackWorld> = {
  title: "The Leases of Fluid's controllers are free",
  does: 'Release the Leases.',
  of({ fluid }) {
    const held = fluid.leases.filter(({ holder }) => holder === TAKEOVER_HOLDER);
    return held.length > 0 ? { actions: held.map(({ object }) => ({ do: 'hold', lease: object, holder: '' })) } : undefined;
  },
};

const fluidStarted: Step<BackWorld> = {
  title: "Fluid's controllers run",
  does: "Scale Fluid's controllers to the replicas that they had, and wait until their pods are ready.",
  of: (world) =>
    started(
      controllersOf(world),
      // The controller of Datasets starts the others when they are needed.
      (name) => Math.max(world.record.replicas[name] ?? 0, name === 'dataset-controller' ? 1 : 0),
    ),
};

const userRolesGone: Step<BackWorld> = {
  title: "Sluice's roles of users are gone",
  does: "Delete Sluice's ClusterRoles of users. Custom resources and daemons stay.",
  of: (world) => partRemoved(world, 'rest', []),
};

const recordsShown: Step<BackWorld> = {
  title: "helm finds Fluid's release again",
  does: "Give the records of Fluid's release their label back.",
  of: ({ sluice: { hidden }, fluid: { release } }) => relabelled(release, hidden, 'helm'),
};

const recordGone: Step<BackWorld> = {
  title: 'The record of the take-over is gone',
  does: 'Delete the record.',
  of: (world) => deleted(world, [recordSeen(world)]),
};

/**
 * Controllers first, with what Fluid cannot read while none runs. The plugin of a node mounts for both. The record goes last: until then,
 * a run that begins again knows what to restore.
 */
export const BACKWARD: readonly Step<BackWorld>[] = [
  sluiceStopped,
  fluidIdle,
  workloadsRestored,
  datasetsReleased,
  releasesDeleted,
  policiesGone,
  leasesFreed,
  fluidStarted,
  sluicePluginGone,
  driverRestored,
  fluidPluginServes,
  certificateLasts,
  fluidWebhookReady,
  entryRestored,
  sluiceWebhookGone,
  userRolesGone,
  recordsShown,
  recordGone,
];
