import type { KubeObject } from '../../../kube/types.ts';
import { infosOf, PROGRESS_MS } from '../../operations/infos.ts';
import type { EndedPod, Infos, JobView, OperationWorld } from '../../operations/world.ts';
import type { Key } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { Pod } from '../kinds.ts';

/** A Job has one pod at a time, and replaces a few. */
const MOST_PODS = 20;

/** How the last pod of a Job ended. Its status has that: no right to read logs is needed. */
export async function lastPod(
  { client, store }: Pick<ClusterContext, 'client' | 'store'>,
  { namespace }: Pick<Key, 'namespace'>,
  { uid }: JobView,
): Promise<EndedPod | undefined> {
  const { items } = await client.list(Pod, { namespace, labelSelector: `batch.kubernetes.io/controller-uid=${uid}`, limit: MOST_PODS });
  const [last] = items.flatMap(endsOf).toSorted((a, b) => b.finishedAt.localeCompare(a.finishedAt));
  if (!last) return undefined;
  const { node, ...pod } = last;
  const { labels } = store.node(node)?.metadata ?? {};
  return { ...pod, ...(labels && { nodeLabels: labels }) };
}

interface Terminated {
  readonly exitCode?: number;
  readonly message?: string;
  readonly finishedAt?: string;
}
function endsOf({ metadata, spec, status }: KubeObject): readonly (EndedPod & { readonly finishedAt: string; readonly node: string })[] {
  const { nodeName: node = '' } = (spec ?? {}) as { nodeName?: string };
  const { containerStatuses = [] } = (status ?? {}) as { containerStatuses?: readonly { state?: { terminated?: Terminated } }[] };
  return containerStatuses.flatMap(({ state }) => {
    if (!state?.terminated) return [];
    const { exitCode = 0, message = '', finishedAt = '' } = state.terminated;
    return [{ name: metadata.name, exitCode, message, finishedAt, node }];
  });
}

const TIMEOUT_MS = 5_000;

/** What the pod that runs reports of its progress, as it answered last. A new answer wakes the operation. */
export function progressOf(context: ClusterContext, { key, operation }: OperationWorld, job: JobView): Infos | undefined {
  const { store, jobs, exec, wake } = context;
  const { namespace } = key;
  const file = job.progressFile;
  const pod = store.pods({ uid: job.uid, namespace }).find((each) => each['ready'] === true && !each.metadata.deletionTimestamp);
  if (file === undefined || !pod) return undefined;
  const where = { namespace, pod: pod.metadata.name, container: String(pod['container']) };
  const due = { namespace, version: pod.metadata.name, everyMs: PROGRESS_MS };
  // The file may not exist yet, and the pod may end meanwhile.
  const ask = () => exec(where, ['cat', file], TIMEOUT_MS).then(infosOf, () => ({}));
  const { value } = jobs.ask<Infos>(`${operation.metadata.uid}/progress`, due, ask, () => wake(key));
  return value && Object.keys(value).length > 0 ? value : undefined;
}
