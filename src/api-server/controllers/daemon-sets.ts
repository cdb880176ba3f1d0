import type { KubeObject } from '../../kube/types.ts';
import type { ControllerClient } from './client.ts';
import type { Done } from './task.ts';
import type { PodSpec } from '../../api/index.ts';
import { admits } from './scheduling.ts';
import { counted, podOf, revisionOf, workloadSpec } from './workloads.ts';

/** The API server counts the generations of a template; here the revision says which it is. */
const templateAnnotation = 'deprecated.daemonset.template.generation';

/** A pod on each node that admits it, and none elsewhere: one that no longer belongs where it runs is deleted. */
export function reconcileDaemonSet(client: ControllerClient, set: KubeObject): Done {
  if (set.metadata.deletionTimestamp) return false;
  const { name, namespace = '', generation } = set.metadata;
  if (client.patch(set, { metadata: { annotations: { [templateAnnotation]: revisionOf(set) } } })) return true;
  const { spec } = workloadSpec(set).template;
  const pods = client.ownedBy('Pod', set);
  const nodes = client.all('Node').filter((node) => !node.metadata.deletionTimestamp);
  const nodeOf = (pod: KubeObject) => (pod['spec'] as PodSpec).nodeName;
  const verdicts = new Map(nodes.map((node) => [node.metadata.name, admits(node, spec)]));
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp) continue;
    if (verdicts.get(nodeOf(pod) ?? '') !== undefined && verdicts.get(nodeOf(pod) ?? '') !== 'no') continue;
    client.delete(pod, verdicts.has(nodeOf(pod) ?? '') ? undefined : 'now');
    return true;
  }
  const wanted = [...verdicts].filter(([, verdict]) => verdict === 'yes').map(([node]) => node);
  for (const node of wanted) {
    if (pods.some((pod) => nodeOf(pod) === node)) continue;
    // Kubernetes draws names of pods; here an earlier DaemonSet of that name may have left one.
    if (client.get('Pod', namespace, `${name}-${node}`)) continue;
    if (client.createFor(set, podOf(set, `${name}-${node}`, { ...spec, nodeName: node }))) return true;
    break;
  }
  const { living, ready, updated } = counted(set, pods);
  const isReported = client.patch(
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
  return isReported || (living < wanted.length && client.againMs(set));
}
