import type { PartName } from './parts.ts';
import type { Contribution } from './step.ts';
import type { PluginNode, PodView, World } from './world.ts';

/** Asks for the manifests of a part, unless this run has applied them and all of them exist. */
export function applied({ run, sluice, target }: World, part: PartName): Contribution | undefined {
  if ((target.parts.get(part) ?? []).length === 0) return undefined;
  return run.applied.has(part) && !sluice.missing.has(part) ? undefined : { actions: [{ do: 'apply', part }] };
}

/** A wait for pods, with the reasons why they do not run. */
export function waitingFor(waitsFor: string, withinMs: number, pods: readonly PodView[]): Contribution {
  const reasons = [...new Set(pods.flatMap(({ why }) => why ?? []))];
  return { waitsFor, withinMs, ...(reasons.length > 0 && { because: reasons.join(', ') }) };
}

export const living = (pods: readonly PodView[]): readonly PodView[] => pods.filter(({ isEnding }) => !isEnding);

/** A node that answers. Kubernetes deletes no pod of the others before they return. */
export const answering = (nodes: readonly PluginNode[]): readonly PluginNode[] => nodes.filter(({ isReady }) => isReady);
