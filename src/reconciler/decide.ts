import { lifecycle } from './lifecycle.ts';
import type { Contribution, Decision, Step, World } from './world.ts';

/** Fold the lifecycle over the world. A hold stops a first setup; a bound runtime keeps converging past it. */
export function decide(world: World, steps: readonly Step[] = lifecycle): Decision {
  const taken: Contribution[] = [];
  for (const step of steps) {
    const contribution = step(world);
    taken.push(contribution);
    if (contribution.hold && !world.bound) break;
  }
  const hold = taken.find((contribution) => contribution.hold)?.hold;
  return {
    actions: taken.flatMap(({ action }) => action ?? []),
    ...(hold && { hold }),
    // A shortened list is not a desired state: pruning against it would delete what later steps own.
    mayPrune: taken.length === steps.length,
  };
}
