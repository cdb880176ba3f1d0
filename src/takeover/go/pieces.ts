import { ownedKinds } from '../../planning/kinds.ts';
import type { PartName } from './parts.ts';
import { RECORD } from './record.ts';
import type { Contribution, Seen } from './step.ts';
import type { PluginNode, PodView, World } from './world.ts';

/** Asks for the manifests of a part, unless this run has applied them and all of them exist. */
export function applied({ run, sluice, target }: World, part: PartName): Contribution | undefined {
  if ((target.parts.get(part) ?? []).length === 0) return undefined;
  return run.applied.has(part) && !sluice.missing.has(part) ? undefined : { actions: [{ do: 'apply', part }] };
}

/** Deletes these, unless this run has. An object without a UID does not exist. */
export function deleted({ run }: Pick<World, 'run'>, objects: readonly Seen[]): Contribution | undefined {
  const left = objects.filter(({ uid }) => uid !== '' && !run.deleted.has(uid));
  return left.length > 0 ? { actions: left.map((object) => ({ do: 'delete', object })) } : undefined;
}

/** The ConfigMap of the record. */
export const recordSeen = ({ record: { uid = '' }, fluid: { namespace } }: Pick<World, 'record' | 'fluid'>): Seen => ({
  type: ownedKinds.ConfigMap,
  namespace,
  name: RECORD,
  uid,
});

/** A wait for pods, with the reasons why they do not run. */
export function waitingFor(waitsFor: string, withinMs: number, pods: readonly PodView[]): Contribution {
  const reasons = [...new Set(pods.flatMap(({ why }) => why ?? []))];
  return { waitsFor, withinMs, ...(reasons.length > 0 && { because: reasons.join(', ') }) };
}

export const living = (pods: readonly PodView[]): readonly PodView[] => pods.filter(({ isEnding }) => !isEnding);

/** A node that answers. Kubernetes deletes no pod of the others before they return. */
export const answering = (nodes: readonly PluginNode[]): readonly PluginNode[] => nodes.filter(({ isReady }) => isReady);
