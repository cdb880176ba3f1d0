/** The common part of StatefulSets and DaemonSets. */
import type { KubeObject } from '../../kube/types.ts';
import { digestOf, isReady, ownerOf } from '../pods.ts';
import type { PodSpec } from '../../api/index.ts';

interface WorkloadSpec {
  readonly replicas?: number;
  readonly template: {
    readonly metadata?: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
    readonly spec: PodSpec;
  };
  readonly volumeClaimTemplates?: readonly KubeObject[];
}
// The spec of a workload, by the API's own rules.
export const workloadSpec = (workload: KubeObject): WorkloadSpec => workload['spec'] as WorkloadSpec;

const revisionLabel = 'controller-revision-hash';
/** The label of a DaemonSet's pods. */
const templateLabel = 'pod-template-generation';

/** A pod of the newest template. */
export function podOf(workload: KubeObject, name: string, spec: PodSpec): KubeObject {
  const { template } = workloadSpec(workload);
  const { kind, metadata } = workload;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: {
        ...template.metadata?.labels,
        [revisionLabel]: revisionOf(workload),
        ...(kind === 'DaemonSet' && { [templateLabel]: revisionOf(workload) }),
      },
      ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
      ownerReferences: [ownerOf(workload)],
    },
    spec,
  };
}

/** The revision that pods of now get: a digest of the template. */
export function revisionOf(workload: KubeObject): string {
  const { template } = workloadSpec(workload);
  const hash = digests.get(template) ?? digestOf(template);
  digests.set(template, hash);
  return `${workload.metadata.name}-${hash}`;
}
/** Stored objects are never changed in place. */
const digests = new WeakMap<object, string>();

/** Counts of the set's pods: those that are not being deleted, and among these the ready ones and those of the newest template. */
export function counted(set: KubeObject, pods: readonly KubeObject[]): Readonly<Record<'living' | 'ready' | 'updated', number>> {
  const living = pods.filter((pod) => !pod.metadata.deletionTimestamp);
  return {
    living: living.length,
    ready: living.filter(isReady).length,
    updated: living.filter((pod) => pod.metadata.labels?.[revisionLabel] === revisionOf(set)).length,
  };
}
