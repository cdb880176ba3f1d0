/** The order of a try, and of giving namespaces back. The lists are at the end. */
import { some } from '../../planning/some.ts';
import { conditionsRemoved } from '../fluid/unbound.ts';
import { deleted, removed, waitingFor } from '../steps/pieces.ts';
import type { Contribution, Step } from '../steps/step.ts';
import { STARTS_MS } from '../steps/waits.ts';
import { fenceObjects } from './policies.ts';
import type { TryWorld } from './world.ts';

/** API servers and controllers receive a change within a second. */
const HEARD_MS = 60_000;
const ADOPTED_MS = 120_000;

const isEqual = (names: readonly string[] | undefined, others: readonly string[]): boolean => names?.join() === others.join();
const covers = (all: readonly string[] | undefined, names: readonly string[]): boolean => names.every((each) => all?.includes(each));

const kindsApplied: Step<TryWorld> = {
  title: "Sluice's custom resources are applied over Fluid's",
  of: ({ run, target: { crds } }) =>
    run.applied.has('crds') ? undefined : { actions: [{ do: 'apply', part: 'crds', says: 'the custom resources', manifests: crds }] },
};

/** Before Sluice serves a namespace: never do both write. Those that Sluice still serves stay in the policy. */
const fluidKeptOff: Step<TryWorld> = {
  title: "An admission policy refuses the writes of Fluid's controllers in these namespaces",
  of(world) {
    const { run, fence, target } = world;
    const all = [...new Set([...(fence?.namespaces ?? []), ...target.namespaces])].toSorted();
    const isDone = run.applied.has('policies') && covers(fence?.namespaces, target.namespaces) && covers(fence?.users, target.users);
    return fencedOff(world, all, isDone);
  },
};

const inForce: Step<TryWorld> = {
  title: 'The API server refuses them',
  of({ inForce: refused, target: { namespaces } }) {
    const open = namespaces.filter((namespace) => !refused.has(namespace));
    return open.length > 0 ? { waitsFor: `the policy is in force in ${open.join(', ')}`, withinMs: HEARD_MS } : undefined;
  },
};

const controllerServes: Step<TryWorld> = {
  title: "Sluice's controller serves these namespaces",
  of({ run, controller: { deployment, pods, leader }, target: { namespaces, controller } }) {
    if (!run.applied.has('controller') || !isEqual(deployment?.namespaces, namespaces))
      return { actions: [{ do: 'apply', part: 'controller', says: "Sluice's controller", manifests: controller }] };
    const others = pods.filter((pod) => !isEqual(pod.namespaces, namespaces)).map(({ name }) => name);
    if (others.length > 0) return waitingFor(`pods of other namespaces end: ${others.join(', ')}`, STARTS_MS, pods);
    const leads = pods.some(({ name }) => leader.startsWith(`${name}_`));
    return leads ? undefined : waitingFor('a pod of sluice-controller leads', STARTS_MS, pods);
  },
};

const adopted: Step<TryWorld> = {
  title: 'Sluice has adopted the runtimes there',
  of: ({ untouched }) =>
    untouched.length > 0 ? { waitsFor: `Sluice reports on ${some(untouched)}`, withinMs: ADOPTED_MS, isOptional: true } : undefined,
};

const controllerRemoved: Step<TryWorld> = {
  title: "Sluice's controller is removed, and its pods are gone",
  of: (world) => removed(world, world.objects, world.controller.pods),
};

const unboundPrepared: Step<TryWorld> = {
  title: 'Fluid can set up the Datasets that are not bound',
  of: ({ datasets }) => conditionsRemoved(datasets),
};

const givenBack: Step<TryWorld> = {
  title: 'Fluid may write there again',
  of: (world) => fencedOff(world, world.target.namespaces, isEqual(world.fence?.namespaces ?? [], world.target.namespaces)),
};

/** Policies of these namespaces. What is for others goes after: at no moment is a namespace open that shall not be. */
function fencedOff(world: TryWorld, namespaces: readonly string[], isApplied: boolean): Contribution | undefined {
  const users = [...new Set([...world.target.users, ...(world.fence?.users ?? [])])];
  const manifests = namespaces.length > 0 ? fenceObjects({ namespaces, users }) : [];
  const names = new Set(manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const others = world.policies.filter(({ type, name }) => !names.has(`${type.kind}/${name}`));
  const apply = { do: 'apply', part: 'policies', says: 'the admission policies', manifests } as const;
  const actions = [...(isApplied || namespaces.length === 0 ? [] : [apply]), ...(deleted(world, others)?.actions ?? [])];
  return actions.length > 0 ? { actions } : undefined;
}

/** Serves more namespaces, or the same again. */
export const WIDER: readonly Step<TryWorld>[] = [kindsApplied, fluidKeptOff, inForce, controllerServes, adopted];
/** Serves some of the namespaces no longer. */
export const NARROWER: readonly Step<TryWorld>[] = [controllerServes, unboundPrepared, givenBack];
/** Sluice serves all namespaces, and Fluid none. */
export const TAKEN_OVER: readonly Step<TryWorld>[] = [givenBack];
/** Serves none. */
export const OFF: readonly Step<TryWorld>[] = [controllerRemoved, unboundPrepared, givenBack];
