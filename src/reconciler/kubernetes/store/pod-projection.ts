import { annotation } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Sharing } from './sharing.ts';

const POD_LABELS = ['pod-template-generation', 'controller-revision-hash'];

/** Of a pod: its controller, the revision of its template, its node and address, whether it is ready, and how often its containers restarted. */
export function podProjection({ apiVersion, kind, metadata, spec, status }: KubeObject, { text, piece }: Sharing): KubeObject {
  const { name, namespace, uid, resourceVersion, labels, annotations, ownerReferences, deletionTimestamp } = metadata;
  const { conditions, phase, podIP } = (status ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
    phase?: string;
    podIP?: string;
  };
  const { containerStatuses = [] } = (status ?? {}) as { containerStatuses?: readonly { restartCount: number }[] };
  const { nodeName, containers = [] } = (spec ?? {}) as { nodeName?: string; containers?: readonly { name: string }[] };
  const owner = ownerReferences?.find(({ controller }) => controller);
  const refreshed = annotations?.[annotation.fuseConfigUpdate];
  const kept = {
    apiVersion: text(apiVersion),
    kind: text(kind),
    metadata: {
      name,
      namespace: piece(namespace),
      uid,
      resourceVersion,
      labels: piece(Object.fromEntries(POD_LABELS.flatMap((key) => (labels?.[key] === undefined ? [] : [[key, labels[key]]])))),
      annotations: refreshed === undefined ? undefined : { [annotation.fuseConfigUpdate]: refreshed },
      ownerReferences: owner && [
        { apiVersion: text(owner.apiVersion), kind: text(owner.kind), name: owner.name, uid: text(owner.uid), controller: true },
      ],
      deletionTimestamp,
    },
    nodeName: piece(nodeName),
    ip: podIP,
    phase: piece(phase),
    container: piece(containers[0]?.name),
    restarts: containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    ready: conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
  };
  // The cast: a field that is undefined counts as absent.
  return kept as unknown as KubeObject;
}
