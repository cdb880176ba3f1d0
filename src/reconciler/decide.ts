import { lifecycle } from './lifecycle.ts';
import type { Contribution, Decision, Hold, Step, World } from './world.ts';

/** Fold the lifecycle over the world. A hold stops a first setup; a bound runtime keeps converging past it. */
export function decide(world: World, steps: readonly Step[] = lifecycle): Decision {
  const taken: Contribution[] = [];
  for (const step of steps) {
    const contribution = step(world);
    taken.push(contribution);
    if (contribution.hold && !world.bound) break;
  }
  const holds = taken.flatMap((contribution) => contribution.hold ?? []);
  const hold = both(world.obstacle, holds.find(({ silent }) => !silent) ?? holds[0]);
  return {
    actions: taken.flatMap(({ action }) => action ?? []),
    ...(hold && { hold }),
    // A shortened list is not a desired state: pruning against it would delete what later steps own. Nor is the list of an older plan.
    mayPrune: taken.length === steps.length && !world.obstacle,
  };
}

/** What the user is to mend comes first; what does not serve meanwhile is told with it. */
function both(obstacle: Hold | undefined, hold: Hold | undefined): Hold | undefined {
  if (!obstacle || !hold || hold.silent) return obstacle ?? hold;
  const retries = [obstacle, hold].flatMap(({ retryMs }) => retryMs ?? []);
  return {
    ...obstacle,
    message: `${obstacle.message}. Besides: ${hold.message}`,
    ...(retries.length > 0 && { retryMs: Math.min(...retries) }),
  };
}
