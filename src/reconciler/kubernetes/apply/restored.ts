import { ignoreNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { FIELD_MANAGER, type ManagedFields } from '../../../planning/diff/managed-fields.ts';
import { attempt } from '../../failures.ts';
import { type Failure, type Key, keyText, type LiveObject, type World } from '../../world.ts';
import { ownedType } from '../../../planning/kinds.ts';
import { isCopy } from '../../../planning/owner.ts';
import { phaseOf } from '../../../planning/views.ts';
import { claimedBy } from '../../../planning/volumes.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { sourcesOf } from './fresh.ts';
import { isOrphaned } from './left-volumes.ts';

/** Whether the controller wrote an object in this cluster: a tool restores no such entry, or one that is older than the object. */
function wasWrittenHere({ metadata: { managedFields = [], creationTimestamp = '' } }: KubeObject): boolean {
  const born = Date.parse(creationTimestamp);
  return (managedFields as readonly ManagedFields[]).some(
    ({ manager, time }) => manager === FIELD_MANAGER && time !== undefined && Date.parse(time) >= born,
  );
}

/**
 * Deletes what a tool has restored from another cluster and nothing here wants, in the namespace of a runtime that has all it needs: the
 * garbage collector deletes only what names an owner. Each object is read afresh. threat-model: R-owner, R-left-volume
 */
export function restoredRemover({ client, store, confirmed }: Pick<ClusterContext, 'client' | 'store' | 'confirmed'>) {
  /** Kubernetes keeps a volume that is bound, and its claim goes first. */
  const isLeft = (volume: KubeObject, key: Key): boolean =>
    isOrphaned(volume, store) && keyText(claimedBy(volume)) === keyText(key) && phaseOf(volume) !== 'Bound';

  /** UIDs of what was deleted with `--cascade=orphan`: it stays for its user, and need not be read at each pass. */
  const orphans = new Set<string>();

  async function remove({ kind, metadata }: LiveObject, key: Key): Promise<void> {
    const type = ownedType(kind);
    const fresh = await client.get(type, metadata).catch(ignoreNotFound);
    if (!fresh || !(kind === 'PersistentVolume' ? isLeft(fresh, key) : isCopy(fresh, store))) return;
    if (wasWrittenHere(fresh)) return void orphans.add(fresh.metadata.uid ?? '');
    const { uid, resourceVersion } = fresh.metadata;
    await client.delete(type, metadata, { uid, resourceVersion, propagation: 'Background' }).catch(ignoreNotFound);
  }

  return async (world: World): Promise<readonly Failure[]> => {
    const { key, volume } = world;
    const volumes = store.leftVolumes(key).filter(({ metadata: { name } }) => name !== volume?.metadata.name);
    const extra = [...store.copies(key.namespace), ...volumes].filter(
      ({ metadata }) => !metadata.deletionTimestamp && !orphans.has(metadata.uid),
    );
    if (extra.length === 0) return [];
    const unconfirmed = await attempt('DeleteFailed', `${world.runtime.kind}/${key.name}`, () => confirmed(sourcesOf(world)));
    if (unconfirmed.length > 0) return unconfirmed;
    const failed = extra.map((object) => attempt('DeleteFailed', `${object.kind}/${object.metadata.name}`, () => remove(object, key)));
    return (await Promise.all(failed)).flat();
  };
}
