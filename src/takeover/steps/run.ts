import { type Clock, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { take } from './effects.ts';
import { createPace } from './pace.ts';
import { type Action, type Contribution, inWords, type Run, type Step } from './step.ts';
import { Stopped } from './stopped.ts';

/** Receives what happens in a run, as it happens. */
export interface Progress<W> {
  /** A step is done. `seconds` since the one before was. @param left what an optional step waited for in vain */
  readonly done?: (step: Step<W>, seconds: number, was: 'done' | 'done before', left?: string) => void;
  /** A step that was done is not any more. */
  readonly undone?: (step: Step<W>, why: readonly string[]) => void;
  readonly action?: (action: Action) => void;
  /** A step begins to wait. */
  readonly waits?: (what: string) => void;
}

export interface RunOptions<W> {
  readonly client: KubeClient;
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
 * @throws Stopped when a step cannot go on, ApiError and NoAnswer when the cluster cannot be read, and the signal's reason
 */
export async function carryOut<W extends { readonly run: Run }>(steps: readonly Step<W>[], options: RunOptions<W>): Promise<void> {
  const { client, observe, progress = {}, clock = systemClock, signal } = options;
  const run = { applied: new Set<string>(), deleted: new Set<string>() };
  const undone = new Map<Step<W>, number>();
  /** Optional steps whose time is over, and what they still wait for. */
  const left = new Map<Step<W>, string>();
  const pace = createPace(clock, signal);
  /** Steps before this one were done. */
  let reached = 0;
  let [began, hasActed] = [clock.monotonic(), false];
  for (;;) {
    const asked = clock.monotonic();
    const world = await pace.retried(() => observe({ applied: new Set(run.applied), deleted: new Set(run.deleted) }));
    const tookMs = clock.monotonic() - asked;
    const [index, contribution] = firstOpen(steps, world, left);
    for (; reached < index; reached++) {
      const step = steps[reached] as Step<W>;
      progress.done?.(step, (clock.monotonic() - began) / 1000, hasActed ? 'done' : 'done before', left.get(step));
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
    hasActed = true;
    if (contribution.actions) {
      const actions = contribution.actions.map(inWords);
      let isWhole = true;
      for (const [i, action] of contribution.actions.entries()) {
        progress.action?.(action);
        isWhole = await pace.written(() => take(client, action), actions[i] ?? '');
        if (!isWhole) break;
        if (action.do === 'apply') run.applied.add(action.part);
        if (action.do === 'delete') run.deleted.add(action.object.uid);
      }
      if (isWhole) pace.acted(actions, step.undoneBy?.(world));
    } else if (await pace.isOver(contribution, step.title, tookMs, progress.waits)) {
      left.set(step, contribution.waitsFor ?? '');
    }
  }
}

/** The first step that is not done, and that is not among those `left`. */
export function firstOpen<W>(
  steps: readonly Step<W>[],
  world: W,
  left: ReadonlyMap<Step<W>, string> = new Map(),
): readonly [number, Contribution | undefined] {
  for (const [index, step] of steps.entries()) {
    const contribution = left.has(step) ? undefined : step.of(world);
    if (contribution) return [index, contribution];
  }
  return [steps.length, undefined];
}
