import type { KubeObject } from '../../kube/types.ts';
import type { ControllerClient } from './client.ts';

/** Deletes what has no owner left, and lets go what waits for its dependents or was to orphan them. */
export function collectGarbage(client: ControllerClient, objects: readonly KubeObject[]): boolean {
  const living = new Set(objects.map(({ metadata }) => metadata.uid));
  for (const object of objects) {
    const { ownerReferences = [], deletionTimestamp, finalizers = [], uid } = object.metadata;
    if (deletionTimestamp && finalizers.includes('orphan')) {
      for (const dependent of dependentsOf(objects, uid))
        client.patch(dependent, {
          metadata: { ownerReferences: dependent.metadata.ownerReferences?.filter((owner) => owner.uid !== uid) },
        });
      return client.patch(object, { metadata: { finalizers: finalizers.filter((each) => each !== 'orphan') } });
    }
    if (deletionTimestamp && finalizers.includes('foregroundDeletion')) {
      const dependents = dependentsOf(objects, uid);
      const waiting = dependents.filter(({ metadata }) => !metadata.deletionTimestamp);
      for (const dependent of waiting) client.delete(dependent);
      const blocking = dependents.some(({ metadata }) =>
        metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
      );
      if (!blocking) {
        // It may be gone with that.
        client.patch(object, { metadata: { finalizers: finalizers.filter((each) => each !== 'foregroundDeletion') } });
        return true;
      }
      if (waiting.length > 0) return true;
    }
    const staying = ownerReferences.filter((owner) => living.has(owner.uid));
    if (deletionTimestamp || staying.length === ownerReferences.length) continue;
    if (staying.length > 0) return client.patch(object, { metadata: { ownerReferences: staying } });
    client.delete(object);
    return true;
  }
  return false;
}
const dependentsOf = (objects: readonly KubeObject[], uid: string | undefined): readonly KubeObject[] =>
  objects.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
