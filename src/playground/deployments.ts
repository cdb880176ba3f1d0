/** Kubernetes' controllers of Deployments and ReplicaSets, as far as people see them: pods of the newest template, and no others. */
import { type Hands, ownedBy } from '../api-server/controllers/hands.ts';
import type { KubeObject } from '../kube/types.ts';

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
export function reconcileDeployment(hands: Hands, deployment: KubeObject): boolean {
  const { name, namespace = '', generation, deletionTimestamp } = deployment.metadata;
  if (deletionTimestamp) return false;
  const { replicas = 1, selector, template } = specOf(deployment);
  const hash = digestOf(template);
  const sets = ownedBy(hands.all('ReplicaSet'), deployment);
  const newest = sets.find((set) => set.metadata.labels?.[HASH] === hash);
  const labels = { ...template.metadata?.labels, [HASH]: hash };
  if (!newest)
    return hands.createFor(deployment, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [ownerOf(deployment)] },
      spec: {
        replicas,
        selector: { matchLabels: { ...selector?.matchLabels, [HASH]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    });
  if (hands.patch(newest, { spec: { replicas } })) return true;
  const { replicas: updatedReplicas = 0, readyReplicas = 0 } = countsOf(newest);
  const older = sets.filter((set) => set !== newest && (specOf(set).replicas ?? 1) > 0);
  if (readyReplicas >= replicas && older.some((set) => hands.patch(set, { spec: { replicas: 0 } }))) return true;
  const isAvailable = readyReplicas >= replicas;
  const all = sets.reduce((sum, set) => sum + (countsOf(set).replicas ?? 0), 0);
  return hands.patch(
    deployment,
    {
      status: {
        observedGeneration: generation,
        replicas: all,
        updatedReplicas,
        readyReplicas,
        availableReplicas: readyReplicas,
        unavailableReplicas: isAvailable ? null : replicas - readyReplicas,
        conditions: [
          isAvailable
            ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }
            : { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
        ],
      },
    },
    'status',
  );
}

/** Does the next thing for it. False: nothing is left. */
export function reconcileReplicaSet(hands: Hands, set: KubeObject): boolean {
  const { name, namespace = '', generation, deletionTimestamp, uid = '' } = set.metadata;
  if (deletionTimestamp) return false;
  const { replicas = 1, template } = specOf(set);
  const living = ownedBy(hands.all('Pod'), set).filter((pod) => !pod.metadata.deletionTimestamp && !isOver(pod));
  const [surplus] = living.slice(replicas);
  if (surplus) {
    hands.delete(surplus);
    return true;
  }
  if (living.length < replicas) {
    const taken = new Set(ownedBy(hands.all('Pod'), set).map((pod) => pod.metadata.name));
    const free = Array.from({ length: taken.size + 1 }, (_, i) => `${name}-${digestOf([uid, i])}`).find((each) => !taken.has(each));
    const metadata = { ...template.metadata, name: free ?? name, namespace, ownerReferences: [ownerOf(set)] };
    // What is refused is said by an event, and not tried again until something changes.
    if (hands.createFor(set, { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec })) return true;
  }
  const ready = living.filter(isReady).length;
  const counts = { replicas: living.length, fullyLabeledReplicas: living.length, readyReplicas: ready, availableReplicas: ready };
  return hands.patch(set, { status: { observedGeneration: generation, ...counts } }, 'status');
}

const ownerOf = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

const isOver = ({ status }: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes((status as { phase?: string } | undefined)?.phase ?? '');
const isReady = ({ status }: KubeObject): boolean =>
  ((status as { conditions?: readonly { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );

/** Letters and digits that tell contents apart, in names. */
function digestOf(content: unknown): string {
  const text = JSON.stringify(content);
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
  return hash.toString(36);
}
