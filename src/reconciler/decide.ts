import { lifecycle } from './lifecycle.ts';
import type { Contribution, Step } from './steps.ts';
import type { Action, Decision, Hold, World } from './world.ts';

/** Collects what each step of the lifecycle asks for. A hold ends a first set-up; a bound runtime goes on with the steps after it. */
export function decide(world: World, steps: readonly Step<World, Action>[] = lifecycle): Decision {
  const taken: Contribution<Action>[] = [];
  for (const step of steps) {
    const contribution = step(world) ?? {};
    taken.push(contribution);
    if (contribution.hold && !world.bound) break;
  }
  const holds = taken.flatMap((contribution) => contribution.hold ?? []);
  const hold = both(world.obstacle, holds.find(({ silent }) => !silent) ?? holds[0]);
  return {
    actions: taken.flatMap(({ actions = [] }) => actions),
    ...(hold && { hold }),
    // A shortened list, or that of an older plan, is not a desired state: pruning against it would delete what later steps own.
    mayPrune: taken.length === steps.length && !world.obstacle,
  };
}

/** The obstacle comes first, since a user has to remove it; the hold of what does not serve meanwhile is reported with it. */
function both(obstacle: Hold | undefined, hold: Hold | undefined): Hold | undefined {
  if (!obstacle || !hold || hold.silent) return obstacle ?? hold;
  const retries = [obstacle, hold].flatMap(({ afterMs }) => afterMs ?? []);
  return {
    ...obstacle,
    message: `${obstacle.message}. Besides: ${hold.message}`,
    ...(retries.length > 0 && { afterMs: Math.min(...retries) }),
  };
}
