import type { KubeObject } from '../kube/types.ts';
import { latestEvent } from './event-lines.ts';
import type { ExplainedCause } from './finding.ts';
import type { ExplainInput } from './gather.ts';
import { isAlive, PATIENCE_MS, podsOf, troubleOf } from './pod-lines.ts';
import { textsIn } from './texts/texts.ts';

/**
 * Why an operation that runs does not get on: a pod of its Job, or one that helps it, cannot start. undefined while they can.
 *
 * @param jobs its Jobs that have not ended
 * @param helpers its StatefulSets
 */
export function stuckCause(
  { spec }: KubeObject,
  { jobs, helpers }: { readonly jobs: readonly KubeObject[]; readonly helpers: readonly KubeObject[] },
  input: ExplainInput,
): ExplainedCause | undefined {
  const isScheduled = (spec as { policy?: string } | undefined)?.policy === 'Cron';
  for (const owner of [...jobs, ...(jobs.length > 0 ? helpers : [])])
    for (const pod of podsOf(owner, input)) {
      const trouble = troubleOf(pod, input);
      if (!trouble?.isStuck) continue;
      const { reason, message } = trouble;
      const { name, creationTimestamp: since } = pod.metadata;
      const { podOfSchedule, podOfOperation } = textsIn(input.language);
      const toDo = isScheduled ? podOfSchedule(jobs[0]?.metadata.name ?? '') : podOfOperation;
      return { reason, message: `pod ${name}: ${message}`, ...(since && { since }), toDo };
    }
  return jobs.map((job) => podlessCause(job, input)).find((cause) => cause !== undefined);
}

/** Between two attempts a Job has no pod, and before the first one for a moment. */
function podlessCause(job: KubeObject, input: ExplainInput): ExplainedCause | undefined {
  const { name, creationTimestamp: since = '' } = job.metadata;
  const pods = podsOf(job, input);
  if (pods.some(isAlive)) return undefined;
  const failed = pods.map((pod) => ({ pod, trouble: troubleOf(pod, input) })).findLast(({ trouble }) => trouble !== undefined);
  if (failed?.trouble) {
    const { name: last } = failed.pod.metadata;
    const toDo = textsIn(input.language).podReplaced(`kubectl logs ${last}`);
    return { reason: failed.trouble.reason, message: `pod ${last}: ${failed.trouble.message}`, toDo };
  }
  if (pods.length > 0 || !(input.now - Date.parse(since) > PATIENCE_MS)) return undefined;
  const { reason, message } = latestEvent(job, input.events) ?? { reason: 'NoPod', message: 'has no pod' };
  return { reason, message: `Job ${name}: ${message}`, since, toDo: textsIn(input.language).podRefused };
}
