/** Pieces of steps: each is a contribution, or nothing if it is done. */
import { some } from '../../planning/some.ts';
import type { PodView } from './pod-view.ts';
import type { Contribution, Run, Seen } from './step.ts';
import { ENDS_MS } from './waits.ts';

/** Deletes these, unless this run has. An object without a UID does not exist. */
export function deleted({ run }: { readonly run: Run }, objects: readonly Seen[]): Contribution | undefined {
  const left = objects.filter(({ uid }) => uid !== '' && !run.deleted.has(uid));
  return left.length > 0 ? { actions: left.map((object) => ({ do: 'delete', object })) } : undefined;
}

/** Deletes objects of an installation, then waits for the end of their pods. */
export function removed(world: { readonly run: Run }, objects: readonly Seen[], pods: readonly PodView[]): Contribution | undefined {
  // In the reverse order of an installation, but workloads first: a pod without rights only fails.
  const order = objects.toReversed().toSorted((a, b) => Number(isWorkload(b)) - Number(isWorkload(a)));
  const late = pods.length > 0 ? { waitsFor: `${some(pods.map(({ name }) => `pod ${name}`))} ends`, withinMs: ENDS_MS } : undefined;
  return deleted(world, order) ?? late;
}
const isWorkload = ({ type: { kind } }: Seen): boolean => kind === 'Deployment' || kind === 'DaemonSet';

/** A wait for pods, with the reasons why they do not run. */
export function waitingFor(waitsFor: string, withinMs: number, pods: readonly PodView[]): Contribution {
  const reasons = [...new Set(pods.flatMap(({ why }) => why ?? []))];
  return { waitsFor, withinMs, ...(reasons.length > 0 && { because: reasons.join(', ') }) };
}

export const living = (pods: readonly PodView[]): readonly PodView[] => pods.filter(({ isEnding }) => !isEnding);
