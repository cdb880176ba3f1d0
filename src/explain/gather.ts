import { type CustomResource, Dataset, label, operationKinds, ownerUid } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import { systemClock } from '../kube/clock.ts';
import type { KubeClient } from '../kube/contract.ts';
import { isNotFound } from '../kube/errors.ts';
import type { KubeObject, ResourceType } from '../kube/types.ts';
import { Event, ownedKinds, Pod, typeOf } from '../planning/kinds.ts';
import { selectorOf } from '../kube/selector.ts';
import { phaseOf, workloadView } from '../planning/views.ts';
import { datasetsOf, isOver, type OperationObject } from '../reconciler/operations.ts';
import type { Language } from '../planning/advice.ts';
import type { LiveObject } from '../planning/objects.ts';
import { DEFAULT_NAMESPACE } from '../install/fluid.ts';
import { type AskedName, askedOf, isOfKubernetes, UnknownSubject } from './names.ts';
import { datasetsBehind, type Route, routesOf } from './routes.ts';

/** All that an explanation is drawn from. */
export interface ExplainInput {
  /** Datasets, runtimes and operations to explain. */
  readonly objects: readonly KubeObject[];
  /** Pods, claims and volumes to explain. Default: none. */
  readonly routes?: readonly Route[];
  /** All runtimes of what was read. */
  readonly runtimes: readonly KubeObject[];
  /** All operations of what was read. */
  readonly operations: readonly KubeObject[];
  /** StatefulSets and DaemonSets of the runtimes, those of the Datasets too, and of the operations. */
  readonly workloads: readonly KubeObject[];
  /** Jobs of the operations that have not ended. */
  readonly jobs: readonly KubeObject[];
  /** Pods of workloads that are not ready, and of the Jobs. */
  readonly pods: readonly KubeObject[];
  /** Events of type Warning, of all objects. */
  readonly events: readonly KubeObject[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** All namespaces were read. Default: those of one. */
  readonly isWhole?: boolean;
  /** The language of advice and fixed phrases. Default: English. */
  readonly language?: Language;
}

/**
 * Reads what is known about the objects of these names, or of all. The Datasets behind pods, claims and volumes are explained with these.
 * @param namespace undefined: of all namespaces
 * @param systemNamespace where the node plugin runs
 * @throws UnknownSubject when none of a name exists.
 */
export async function gather(
  client: KubeClient,
  runtimes: readonly Runtime[],
  namespace: string | undefined,
  names: readonly string[],
  systemNamespace = DEFAULT_NAMESPACE,
): Promise<ExplainInput> {
  const asked = names.map((name) => askedOf(name, runtimes));
  const list = async (type: ResourceType, options: { namespace?: string; labelSelector?: string; fieldSelector?: string } = {}) =>
    // A kind whose CRD is not installed has no objects.
    (await client.list(type, { ...(namespace !== undefined && { namespace }), ...options }).catch(noneIfAbsent)).items;
  const lists = async (kinds: readonly CustomResource[]) => (await Promise.all(kinds.map((kind) => list(typeOf(kind))))).flat();
  const [datasets, served, operations] = await Promise.all([
    list(typeOf(Dataset)),
    lists(runtimes.map(({ resource }) => resource)),
    lists(operationKinds),
  ]);
  const all = [...datasets, ...served, ...operations];
  const ways = asked.filter(isOfKubernetes).map((each) => routesOf(client, each, { namespace, systemNamespace, datasets }));
  const routes = (await Promise.all(ways)).flat();
  const behind = new Set(routes.flatMap(datasetsBehind));
  const own = asked.filter((each) => !isOfKubernetes(each)).flatMap((each) => named(all, each, namespace));
  const objects = names.length === 0 ? all : [...new Set([...own, ...all.filter((each) => isBehind(each, behind))])];
  const uids = new Set([...objects, ...servingThese(objects, served)].map(({ metadata }) => metadata.uid));
  const owned = await Promise.all([ownedKinds.StatefulSet, ownedKinds.DaemonSet].map((type) => list(type, { labelSelector: label.owner })));
  const workloads = owned.flat().filter((workload) => uids.has(ownerUid(workload)));
  const hasRuns = objects.some((object) => isOperation(object) && phaseOf(object) === 'Executing');
  const jobs = (hasRuns ? await list(ownedKinds.Job, { labelSelector: label.owner }) : []).filter(
    (job) => uids.has(ownerUid(job)) && isUnderWay(job),
  );
  const unready = [...workloads.filter((each) => !isReady(each)), ...jobs];
  const pods = await Promise.all(
    unready.map((each) => list(Pod, { namespace: each.metadata.namespace ?? '', labelSelector: podSelector(each) })),
  );
  const events = await list(Event, { fieldSelector: 'type=Warning' });
  return {
    objects,
    routes,
    runtimes: served,
    operations,
    workloads,
    jobs,
    pods: pods.flat(),
    events,
    now: systemClock.wall(),
    isWhole: namespace === undefined,
  };
}

/** A Dataset is as well as its runtime is. */
const servingThese = (objects: readonly KubeObject[], served: readonly KubeObject[]): readonly KubeObject[] => {
  const nameOf = ({ namespace, name }: KubeObject['metadata']) => `${namespace}/${name}`;
  const datasets = new Set(objects.filter(({ kind }) => kind === 'Dataset').map(({ metadata }) => nameOf(metadata)));
  return served.filter(({ metadata }) => datasets.has(nameOf(metadata)));
};

/** `demo` is every object of that name, and the operations on that Dataset that are not over; `dataload/warm` is one. */
function named(all: readonly KubeObject[], { text, kind, name }: AskedName, namespace: string | undefined): readonly KubeObject[] {
  const found = all.filter((object) => {
    if (kind !== undefined) return object.kind === kind && object.metadata.name === name;
    return object.metadata.name === name || (datasetsOf(object).some((dataset) => dataset.name === name) && !isOver(asOperation(object)));
  });
  if (found.length === 0)
    throw new UnknownSubject(
      `expected a Dataset, a runtime or an operation in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}, found none that is called ${text}`,
    );
  return found;
}

/** A Dataset and its runtime. */
const isBehind = (object: KubeObject, datasets: ReadonlySet<string>): boolean =>
  !isOperation(object) && datasets.has(`${object.metadata.namespace}/${object.metadata.name}`);

/** The cast: only operations are about a Dataset. */
const asOperation = (object: KubeObject): OperationObject => object as unknown as OperationObject;

/** How many pods of a workload are ready, of how many. */
export const readiness = (workload: KubeObject) => workloadView(workload as LiveObject, []);
const isReady = (workload: KubeObject): boolean => readiness(workload).ready >= readiness(workload).desired;

/** A Job's own selector may be anything, a label of its pods has its UID. */
export const podSelector = (owner: KubeObject): string =>
  owner.kind === 'Job' ? `batch.kubernetes.io/controller-uid=${owner.metadata.uid}` : selectorOf(owner);

export const isOperation = ({ kind }: KubeObject): boolean => operationKinds.some((each) => each.kind === kind);

function isUnderWay({ spec, status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { readonly type: string; readonly status: string }[] };
  const hasEnded = conditions.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');
  return !hasEnded && (spec as { suspend?: boolean } | undefined)?.suspend !== true;
}

function noneIfAbsent(error: unknown): { readonly items: readonly KubeObject[] } {
  if (isNotFound(error)) return { items: [] };
  throw error;
}
