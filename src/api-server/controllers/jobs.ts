import type { KubeObject } from '../../kube/types.ts';
import type { ControllerClient } from './client.ts';
import { hasEnded, ownerOf, phaseOf } from '../pods.ts';
import type { PodSpec } from '../../api/index.ts';
import type { Done } from './task.ts';

interface JobSpec {
  readonly suspend?: boolean;
  readonly backoffLimit?: number;
  readonly template: { readonly metadata?: Pick<KubeObject['metadata'], 'labels' | 'annotations'>; readonly spec: PodSpec };
}
interface JobCondition {
  readonly type: string;
  readonly status: string;
}

/** One pod at a time, until one succeeds or more fail than `backoffLimit` allows; none while it is suspended. A test ends pods, by their phase. */
export function reconcileJob(client: ControllerClient, job: KubeObject): Done {
  const { name, namespace = '', uid = '', deletionTimestamp } = job.metadata;
  const now = client.now();
  const condition = (type: string, why: typeof SUCCESS) => ({ type, status: 'True', ...why, lastProbeTime: now, lastTransitionTime: now });
  const { backoffLimit = 6, suspend, template } = job['spec'] as JobSpec;
  const { conditions = [], startTime } = (job['status'] ?? {}) as { conditions?: readonly JobCondition[]; startTime?: string };
  if (deletionTimestamp || conditions.some(({ type }) => type === 'Complete' || type === 'Failed')) return false;
  const isSuspended = conditions.some(({ type, status }) => type === 'Suspended' && status === 'True');
  const pods = client.ownedBy('Pod', job);
  const count = (phase: string) => pods.filter((pod) => phaseOf(pod) === phase).length;
  const [succeeded, failed] = [count('Succeeded'), count('Failed')];
  if (succeeded > 0) return report([condition('SuccessCriteriaMet', SUCCESS), condition('Complete', SUCCESS)], { completionTime: now });
  if (failed > backoffLimit) return report([condition('FailureTarget', FAILURE), condition('Failed', FAILURE)]);
  const living = pods.filter((pod) => !hasEnded(pod));
  if (suspend) {
    const active = living.find(({ metadata }) => !metadata.deletionTimestamp);
    if (active) client.delete(active);
    return active !== undefined || report(isSuspended ? conditions : [condition('Suspended', SUSPENDED)], { terminating: living.length });
  }
  // A Job of the same name may have left pods; and a user may take a pod from its Job.
  const podName = `${name}-${uid.replace(/\W/g, '').slice(-8)}-${failed}`;
  if (failed === pods.length && !client.get('Pod', namespace, podName)) {
    const isMade = client.createFor(job, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template.metadata,
        name: podName,
        namespace,
        ownerReferences: [ownerOf(job)],
      },
      spec: template.spec,
    });
    return isMade || report(conditions) || client.againMs(job);
  }
  return report(isSuspended ? [{ ...condition('Suspended', RESUMED), status: 'False' }] : conditions, { active: 1 });

  function report(ended: readonly object[], more: object = {}): boolean {
    const started = suspend ? startTime : isSuspended ? now : (startTime ?? now);
    const counts = { active: 0, ...(succeeded > 0 && { succeeded }), ...(failed > 0 && { failed }) };
    const status = { ...counts, ...(started !== undefined && { startTime: started }), ...more };
    return client.patch(job, { status: { ...status, ...(ended.length > 0 && { conditions: ended }) } }, 'status');
  }
}

const SUCCESS = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
const FAILURE = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
const SUSPENDED = { reason: 'JobSuspended', message: 'Job suspended' };
const RESUMED = { reason: 'JobResumed', message: 'Job resumed' };
