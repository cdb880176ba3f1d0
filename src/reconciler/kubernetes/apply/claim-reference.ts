import type { Cluster } from '../../cluster.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { ownedKinds } from '../../../planning/kinds.ts';
import { BINDER } from '../../../planning/diff/managed-fields.ts';
import { sourcesOf } from './fresh.ts';

/** Writes which claim the volume names, so that it can be bound to a claim that was created again. */
export function claimReference({ client, store, confirmed }: Pick<ClusterContext, 'client' | 'store' | 'confirmed'>): Cluster['release'] {
  return async (world, volume, seen, to) => {
    await confirmed([...sourcesOf(world), seen]);
    const body = {
      metadata: { resourceVersion: volume.metadata.resourceVersion },
      spec: { claimRef: { uid: to?.metadata.uid ?? null, resourceVersion: to?.metadata.resourceVersion ?? null } },
    };
    // As a manager of its own: the next apply of the volume does not send these fields, and would remove them as its own.
    const options = { type: 'merge', fieldManager: BINDER } as const;
    store.remember(await client.patch(ownedKinds.PersistentVolume, volume.metadata, body, options));
  };
}
