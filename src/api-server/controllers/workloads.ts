import type { KubeObject } from '../../kube/types.ts';
import { type Hands, ownedBy } from './hands.ts';
import { admits, type PodSpec } from './scheduling.ts';

export interface WorkloadSpec {
  readonly replicas?: number;
  readonly template: {
    readonly metadata?: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
    readonly spec: PodSpec;
  };
  readonly volumeClaimTemplates?: readonly KubeObject[];
}
// What a workload holds by the API's own rules.
const workloadSpec = (workload: KubeObject): WorkloadSpec => workload['spec'] as WorkloadSpec;

const isReady = ({ status }: KubeObject): boolean =>
  ((status as { conditions?: readonly { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
const generationLabel = 'controller-revision-hash';
/** Of DaemonSets; the API server counts, here the revision does. */
const templateAnnotation = 'deprecated.daemonset.template.generation';
const templateLabel = 'pod-template-generation';

function podOf(workload: KubeObject, name: string, spec: PodSpec): KubeObject {
  const { template } = workloadSpec(workload);
  const { apiVersion, kind, metadata } = workload;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: {
        ...template.metadata?.labels,
        [generationLabel]: revisionOf(workload),
        ...(kind === 'DaemonSet' && { [templateLabel]: revisionOf(workload) }),
      },
      ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true }],
    },
    spec,
  };
}

/** The revision that pods of now get: a digest of the template. */
function revisionOf(workload: KubeObject): string {
  const { template } = workloadSpec(workload);
  const hash = digests.get(template) ?? digestOf(template);
  digests.set(template, hash);
  return `${workload.metadata.name}-${hash.toString(36)}`;
}
/** What is stored is never changed in place. */
const digests = new WeakMap<object, number>();

function digestOf(template: object): number {
  const text = JSON.stringify(template);
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
  return hash;
}

/** Pods by number, their claims first; all at once, as with podManagementPolicy Parallel. */
export function reconcileStatefulSet(hands: Hands, set: KubeObject): boolean {
  if (set.metadata.deletionTimestamp) return false;
  const { name, namespace = '', generation } = set.metadata;
  const { replicas = 1, template, volumeClaimTemplates = [] } = workloadSpec(set);
  const pods = ownedBy(hands.all('Pod'), set);
  const numberOf = (pod: KubeObject) => Number(pod.metadata.name.slice(name.length + 1));
  const surplus = pods.find((pod) => numberOf(pod) >= replicas && !pod.metadata.deletionTimestamp);
  if (surplus) {
    hands.delete(surplus);
    return true;
  }
  for (let i = 0; i < replicas; i++) {
    if (hands.get('Pod', namespace, `${name}-${i}`)) continue;
    const claims = volumeClaimTemplates.map((each) => ({
      volume: each.metadata.name,
      claim: `${each.metadata.name}-${name}-${i}`,
      template: each,
    }));
    for (const { claim, template: each } of claims)
      if (!hands.get('PersistentVolumeClaim', namespace, claim))
        hands.createFor(set, {
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
    if (hands.createFor(set, pod)) return true;
    break;
  }
  const { living, ready, updated } = counted(set, pods);
  return hands.patch(
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
}

/** Of its pods: those that are not being deleted, and of these the ready ones and those of the newest template. */
function counted(set: KubeObject, pods: readonly KubeObject[]): Readonly<Record<'living' | 'ready' | 'updated', number>> {
  const living = pods.filter((pod) => !pod.metadata.deletionTimestamp);
  return {
    living: living.length,
    ready: living.filter(isReady).length,
    updated: living.filter((pod) => pod.metadata.labels?.[generationLabel] === revisionOf(set)).length,
  };
}

/** A pod on each node that admits it, and none elsewhere: one that no longer belongs where it runs is deleted. */
export function reconcileDaemonSet(hands: Hands, set: KubeObject): boolean {
  if (set.metadata.deletionTimestamp) return false;
  const { name, namespace = '', generation } = set.metadata;
  if (hands.patch(set, { metadata: { annotations: { [templateAnnotation]: revisionOf(set) } } })) return true;
  const { spec } = workloadSpec(set).template;
  const pods = ownedBy(hands.all('Pod'), set);
  const nodes = hands.all('Node').filter((node) => !node.metadata.deletionTimestamp);
  const nodeOf = (pod: KubeObject) => (pod['spec'] as PodSpec).nodeName;
  const verdicts = new Map(nodes.map((node) => [node.metadata.name, admits(node, spec)]));
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp) continue;
    if (verdicts.get(nodeOf(pod) ?? '') !== undefined && verdicts.get(nodeOf(pod) ?? '') !== 'no') continue;
    hands.delete(pod, verdicts.has(nodeOf(pod) ?? '') ? undefined : 'now');
    return true;
  }
  const wanted = [...verdicts].filter(([, verdict]) => verdict === 'yes').map(([node]) => node);
  for (const node of wanted) {
    if (pods.some((pod) => nodeOf(pod) === node)) continue;
    // Kubernetes draws names of pods; here an earlier DaemonSet of that name may have left one.
    if (hands.get('Pod', namespace, `${name}-${node}`)) continue;
    if (hands.createFor(set, podOf(set, `${name}-${node}`, { ...spec, nodeName: node }))) return true;
    break;
  }
  const { living, ready, updated } = counted(set, pods);
  return hands.patch(
    set,
    {
      status: {
        observedGeneration: generation,
        desiredNumberScheduled: wanted.length,
        currentNumberScheduled: living,
        numberMisscheduled: 0,
        numberReady: ready,
        numberAvailable: ready,
        numberUnavailable: wanted.length - ready,
        updatedNumberScheduled: updated,
      },
    },
    'status',
  );
}
