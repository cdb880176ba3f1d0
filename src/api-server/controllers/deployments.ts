/** Kubernetes' controllers of Deployments and ReplicaSets, as far as people see them: pods of the newest template, and no others. */
import type { ControllerClient } from './client.ts';
import type { Done } from './task.ts';
import type { KubeObject } from '../../kube/types.ts';
import { digestOf, hasEnded, isReady, ownerOf } from '../pods.ts';

interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: object;
}
interface Spec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly template: Template;
}
interface Counts {
  readonly replicas?: number;
  readonly readyReplicas?: number;
}
const specOf = (object: KubeObject): Spec => object['spec'] as Spec;
const countsOf = (object: KubeObject): Counts => (object['status'] ?? {}) as Counts;
const HASH = 'pod-template-hash';

/** Does the next thing for it: the set of the newest template comes first; the others are scaled down once it is ready. False: nothing is left. */
export function reconcileDeployment(client: ControllerClient, deployment: KubeObject): Done {
  const { name, namespace = '', generation, deletionTimestamp } = deployment.metadata;
  if (deletionTimestamp) return false;
  const { replicas = 1, selector, template } = specOf(deployment);
  const hash = digestOf(template);
  const sets = client.ownedBy('ReplicaSet', deployment);
  const newest = sets.find((set) => set.metadata.labels?.[HASH] === hash);
  const labels = { ...template.metadata?.labels, [HASH]: hash };
  if (!newest) {
    const isMade = client.createFor(deployment, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [ownerOf(deployment)] },
      spec: {
        replicas,
        selector: { matchLabels: { ...selector?.matchLabels, [HASH]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    });
    return isMade || client.againMs(deployment);
  }
  if (client.patch(newest, { spec: { replicas } })) return true;
  const { replicas: updatedReplicas = 0, readyReplicas = 0 } = countsOf(newest);
  const older = sets.filter((set) => set !== newest && (specOf(set).replicas ?? 1) > 0);
  const isAvailable = readyReplicas >= replicas;
  if (isAvailable && older.some((set) => client.patch(set, { spec: { replicas: 0 } }))) return true;
  const all = sets.reduce((sum, set) => sum + (countsOf(set).replicas ?? 0), 0);
  return client.patch(
    deployment,
    {
      status: {
        observedGeneration: generation,
        replicas: all,
        updatedReplicas,
        readyReplicas,
        availableReplicas: readyReplicas,
        unavailableReplicas: isAvailable ? null : replicas - readyReplicas,
        conditions: conditionsOf(newest, isAvailable, updatedReplicas >= replicas && all === updatedReplicas),
      },
    },
    'status',
  );
}

/** No older pod is left once the rollout has progressed to its end. */
const conditionsOf = ({ metadata: { name } }: KubeObject, isAvailable: boolean, isUpdated: boolean) => [
  isAvailable
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      },
  isAvailable && isUpdated
    ? {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "${name}" has successfully progressed.`,
      }
    : { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `ReplicaSet "${name}" is progressing.` },
];

/** Does the next thing for it. False: nothing is left. */
export function reconcileReplicaSet(client: ControllerClient, set: KubeObject): Done {
  const { name, namespace = '', generation, deletionTimestamp, uid = '' } = set.metadata;
  if (deletionTimestamp) return false;
  const { replicas = 1, template } = specOf(set);
  const pods = client.ownedBy('Pod', set);
  const living = pods.filter((pod) => !pod.metadata.deletionTimestamp && !hasEnded(pod));
  const [surplus] = living.slice(replicas);
  if (surplus) {
    client.delete(surplus);
    return true;
  }
  if (living.length < replicas) {
    const taken = new Set(pods.map((pod) => pod.metadata.name));
    const free = Array.from({ length: taken.size + 1 }, (_, i) => `${name}-${digestOf([uid, i])}`).find((each) => !taken.has(each));
    const metadata = { ...template.metadata, name: free ?? name, namespace, ownerReferences: [ownerOf(set)] };
    if (client.createFor(set, { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec })) return true;
  }
  const ready = living.filter(isReady).length;
  const counts = { replicas: living.length, fullyLabeledReplicas: living.length, readyReplicas: ready, availableReplicas: ready };
  const isReported = client.patch(set, { status: { observedGeneration: generation, ...counts } }, 'status');
  return isReported || (living.length < replicas && client.againMs(set));
}
