import type { PodStatus } from '../api/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { Language } from '../planning/advice.ts';
import type { PodTrouble } from './pod-lines.ts';
import { textsIn } from './texts/texts.ts';

const ADVICE: readonly (readonly [RegExp, 'image' | 'nodes' | 'terminating' | 'container'])[] = [
  [/^(ErrImage|ImagePull|InvalidImageName|ImageInspect|RegistryUnavailable)/, 'image'],
  [/^(Unschedulable|FailedScheduling)/, 'nodes'],
  [/^Terminating$/, 'terminating'],
  [/^(Failed|CreateContainer|RunContainer)/, 'container'],
];
/** A container of the pod has ended. */
const ENDS: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'PodFailed', 'BackOff', 'Error']);

/** Advice for a pod that is not ready. */
export function toDoAboutPod(pod: KubeObject, { reason }: Pick<PodTrouble, 'reason'>, language?: Language): string {
  const texts = textsIn(language);
  const { namespace, name } = pod.metadata;
  if (ENDS.has(reason)) return texts.ended(`kubectl logs ${name} -n ${namespace} --all-containers --previous`);
  const [, text] = ADVICE.find(([reasons]) => reasons.test(reason)) ?? [];
  return text === undefined ? texts.eventsAndLog(`kubectl describe pod ${name} -n ${namespace}`) : texts[text];
}

/** Since when a pod is not ready, or had to be gone, RFC 3339; empty if it is not known. */
export function unreadySince({ metadata, status }: KubeObject): string {
  if (metadata.deletionTimestamp !== undefined) return metadata.deletionTimestamp;
  const { conditions = [] } = (status ?? {}) as PodStatus;
  const unready = conditions.find(({ type, status: is }) => type === 'Ready' && is !== 'True');
  return unready?.lastTransitionTime ?? metadata.creationTimestamp ?? '';
}
