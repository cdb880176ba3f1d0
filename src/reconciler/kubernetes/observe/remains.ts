import { type Identity, ownerUid, runtimeFinalizer } from '../../../api/index.ts';
import type { Runtime } from '../../../constructs/index.ts';
import type { Teardown } from '../../teardown-steps.ts';
import type { Key, LiveObject, RuntimeObject } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { allLabelIds } from '../nodes/cache-labels.ts';
import { isOurs } from '../../../planning/owner.ts';
import { isServedByAnother, labelIdsOfOthers } from './survivors.ts';
import { unlabelled } from '../../takeover/unlabelled.ts';

/** The volume or claim of this runtime. One that Fluid created has no label and is not watched, so it is read. */
export async function ownVolumeOrClaim(
  context: ClusterContext,
  kind: 'PersistentVolume' | 'PersistentVolumeClaim',
  key: Key,
  name: string,
  uid: string,
): Promise<LiveObject | undefined> {
  const { store } = context;
  const owner = { uid, namespace: key.namespace, name: key.name };
  const live = store.live(kind, kind === 'PersistentVolume' ? undefined : key.namespace, name);
  const found = live ?? (await unlabelled(context, kind, owner, name));
  if (!found || !isOurs(found, owner, store)) return undefined;
  // An object that Fluid created and that has no label yet belongs to the runtime that serves.
  return ownerUid(found) !== uid && isServedByAnother(store, key, uid) ? undefined : found;
}

/** The labels to remove from nodes: none for a runtime that was never set up, and none of another runtime. */
export function ownNodeLabels(
  { store, labeler }: ClusterContext,
  key: Key,
  { type, engines }: Runtime,
  { metadata }: RuntimeObject,
  identity: Identity,
): Pick<Teardown, 'nodes' | 'labelIds' | 'refusals'> {
  const { uid = '', finalizers = [] } = metadata;
  const all = allLabelIds(engines, identity);
  if (!finalizers.includes(runtimeFinalizer(type)) || labeler.carrying(uid, all).length === 0) return { nodes: [] };
  const held = labelIdsOfOthers(store, key, uid, identity);
  const labelIds = all.filter((labelId) => !held.has(labelId));
  const carriers = labeler.carrying(uid, labelIds);
  return {
    labelIds,
    nodes: carriers.map(({ node }) => node),
    refusals: carriers.flatMap(({ node, refusal }) => (refusal ? [`${node}: ${refusal}`] : [])),
  };
}
