import type { KubeClient } from '../../../kube/contract.ts';
import { isAbsent, isConflict } from '../../../kube/errors.ts';
import type { ObjectName, ResourceType } from '../../../kube/types.ts';
import type { Cluster } from '../../cluster.ts';
import { keyOf } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { ownedType, typeOf } from '../../../planning/kinds.ts';

/** Deletes single objects, each with the UID that was seen: of a runtime that is being deleted, or runtimes whose Dataset is. */
export function deleter({ client, store, confirmed }: Pick<ClusterContext, 'client' | 'store' | 'confirmed'>): Cluster['delete'] {
  return async (objects, because, andPods = false) => {
    if (objects.length > 0) await confirmed(because);
    for (const object of objects) {
      const candidate = store.runtimes(keyOf(object)).find(({ object: { metadata } }) => metadata.uid === object.metadata.uid);
      const type = candidate ? typeOf(candidate.definition.resource) : ownedType(object.kind);
      await client
        .delete(type, object.metadata, { uid: object.metadata.uid, propagation: andPods ? 'Foreground' : 'Background' })
        .catch(async (error: unknown) => {
          if (isAbsent(error)) return store.forget(object);
          // Another object has its name by now: the next pass has to find that one.
          if (isConflict(error)) await confirmed([object]);
          throw error;
        });
    }
  };
}

/** Deletes one object with what it owns, if it is still there. */
export async function deleteByUid(client: Pick<KubeClient, 'delete'>, type: ResourceType, name: ObjectName, uid: string): Promise<void> {
  await client.delete(type, name, { uid, propagation: 'Background' }).catch((error: unknown) => {
    // A conflict means that another object has the name now.
    if (!isAbsent(error) && !isConflict(error)) throw error;
  });
}
