import type { KubeObject } from '../../kube/types.ts';
import type { ControllerClient } from './client.ts';
import { addressOf, hasEnded, phaseOf } from '../pods.ts';
import type { PodSpec } from '../../api/index.ts';
import { canRunOn } from './scheduling.ts';

/** Scheduler and kubelets: pods get a node, run, become ready unless a test holds them, and end when they are deleted. */
export function runPod(client: ControllerClient, pod: KubeObject, isUnready: (pod: KubeObject) => boolean): boolean {
  const spec = pod['spec'] as PodSpec;
  if (pod.metadata.deletionTimestamp) {
    if (pod.metadata['deletionGracePeriodSeconds'] === 0) return false;
    client.delete(pod, 'now');
    return true;
  }
  if (!spec.nodeName) {
    const node = client.all('Node').find((each) => canRunOn(each, spec));
    return node !== undefined && client.patch(pod, { spec: { nodeName: node.metadata.name } });
  }
  if (hasEnded(pod)) return false;
  const ready = !isUnready(pod);
  const conditions = (pod['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined)?.conditions ?? [];
  const status = ready ? 'True' : 'False';
  if (phaseOf(pod) === 'Running' && conditions.some((condition) => condition.type === 'Ready' && condition.status === status)) return false;
  const containerStatuses = (spec.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    ready,
    restartCount: 0,
    state: { running: {} },
  }));
  return client.patch(
    pod,
    {
      status: {
        phase: 'Running',
        podIP: addressOf(pod, '10.0'),
        conditions: [...conditions.filter(({ type }) => type !== 'Ready'), { type: 'Ready', status }],
        containerStatuses,
      },
    },
    'status',
  );
}
