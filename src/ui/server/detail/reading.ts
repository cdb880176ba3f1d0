import { Dataset, label, operationKinds, ownerUid } from '../../../api/index.ts';
import { type ExplainInput, podSelector } from '../../../explain/gather.ts';
import type { KubeClient, ListOptions } from '../../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../../kube/types.ts';
import { Event, ownedKinds, Pod, typeOf } from '../../../planning/kinds.ts';
import { fromPods, reads } from '../../../planning/pod-pages.ts';
import type { ServingCandidate } from '../rows/dataset-row.ts';
import type { KeptOperation } from '../rows/kept.ts';

/** All that concerns one Dataset, as far as the client may read it. */
export interface DatasetReading {
  readonly dataset: KubeObject;
  /** The runtime that serves it comes first. */
  readonly runtimes: readonly KubeObject[];
  readonly operations: readonly KubeObject[];
  readonly workloads: readonly KubeObject[];
  readonly jobs: readonly KubeObject[];
  /** Pods of the workloads and Jobs. */
  readonly pods: readonly KubeObject[];
  /** Pods that mount the Dataset, or have its client as a sidecar. */
  readonly applications: readonly KubeObject[];
  /** How many of these were left out. */
  readonly moreApplications: number;
  readonly events: readonly KubeObject[];
  readonly now: number;
}

export interface Concerned {
  readonly namespace: string;
  readonly name: string;
  readonly runtimes: readonly ServingCandidate[];
  /** Operations on the Dataset that are not over. */
  readonly operations: readonly KeptOperation[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

const MOST_PODS = 500;
const MOST_POD_BYTES = 16 << 20;
/** With a limit, an answer is bounded in bytes too. */
const MOST_LISTED = 200;
const MOST_APPLICATIONS = 200;
/** Anybody who may edit the namespace can label more of them. */
const MOST_WORKLOADS = 16;
/** Objects whose events are asked for one by one. */
const MOST_NAMES = 24;

/** Reads it by names and selectors, so that a namespace may have thousands of others. @returns undefined if there is no such Dataset */
export async function readDataset(
  client: KubeClient,
  { namespace, name, runtimes, operations, now }: Concerned,
): Promise<DatasetReading | undefined> {
  const get = (type: ResourceType, of: string) => client.get(type, { namespace, name: of }).catch(nothingIfUnread);
  const list = async (type: ResourceType, options: ListOptions) =>
    (await client.list(type, { namespace, ...options }).catch(noneIfUnread)).items;
  const dataset = await get(typeOf(Dataset), name);
  if (!dataset) return undefined;
  const found = await Promise.all(runtimes.map(({ definition }) => get(typeOf(definition.resource), name)));
  const works = await Promise.all(operations.map(({ kind, row }) => get(operationType(kind), row.name)));
  const [served, own] = [found, works].map((each) => each.filter((object) => object !== undefined)) as [KubeObject[], KubeObject[]];
  const uids = new Set([...served, ...own].flatMap(({ metadata: { uid } }) => uid ?? []));
  const selector = { labelSelector: `${label.owner} in (${[...uids].join(',')})` };
  const owned = async (type: ResourceType) =>
    uids.size === 0 ? [] : (await list(type, { ...selector, limit: MOST_LISTED })).filter((each) => uids.has(ownerUid(each) ?? ''));
  const [sets, daemons, jobs] = await Promise.all([ownedKinds.StatefulSet, ownedKinds.DaemonSet, ownedKinds.Job].map(owned));
  const workloads = [...(sets ?? []), ...(daemons ?? [])].slice(0, MOST_WORKLOADS);
  const underWay = (jobs ?? []).filter((job) => !hasEnded(job)).slice(0, MOST_WORKLOADS);
  const pods: KubeObject[] = [];
  let bytes = 0;
  for (const each of [...workloads, ...underWay]) {
    if (pods.length >= MOST_PODS || bytes > MOST_POD_BYTES) break;
    const selection = { namespace, labelSelector: podSelector(each), limit: MOST_PODS - pods.length };
    const { items, size = 0 } = await client.list(Pod, selection).catch(noneIfUnread);
    pods.push(...items);
    bytes += size;
  }
  const { kept: applications, more } = await readersOf(client, namespace, name);
  const unready = [...pods, ...applications].filter((pod) => !isReady(pod));
  const names = [...new Set([dataset, ...own, ...workloads, ...underWay, ...unready].map(({ metadata }) => metadata.name))];
  const events = await Promise.all(
    names.slice(0, MOST_NAMES).map((of) => list(Event, { fieldSelector: `involvedObject.name=${of}`, limit: MOST_LISTED })),
  );
  return {
    dataset,
    runtimes: served,
    operations: own,
    workloads,
    jobs: underWay,
    pods,
    applications,
    moreApplications: more,
    events: events.flat(),
    now,
  };
}

/** All objects of which a view shows something. */
export const shownIn = ({ dataset, runtimes, operations, workloads, jobs, pods, applications }: DatasetReading): readonly KubeObject[] => [
  dataset,
  ...runtimes,
  ...operations,
  ...workloads,
  ...jobs,
  ...pods,
  ...applications,
];

/** The same as `explain` takes it. */
export const explainInput = ({ dataset, runtimes, operations, workloads, jobs, pods, events, now }: DatasetReading): ExplainInput => ({
  objects: [dataset, ...runtimes, ...operations],
  runtimes,
  operations,
  workloads,
  jobs,
  pods,
  events: events.filter((event) => event['type'] === 'Warning'),
  now,
});

/** Pods of the namespace that read the Dataset; of each page only these are kept. */
async function readersOf(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<{ readonly kept: readonly KubeObject[]; readonly more: number }> {
  try {
    const items = await fromPods(client, namespace, (pod) => (reads(pod, name) ? [pod] : []));
    // Those that wait or fail are what one looks for.
    const ordered = items.toSorted(
      (a, b) => Number(isReady(a)) - Number(isReady(b)) || a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true }),
    );
    return { kept: ordered.slice(0, MOST_APPLICATIONS), more: Math.max(0, items.length - MOST_APPLICATIONS) };
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return { kept: [], more: 0 };
    throw error;
  }
}

function isReady({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

function hasEnded({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return conditions.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');
}

function operationType(kind: string): ResourceType {
  const found = operationKinds.find((each) => each.kind === kind);
  if (!found) throw new TypeError(`expected a kind of operations, found ${kind}`);
  return typeOf(found);
}

/** An object that does not exist, or that the viewer may not read, is left out. */
function nothingIfUnread(error: unknown): undefined {
  if (!isForbidden(error) && !isNotFound(error)) throw error;
}
function noneIfUnread(error: unknown): { readonly items: readonly KubeObject[]; readonly size?: number } {
  if (isForbidden(error) || isNotFound(error)) return { items: [] };
  throw error;
}
