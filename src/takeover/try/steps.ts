/**
 * The order of a try, and of giving namespaces back (docs/adr/0041-an-order-is-a-list-of-steps.md): a pass reads the cluster, and the first step
 * that is not done decides. So a run that was interrupted begins again where the cluster is.
 */
import { some } from '../../planning/some.ts';
import { ENDS_MS, STARTS_MS } from '../waits.ts';
import type { ControllerPod, TryWorld, Unbound } from './world.ts';

/** A write. Each may be repeated. */
export type TryAction =
  | { readonly do: 'apply'; readonly part: 'crds' | 'controller' }
  /** Applies the policies of these namespaces, and deletes what is for others; of none, deletes all. */
  | { readonly do: 'fence'; readonly namespaces: readonly string[] }
  /** Deletes the controller and what belongs to it. */
  | { readonly do: 'remove' }
  /** Removes conditions with which Fluid would not set up a Dataset. */
  | { readonly do: 'unbind'; readonly dataset: Unbound };

export interface TryWait {
  readonly waitsFor: string;
  readonly withinMs: number;
  readonly because?: string;
  /** The next step may begin without it. */
  readonly isOptional?: true;
}
/** Actions, or a wait. */
export type TryNeed = { readonly actions: readonly TryAction[] } | TryWait;

export interface TryStep {
  /** A sentence that is true once the step is done. */
  readonly title: string;
  /** undefined: it is done. */
  readonly of: (world: TryWorld) => TryNeed | undefined;
}

/** API servers and controllers hear of a change within a second. */
const HEARD_MS = 60_000;
const ADOPTED_MS = 120_000;

const isEqual = (some: readonly string[] | undefined, others: readonly string[]): boolean => some?.join() === others.join();
const covers = (all: readonly string[] | undefined, some: readonly string[]): boolean => some.every((each) => all?.includes(each));

const kindsServed: TryStep = {
  title: "Sluice's custom resources are applied over Fluid's",
  of: ({ applied }) => (applied.has('crds') ? undefined : { actions: [{ do: 'apply', part: 'crds' }] }),
};

/** Before Sluice serves a namespace: never do both write. Those that Sluice still serves stay in the policy. */
const fluidKeptOff: TryStep = {
  title: "An admission policy refuses the writes of Fluid's controllers in these namespaces",
  of({ applied, fence, target: { namespaces, users } }) {
    if (applied.has('fence') && covers(fence?.namespaces, namespaces) && covers(fence?.users, users)) return undefined;
    const all = [...new Set([...(fence?.namespaces ?? []), ...namespaces])].toSorted();
    return { actions: [{ do: 'fence', namespaces: all }] };
  },
};

const inForce: TryStep = {
  title: 'The API server refuses them',
  of({ inForce: refused, target: { namespaces } }) {
    const open = namespaces.filter((namespace) => !refused.has(namespace));
    return open.length > 0 ? { waitsFor: `the policy is in force in ${open.join(', ')}`, withinMs: HEARD_MS } : undefined;
  },
};

const controllerServes: TryStep = {
  title: "Sluice's controller serves these namespaces",
  of({ applied, controller: { deployment, pods, leader }, target: { namespaces } }) {
    if (!applied.has('controller') || !isEqual(deployment?.namespaces, namespaces))
      return { actions: [{ do: 'apply', part: 'controller' }] };
    const others = pods.filter((pod) => !isEqual(pod.namespaces, namespaces));
    if (others.length > 0) return { waitsFor: `pods of other namespaces end: ${names(others)}`, withinMs: STARTS_MS, ...reasons(pods) };
    const leads = pods.some(({ name }) => leader.startsWith(`${name}_`));
    return leads ? undefined : { waitsFor: 'a pod of sluice-controller leads', withinMs: STARTS_MS, ...reasons(pods) };
  },
};

const adopted: TryStep = {
  title: 'Sluice has adopted the runtimes there',
  of: ({ untouched }) =>
    untouched.length > 0 ? { waitsFor: `Sluice reports on ${some(untouched)}`, withinMs: ADOPTED_MS, isOptional: true } : undefined,
};

const controllerRemoved: TryStep = {
  title: "Sluice's controller is removed, and its pods are gone",
  of({ controller: { deployment, pods } }) {
    if (deployment) return { actions: [{ do: 'remove' }] };
    return pods.length > 0 ? { waitsFor: `pods end: ${names(pods)}`, withinMs: ENDS_MS } : undefined;
  },
};

const unboundPrepared: TryStep = {
  title: 'Fluid can set up the Datasets that are not bound',
  of: ({ unbound }) => (unbound.length > 0 ? { actions: unbound.map((dataset) => ({ do: 'unbind', dataset })) } : undefined),
};

const givenBack: TryStep = {
  title: 'Fluid may write there again',
  of: ({ fence, isFenceLeft, target: { namespaces } }) =>
    (!isFenceLeft && namespaces.length === 0) || isEqual(fence?.namespaces, namespaces)
      ? undefined
      : { actions: [{ do: 'fence', namespaces }] },
};

/** Serves more namespaces, or the same again. */
export const FORWARD: readonly TryStep[] = [kindsServed, fluidKeptOff, inForce, controllerServes, adopted];
/** Serves some of the namespaces no longer. */
export const NARROWER: readonly TryStep[] = [controllerServes, unboundPrepared, givenBack];
/** Sluice serves all namespaces, and Fluid none. */
export const TAKEN_OVER: readonly TryStep[] = [givenBack];
/** Serves none. */
export const OFF: readonly TryStep[] = [controllerRemoved, unboundPrepared, givenBack];

const names = (pods: readonly ControllerPod[]): string => pods.map(({ name }) => name).join(', ');
function reasons(pods: readonly ControllerPod[]): { readonly because?: string } {
  const all = pods.flatMap(({ name, why }) => (why === undefined ? [] : `${name}: ${why}`));
  return all.length > 0 ? { because: all.join('; ') } : {};
}
