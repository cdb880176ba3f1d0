import type { KubeObject } from '../../kube/types.ts';
import type { Hands } from './hands.ts';
import { canRunOn, type PodSpec } from './scheduling.ts';

/** Scheduler and kubelets: pods get a node, run, become ready unless a test holds them, and end when they are deleted. */
export function runPod(hands: Hands, pod: KubeObject, isUnready: (pod: KubeObject) => boolean): boolean {
  const spec = pod['spec'] as PodSpec;
  const { phase } = (pod['status'] ?? {}) as { phase?: string };
  if (pod.metadata.deletionTimestamp) {
    if (pod.metadata['deletionGracePeriodSeconds'] === 0) return false;
    hands.delete(pod, 'now');
    return true;
  }
  if (!spec.nodeName) {
    const node = hands.all('Node').find((each) => canRunOn(each, spec));
    return node !== undefined && hands.patch(pod, { spec: { nodeName: node.metadata.name } });
  }
  if (phase === 'Succeeded' || phase === 'Failed') return false;
  const ready = !isUnready(pod);
  const conditions = (pod['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined)?.conditions ?? [];
  const status = ready ? 'True' : 'False';
  if (phase === 'Running' && conditions.some((condition) => condition.type === 'Ready' && condition.status === status)) return false;
  const containerStatuses = (spec.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    ready,
    restartCount: 0,
    state: { running: {} },
  }));
  return hands.patch(
    pod,
    {
      status: {
        phase: 'Running',
        podIP: addressOf(pod),
        conditions: [...conditions.filter(({ type }) => type !== 'Ready'), { type: 'Ready', status }],
        containerStatuses,
      },
    },
    'status',
  );
}

/** Any address, the same for a pod each time. */
function addressOf({ metadata: { uid = '' } }: KubeObject): string {
  const number = [...uid].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_536, 0);
  return `10.0.${number >> 8}.${number & 255}`;
}
