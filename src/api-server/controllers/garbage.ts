import type { KubeObject } from '../../kube/types.ts';
import type { ControllerClient } from './client.ts';

/** Deletes an object that has no owner left; lets go one that waits for its dependents, or was to orphan them. */
export function collectGarbage(client: ControllerClient, object: KubeObject): boolean {
  const { ownerReferences = [], deletionTimestamp, finalizers = [], uid = '' } = object.metadata;
  if (deletionTimestamp && finalizers.includes('orphan')) {
    for (const dependent of client.indexes.dependents.of(uid))
      client.patch(dependent, {
        metadata: { ownerReferences: dependent.metadata.ownerReferences?.filter((owner) => owner.uid !== uid) },
      });
    // The patch may have deleted the object.
    client.patch(object, { metadata: { finalizers: finalizers.filter((each) => each !== 'orphan') } });
    return true;
  }
  if (deletionTimestamp && finalizers.includes('foregroundDeletion')) {
    const dependents = client.indexes.dependents.of(uid);
    const waiting = dependents.filter(({ metadata }) => !metadata.deletionTimestamp);
    for (const dependent of waiting) client.delete(dependent);
    const blocking = dependents.some(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
    );
    if (!blocking) {
      client.patch(object, { metadata: { finalizers: finalizers.filter((each) => each !== 'foregroundDeletion') } });
      return true;
    }
    if (waiting.length > 0) return true;
  }
  const staying = ownerReferences.filter((owner) => client.hasOwner(object, owner));
  if (deletionTimestamp || staying.length === ownerReferences.length) return false;
  if (staying.length > 0) return client.patch(object, { metadata: { ownerReferences: staying } });
  client.delete(object);
  return true;
}
