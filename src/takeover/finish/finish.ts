/** The end of a take-over: what only Fluid needs is deleted. After it, there is no way back but Fluid's chart. */
import { TAKEOVER_HOLDER } from '../../install/fluid.ts';
import { LEASE } from '../../kube/lease/lease-record.ts';
import { some } from '../../planning/some.ts';
import { seenRecord } from '../world/releases.ts';
import { Deployment } from '../fluid/names.ts';
import { deleted } from '../steps/pieces.ts';
import { recordSeen } from '../world/pieces.ts';
import { RECORD } from '../world/record.ts';
import { seen, type Step } from '../steps/step.ts';
import type { FinishWorld } from './observe.ts';

/** The record goes last, so an end that was interrupted still has it. */
const wasTaken: Step<FinishWorld> = {
  title: 'A take-over is recorded',
  of: ({ record, fluid: { namespace }, run }) =>
    record.resourceVersion === undefined && run.deleted.size === 0
      ? { refusal: [`ConfigMap ${namespace}/${RECORD} does not exist: no take-over is recorded, so nothing is deleted`] }
      : undefined,
};

const fluidStopped: Step<FinishWorld> = {
  title: 'No program of Fluid runs',
  of({ fluid }) {
    const running = fluid.deployments.filter(({ replicas, pods }) => replicas > 0 || pods.length > 0);
    return running.length > 0
      ? { refusal: [`${some(running.map(({ name }) => name))} of Fluid still runs: \`sluice takeover go\` stops it`] }
      : undefined;
  },
};

const deploymentsGone: Step<FinishWorld> = {
  title: "Fluid's Deployments are deleted",
  of: (world) =>
    deleted(
      world,
      world.fluid.deployments.map(({ object }) => seen(Deployment, object)),
    ),
};

const accountsGone: Step<FinishWorld> = {
  title: "Fluid's accounts and rights are deleted",
  of: (world) => deleted(world, world.accounts),
};

const leasesGone: Step<FinishWorld> = {
  title: "The Leases of Fluid's controllers are deleted",
  of: (world) =>
    deleted(
      world,
      world.fluid.leases.filter(({ holder }) => holder === TAKEOVER_HOLDER).map(({ object }) => seen(LEASE, object)),
    ),
};

const keptGone: Step<FinishWorld> = {
  title: 'What Fluid kept of runtimes and operations is deleted',
  of: (world) => deleted(world, world.kept),
};

const releaseGone: Step<FinishWorld> = {
  title: "The records of Fluid's own release are deleted",
  of: (world) =>
    deleted(
      world,
      world.sluice.hidden.map((record) => seenRecord({ ...record, namespace: world.fluid.release?.namespace ?? '' })),
    ),
};

const recordGone: Step<FinishWorld> = {
  title: 'The record of the take-over is deleted',
  of: (world) => deleted(world, [...world.binding, recordSeen(world)]),
};

/**
 * The Deployments late: their annotations name helm's release. The Leases after them, since a Deployment without its Lease could lead again,
 * and an end that was interrupted there would count as a take-over that is not complete.
 */
export const FINISH: readonly Step<FinishWorld>[] = [
  wasTaken,
  fluidStopped,
  accountsGone,
  keptGone,
  releaseGone,
  deploymentsGone,
  leasesGone,
  recordGone,
];
