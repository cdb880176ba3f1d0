import type { DeleteOptions } from '../kube/contract.ts';
import type { KubeObject, ResourceType } from '../kube/types.ts';
import { conflict } from './refusals.ts';
import type { Storage } from './storage.ts';
import type { At } from './writing.ts';

/** Deletes an object; while it has finalizers, or a pod its grace period, it is marked instead. A kubelet whose pod has ended gives it 0 s. */
export type Deletion = (at: At, live: KubeObject, options: DeleteOptions) => void;

/** @param timestamp of now, as in metadata */
export function createDeletion(storage: Storage, timestamp: () => string): Deletion {
  return (at, live, options) => {
    const { uid, resourceVersion, propagation = 'Background' } = options;
    if (uid !== undefined && uid !== live.metadata.uid) throw conflict(at, preconditionFailed('UID', uid, live.metadata.uid));
    if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion)
      throw conflict(at, preconditionFailed('ResourceVersion', resourceVersion, live.metadata.resourceVersion));
    const waits = { Background: [], Foreground: ['foregroundDeletion'], Orphan: ['orphan'] }[propagation];
    const finalizers = [...new Set([...(live.metadata.finalizers ?? []), ...waits])];
    const own = graceOf(at.type, live);
    const grace = own === 0 ? 0 : (options.gracePeriodSeconds ?? own);
    if (finalizers.length === 0 && grace === 0 && at.type.kind !== 'Namespace') return storage.remove(at.type, live);
    // A grace period may only become shorter.
    if (live.metadata.deletionTimestamp && grace >= Number(live.metadata['deletionGracePeriodSeconds'] ?? 0)) return;
    const { generation } = live.metadata;
    storage.put(at.type, {
      ...live,
      metadata: {
        ...live.metadata,
        ...(finalizers.length > 0 && { finalizers }),
        ...(generation && !live.metadata.deletionTimestamp && { generation: generation + 1 }),
        deletionTimestamp: timestamp(),
        deletionGracePeriodSeconds: grace,
      },
      ...(at.type.kind === 'Namespace' && { status: { phase: 'Terminating' } }),
    });
  };
}

const preconditionFailed = (what: string, expected: string, found: string | undefined): string =>
  `the ${what} in the precondition (${expected}) does not match the ${what} in record (${found}). The object might have been deleted and then recreated`;

/** Pods that run get time to end; who ends them is the kubelet. */
function graceOf(type: ResourceType, { spec, status }: KubeObject): number {
  if (type.kind !== 'Pod' || type.group !== '') return 0;
  const { nodeName, terminationGracePeriodSeconds = 30 } = spec as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const { phase } = (status ?? {}) as { phase?: string };
  // Specs of pods are not checked here.
  const grace =
    Number.isSafeInteger(terminationGracePeriodSeconds) && terminationGracePeriodSeconds >= 0 ? terminationGracePeriodSeconds : 30;
  return nodeName && phase !== 'Succeeded' && phase !== 'Failed' ? grace : 0;
}
