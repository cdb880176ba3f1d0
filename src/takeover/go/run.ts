import { type Clock, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { take } from './effects.ts';
import { createPace } from './pace.ts';
import type { PartName } from './parts.ts';
import { type Action, type Contribution, inWords, type Step } from './step.ts';
import { Stopped } from './stopped.ts';
import type { Run, Target } from './world.ts';

/** Receives what happens in a run, as it happens. */
export interface Progress<W> {
  /** A step is done. `seconds` since the one before was. */
  readonly done?: (step: Step<W>, seconds: number, was: 'done' | 'done before') => void;
  /** A step that was done is not any more. */
  readonly undone?: (step: Step<W>, why: readonly string[]) => void;
  readonly action?: (action: Action) => void;
  /** A step begins to wait. */
  readonly waits?: (what: string) => void;
}

export interface RunOptions<W> {
  readonly client: KubeClient;
  readonly target: Target;
  /** Reads the cluster. */
  readonly observe: (run: Run) => Promise<W>;
  readonly progress?: Progress<W>;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** Who undoes a step more often does so for ever. */
const MOST_UNDONE = 3;

/**
 * Takes the steps in their order until all are done. Reads the cluster before each; keeps nothing that a run which begins again would need.
 * @throws Stopped when a step cannot go on, and the signal's reason
 */
export async function carryOut<W extends { readonly run: Run }>(steps: readonly Step<W>[], options: RunOptions<W>): Promise<void> {
  const { client, target, observe, progress = {}, clock = systemClock, signal } = options;
  const run = { applied: new Set<PartName>(), deleted: new Set<string>() };
  const undone = new Map<Step<W>, number>();
  const pace = createPace(clock, signal);
  /** Steps before this one were done. */
  let reached = 0;
  let [began, hasActed] = [clock.monotonic(), false];
  for (;;) {
    const asked = clock.monotonic();
    const world = await pace.retried(() => observe({ applied: new Set(run.applied), deleted: new Set(run.deleted) }));
    const tookMs = clock.monotonic() - asked;
    const [index, contribution] = firstOpen(steps, world);
    for (; reached < index; reached++) {
      progress.done?.(steps[reached] as Step<W>, (clock.monotonic() - began) / 1000, hasActed ? 'done' : 'done before');
      [began, hasActed] = [clock.monotonic(), false];
    }
    const step = steps[index];
    if (!step || !contribution) return;
    if (index < reached) {
      const why = step.undoneBy?.(world) ?? [];
      undone.set(step, (undone.get(step) ?? 0) + 1);
      progress.undone?.(step, why);
      if ((undone.get(step) ?? 0) > MOST_UNDONE) throw new Stopped([`this does not last: ${step.title}`, ...why]);
      [reached, began] = [index, clock.monotonic()];
    }
    if (contribution.refusal) throw new Stopped(contribution.refusal);
    if (contribution.actions) {
      const actions = contribution.actions.map((action) => inWords(action, target.namespace));
      let isWhole = true;
      for (const [i, action] of contribution.actions.entries()) {
        progress.action?.(action);
        hasActed = true;
        isWhole = await pace.written(() => take(client, target, action), actions[i] ?? '');
        if (!isWhole) break;
        if (action.do === 'apply') run.applied.add(action.part);
        if (action.do === 'delete') run.deleted.add(action.object.uid);
      }
      if (isWhole) pace.acted(actions, step.undoneBy?.(world));
    } else {
      hasActed = true;
      await pace.waits(contribution, tookMs, progress.waits);
    }
  }
}

/** The first step that is not done. */
export function firstOpen<W>(steps: readonly Step<W>[], world: W): readonly [number, Contribution | undefined] {
  for (const [index, { of }] of steps.entries()) {
    const contribution = of(world);
    if (contribution) return [index, contribution];
  }
  return [steps.length, undefined];
}
