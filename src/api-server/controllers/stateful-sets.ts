import type { KubeObject } from '../../kube/types.ts';
import type { ControllerClient } from './client.ts';
import type { Done } from './task.ts';
import { ownerOf } from '../pods.ts';
import { counted, podOf, revisionOf, workloadSpec } from './workloads.ts';

/** Pods by number, their claims first; all at once, as with podManagementPolicy Parallel. */
export function reconcileStatefulSet(client: ControllerClient, set: KubeObject): Done {
  if (set.metadata.deletionTimestamp) return false;
  const { name, namespace = '', generation } = set.metadata;
  const { replicas = 1, template, volumeClaimTemplates = [] } = workloadSpec(set);
  const pods = client.ownedBy('Pod', set);
  const numberOf = (pod: KubeObject) => Number(pod.metadata.name.slice(name.length + 1));
  const surplus = pods.find((pod) => numberOf(pod) >= replicas && !pod.metadata.deletionTimestamp);
  if (surplus) {
    client.delete(surplus);
    return true;
  }
  for (let i = 0; i < replicas; i++) {
    const existing = client.get('Pod', namespace, `${name}-${i}`);
    if (existing && isOrphan(set, existing)) return client.patch(existing, { metadata: { ownerReferences: [ownerOf(set)] } });
    if (existing) continue;
    const claims = volumeClaimTemplates.map((each) => ({
      volume: each.metadata.name,
      claim: `${each.metadata.name}-${name}-${i}`,
      template: each,
    }));
    for (const { claim, template: each } of claims)
      if (!client.get('PersistentVolumeClaim', namespace, claim))
        client.createFor(set, {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { ...each.metadata, name: claim, namespace },
          spec: each['spec'],
        });
    const volumes = [
      ...claims.map(({ volume, claim }) => ({ name: volume, persistentVolumeClaim: { claimName: claim } })),
      ...(template.spec.volumes ?? []),
    ];
    const pod = podOf(set, `${name}-${i}`, { ...template.spec, hostname: `${name}-${i}`, ...(volumes.length > 0 && { volumes }) });
    if (client.createFor(set, pod)) return true;
    break;
  }
  const { living, ready, updated } = counted(set, pods);
  const isReported = client.patch(
    set,
    {
      status: {
        observedGeneration: generation,
        replicas: living,
        readyReplicas: ready,
        availableReplicas: ready,
        updatedReplicas: updated,
        currentRevision: (set['status'] as { currentRevision?: string } | undefined)?.currentRevision ?? revisionOf(set),
        updateRevision: revisionOf(set),
      },
    },
    'status',
  );
  return isReported || (living < replicas && client.againMs(set));
}

/** Whether a pod of the set's names has no owner, and the set selects it. */
function isOrphan(set: KubeObject, { metadata: { deletionTimestamp, labels = {}, ownerReferences = [] } }: KubeObject): boolean {
  const { selector } = set['spec'] as { readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> } };
  const isSelected = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return isSelected && !deletionTimestamp && ownerReferences.length === 0;
}
