import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import type { Contribution, Seen } from '../steps/step.ts';
import { PART_WORDS, type PartName } from './parts.ts';
import { objectOf, RECORD, type TakeoverRecord } from './record.ts';
import type { PluginNode, World } from './world.ts';

/** Asks for the manifests of a part, unless this run has applied them and all of them exist. */
export function applied({ run, sluice, target }: World, part: PartName): Contribution | undefined {
  const manifests = target.parts.get(part) ?? [];
  if (manifests.length === 0) return undefined;
  if (run.applied.has(part) && !sluice.missing.has(part)) return undefined;
  return { actions: [{ do: 'apply', part, says: PART_WORDS[part], manifests }] };
}

/** Writes another record in place of the one that was read. */
export const recorded = ({ target: { namespace } }: Pick<World, 'target'>, record: TakeoverRecord): Contribution => ({
  actions: [{ do: 'record', object: objectOf(namespace, record) }],
});

/** The ConfigMap of the record. */
export const recordSeen = ({ record: { uid = '' }, fluid: { namespace } }: Pick<World, 'record' | 'fluid'>): Seen => ({
  type: ownedKinds.ConfigMap,
  namespace,
  name: RECORD,
  uid,
});

/** A node that answers. Kubernetes deletes no pod of the others before they return. */
export const answering = (nodes: readonly PluginNode[]): readonly PluginNode[] => nodes.filter(({ isReady }) => isReady);

/** Whether an object has the labels of an installation of Sluice. */
export const isSluices = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.labels?.['app.kubernetes.io/part-of'] === 'sluice';
