import type { Container, ContainerStatus, PodSpec, PodStatus } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { infosOf, PROGRESS_MS } from './status.ts';
import { NO_PODS_MS } from './report.ts';
import type { EndedPod, Infos, JobView, OperationWorld } from './world.ts';
import type { Key } from '../world.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import { Pod } from '../../planning/kinds.ts';
import { refusedPods } from '../kubernetes/observe/refused-pods.ts';

/** A Job has one pod at a time, and replaces a few. */
const MOST_PODS = 20;

/** How the last pod of a Job ended. Its status has that: no right to read logs is needed. */
export async function lastPod(
  { client, store }: Pick<ClusterContext, 'client' | 'store'>,
  { namespace }: Pick<Key, 'namespace'>,
  { uid }: Pick<JobView, 'uid'>,
): Promise<EndedPod | undefined> {
  const { items } = await client.list(Pod, { namespace, labelSelector: `batch.kubernetes.io/controller-uid=${uid}`, limit: MOST_PODS });
  const [last] = items.flatMap((pod) => endOf(pod) ?? []).toSorted((a, b) => b.at.localeCompare(a.at));
  if (!last) return undefined;
  const { node, at: _, ...pod } = last;
  const { labels } = store.node(node)?.metadata ?? {};
  return { ...pod, ...(labels && { nodeLabels: labels }) };
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;
type PodEnd = EndedPod & { readonly at: string; readonly node: string };

/**
 * A pod failed because of the first of its containers that failed; if none did, its first container has the results.
 * threat-model: R-pod-output
 */
function endOf({ metadata, spec, status }: KubeObject): PodEnd | undefined {
  const { nodeName: node = '', ...all } = (spec ?? {}) as Partial<PodSpec>;
  const { initContainerStatuses = [], containerStatuses = [] } = (status ?? {}) as PodStatus;
  // The kubelet ends sidecars itself, and their exit codes fail no pod.
  const initContainers = (all.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== 'Always');
  const inits = endsOf(initContainers, initContainerStatuses);
  const own = endsOf(all.containers ?? [], containerStatuses);
  const ends = [...inits, ...own];
  const [failed] = ends.filter(({ exitCode = 0 }) => exitCode !== 0).toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)));
  const end = failed ?? own[0];
  if (!end) return undefined;
  const at = ends.map(timeOf).reduce((a, b) => (a > b ? a : b));
  return { name: metadata.name, exitCode: end.exitCode ?? 0, message: end.message ?? '', at, node };
}

/** In the order of the spec: the kubelet sorts statuses by name. */
const endsOf = (containers: readonly Container[], statuses: readonly ContainerStatus[]): readonly Terminated[] =>
  containers.flatMap(({ name }) => statuses.find((each) => each.name === name)?.state?.terminated ?? []);
const timeOf = ({ finishedAt = '' }: Terminated): string => finishedAt;

const TIMEOUT_MS = 5_000;
/** Sixteen lines of 256 characters, and room. */
const MOST_BYTES = 64 << 10;

/** The last progress report of the running pod. A new answer wakes the operation. */
export function progressOf(context: ClusterContext, { key, operation }: OperationWorld, job: JobView): Infos | undefined {
  const { store, jobs, exec, wake } = context;
  const { namespace } = key;
  const file = job.progressFile;
  const pod = store.pods({ uid: job.uid, namespace }).find((each) => each['ready'] === true && !each.metadata.deletionTimestamp);
  if (file === undefined || !pod) return undefined;
  const where = { namespace, pod: pod.metadata.name, container: String(pod['container']) };
  const due = { namespace, version: pod.metadata.name, everyMs: PROGRESS_MS };
  // The file may not exist yet, and the pod may end meanwhile.
  const ask = () => exec(where, ['cat', file], TIMEOUT_MS, MOST_BYTES).then(infosOf, () => ({}));
  const { value } = jobs.ask<Infos>(`${operation.metadata.uid}/progress`, due, ask, () => wake(key));
  return value && Object.keys(value).length > 0 ? value : undefined;
}

/** Why its Job, or what helps it, gets no pod, as Kubernetes said last. A new answer wakes the operation. */
export function podRefusalOf(
  { client, jobs, wake }: Pick<ClusterContext, 'client' | 'jobs' | 'wake'>,
  { key, operation }: OperationWorld,
  { uid }: Pick<JobView, 'uid'>,
): string | 'asking' | undefined {
  const { namespace } = key;
  const due = { namespace, version: uid, everyMs: NO_PODS_MS };
  const ask = () => refusedPods(client, { namespace, uid });
  const asked = jobs.ask<string | undefined>(`${operation.metadata.uid}/refusal`, due, ask, () => wake(key));
  return asked.running && asked.endedAt === undefined ? 'asking' : asked.value;
}
