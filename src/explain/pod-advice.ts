import type { PodStatus } from '../api/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { PodTrouble } from './pod-lines.ts';

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /^(ErrImage|ImagePull|InvalidImageName|ImageInspect|RegistryUnavailable)/,
    'correct the image or the pull secrets (`imagePullSecrets`) of the spec, or let the node reach the registry. The kubelet tries again by itself',
  ],
  [/^(Unschedulable|FailedScheduling)/, 'see which nodes the placement allows, their taints, and what the pods request'],
  [/^Terminating$/, 'see whether its node runs, and its finalizers'],
  [
    /^(Failed|CreateContainer|RunContainer)/,
    'create or correct what the message names: a Secret, a ConfigMap, a volume, a command. The kubelet tries again by itself',
  ],
];
/** A container of the pod has ended. */
const ENDS: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'PodFailed', 'BackOff', 'Error']);

/** Advice for a pod that is not ready. */
export function toDoAboutPod(pod: KubeObject, { reason }: Pick<PodTrouble, 'reason'>): string {
  const { namespace, name } = pod.metadata;
  if (ENDS.has(reason)) return `see why it ended: kubectl logs ${name} -n ${namespace} --all-containers --previous`;
  return (
    ADVICE.find(([reasons]) => reasons.test(reason))?.[1] ?? `see its events and its log: kubectl describe pod ${name} -n ${namespace}`
  );
}

/** Since when a pod is not ready, or had to be gone, RFC 3339; empty if it is not known. */
export function unreadySince({ metadata, status }: KubeObject): string {
  if (metadata.deletionTimestamp !== undefined) return metadata.deletionTimestamp;
  const { conditions = [] } = (status ?? {}) as PodStatus;
  const unready = conditions.find(({ type, status: is }) => type === 'Ready' && is !== 'True');
  return unready?.lastTransitionTime ?? metadata.creationTimestamp ?? '';
}
