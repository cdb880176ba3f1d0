import { type Outcome, settled, waiting } from '../kube/turns/queue.ts';
import type { Hold } from '../planning/hold.ts';
import { held, orAgain } from './holds.ts';

/**
 * The shape of each subject: a Dataset with its runtime, a runtime that is deleted, an operation. A pass observes a world; steps, a list at
 * the end of one file, ask for actions; a table of effects takes the actions; and a hold is reported once it lasts.
 */

/** The request of one step. */
export interface Contribution<A> {
  /** The pass takes them in this order. */
  readonly actions?: readonly A[];
  readonly hold?: Hold;
  /** Milliseconds until the next pass, if nothing else asks for a sooner one. */
  readonly afterMs?: number;
  /** Another pass follows at once. */
  readonly again?: true;
}

/** A step depends on the world alone. undefined: it is done. */
export type Step<W, A> = (world: W) => Contribution<A> | undefined;

/** The first step that is not done decides: each is done before the next one begins. */
export function firstOf<W, A>(world: W, steps: readonly Step<W, A>[]): Contribution<A> {
  for (const step of steps) {
    const contribution = step(world);
    if (contribution) return contribution;
  }
  return {};
}

/** How each action is taken, by its tag. */
export type Effects<A extends { readonly do: string }, P, R> = {
  readonly [D in A['do']]: (pass: P, action: Extract<A, { readonly do: D }>) => Promise<R>;
};

export const taker =
  <A extends { readonly do: string }, P, R>(effects: Effects<A, P, R>) =>
  (pass: P, action: A): Promise<R> =>
    // The cast: the table has the function of this tag, which takes this action.
    (effects[action.do as A['do']] as (pass: P, action: A) => Promise<R>)(pass, action);

/**
 * Takes the actions in order, then waits if the step holds.
 *
 * @param act says when the next pass is due, if the action decides that
 */
export async function carryOut<A>(
  { actions = [], hold, afterMs, again }: Contribution<A>,
  act: (action: A) => Promise<Outcome | void>,
  report: (hold: Hold) => Promise<unknown>,
  reportInMs: number,
): Promise<Outcome> {
  let outcome = again ? waiting(0) : settled(afterMs);
  for (const action of actions) outcome = (await act(action)) ?? outcome;
  return hold ? orAgain(await held(hold, reportInMs, () => report(hold)), afterMs) : outcome;
}
