import type { KubeObject } from '../../../kube/types.ts';
import type { Hands } from './hands.ts';
import type { PodSpec } from './scheduling.ts';

interface JobSpec {
  readonly backoffLimit?: number;
  readonly template: { readonly metadata?: Pick<KubeObject['metadata'], 'labels' | 'annotations'>; readonly spec: PodSpec };
}
interface JobCondition {
  readonly type: string;
  readonly status: string;
}

/** One pod at a time, until one succeeds or more fail than `backoffLimit` allows. A test ends pods, by their phase. */
export function reconcileJob(hands: Hands, job: KubeObject): boolean {
  const { name, namespace = '', uid = '', deletionTimestamp } = job.metadata;
  const { backoffLimit = 6, template } = job['spec'] as JobSpec;
  const { conditions = [] } = (job['status'] ?? {}) as { conditions?: readonly JobCondition[] };
  if (deletionTimestamp || conditions.some(({ type }) => type === 'Complete' || type === 'Failed')) return false;
  const pods = hands.all('Pod').filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === uid));
  const count = (phase: string) => pods.filter((pod) => (pod['status'] as { phase?: string } | undefined)?.phase === phase).length;
  const [succeeded, failed] = [count('Succeeded'), count('Failed')];
  if (succeeded > 0) return report([condition('SuccessCriteriaMet', SUCCESS), condition('Complete', SUCCESS)], { completionTime: now() });
  if (failed > backoffLimit) return report([condition('FailureTarget', FAILURE), condition('Failed', FAILURE)]);
  if (failed === pods.length) {
    hands.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        // A Job of the same name may have left pods.
        name: `${name}-${uid.replace(/\W/g, '').slice(-8)}-${failed}`,
        namespace,
        labels: { ...template.metadata?.labels, 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name },
        ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
        ownerReferences: [{ apiVersion: job.apiVersion, kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true }],
      },
      spec: template.spec,
    });
    return true;
  }
  return report([]);

  function report(ended: readonly object[], more: object = {}): boolean {
    const status = { active: ended.length > 0 ? 0 : 1, ...(succeeded > 0 && { succeeded }), ...(failed > 0 && { failed }), ...more };
    return hands.patch(job, { status: { ...status, ...(ended.length > 0 && { conditions: ended }) } }, 'status');
  }
}

const SUCCESS = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
const FAILURE = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;
const condition = (type: string, why: typeof SUCCESS): object => ({
  type,
  status: 'True',
  ...why,
  lastProbeTime: now(),
  lastTransitionTime: now(),
});
