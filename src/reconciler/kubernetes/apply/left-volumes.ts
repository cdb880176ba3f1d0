import { csiDriver, Dataset, isFluids, ownerUid } from '../../../api/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Cluster } from '../../cluster.ts';
import { keyText } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import type { Store } from '../store/store.ts';
import { ownedKinds, typeOf } from '../../../planning/kinds.ts';
import { phaseOf } from '../../../planning/views.ts';
import { claimedBy, driverOf } from '../../../planning/volumes.ts';

/** Kubernetes has recorded that the claim is gone. */
const UNCLAIMED: ReadonlySet<unknown> = new Set(['Released', 'Failed']);

/**
 * Volumes of a runtime whose owner removed the finalizer, so that no teardown ran. Each is read afresh, and so is its Dataset. A volume is deleted once its
 * claim, which belongs to a user, no longer exists. Until then an event of the claim says what to do. threat-model: R-left-volume
 */
export function leftVolumes({ client, store, events }: Pick<ClusterContext, 'client' | 'store' | 'events'>): Cluster['removeLeft'] {
  const type = ownedKinds.PersistentVolume;
  return async (key) => {
    for (const { metadata } of store.leftVolumes(key)) {
      const live = metadata.deletionTimestamp ? undefined : await client.get(type, { name: metadata.name }).catch(ignoreNotFound);
      if (!live || live.metadata.uid !== metadata.uid || keyText(claimedBy(live)) !== keyText(key) || !isOrphaned(live, store)) continue;
      // One watch may hang while the others do not. What that one shows later wakes the key.
      if (await client.get(typeOf(Dataset), key).catch(ignoreNotFound)) return;
      const { uid = '', resourceVersion = '' } = live.metadata;
      if (UNCLAIMED.has(phaseOf(live))) await client.delete(type, live.metadata, { uid, resourceVersion }).catch(ignoreNotFound);
      else events.emit({ regarding: claimOf(live), type: 'Warning', reason: 'VolumeLeft', note: NOTE });
    }
  };
}

/** Whether no runtime has a volume of ours, as it was read: what a label says is not enough to delete it. */
export const isOrphaned = (volume: KubeObject, store: Pick<Store, 'isOwner'>): boolean =>
  isFluids(volume) && driverOf(volume) === csiDriver && !store.isOwner(ownerUid(volume) ?? '') && !volume.metadata.deletionTimestamp;

const NOTE =
  'the runtime of this claim was deleted without its finalizer, so that nothing serves it; delete the claim: the controller then deletes its volume';

function claimOf(volume: KubeObject) {
  const { claimRef } = volume['spec'] as { readonly claimRef?: { readonly uid?: string } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claimedBy(volume), uid: claimRef?.uid ?? '' };
}
