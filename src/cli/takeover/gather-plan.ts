/** Everything that the plan of a take-over follows from, read from a cluster. Nothing is written. */
import { type CustomResource, Dataset, describe, operationKinds } from '../../api/index.ts';
import type { Runtime } from '../../constructs/contract.ts';
import { DEFAULT_NAMESPACE } from '../../install/fluid.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { Node, workloadType } from '../../planning/kinds.ts';
import { phaseOf } from '../../planning/views.ts';
import type { FluidInstallation } from '../../takeover/fluid/installation.ts';
import { GooseFSRuntime } from '../../takeover/fluid/names.ts';
import { observeFluid } from '../../takeover/fluid/observe.ts';
import { carryOver } from '../../takeover/plan/carry-over.ts';
import { liveSettings } from '../../takeover/plan/live-settings.ts';
import type { PlanFault, TakeoverInput } from '../../takeover/plan/plan-input.ts';
import { lackedRights, rightsOf } from '../../takeover/plan/rights.ts';
import { type TakeoverPlan, takeoverPlan } from '../../takeover/plan/takeover-plan.ts';
import { compared, type ComparedInput } from '../diff/compared.ts';
import type { InputFault } from '../input/documents.ts';
import { inputOf, refOf } from '../input/read.ts';
import { type ClusterLookup, inCluster } from '../synth/lookup.ts';
import { warningLines } from '../synth/warnings.ts';
import { fromLists } from './from-lists.ts';
import { installed, variablesOf } from './installed.ts';

export interface PlanOptions {
  readonly runtimes: readonly Runtime[];
  readonly resources: readonly CustomResource[];
  /** Values of Fluid's chart. Default: those of helm's release, and what Fluid's workloads have. */
  readonly chartValues?: Readonly<Record<string, unknown>>;
  /** Only objects of these namespaces are compared. Default: all. */
  readonly namespaces?: readonly string[];
  /** Namespace of Fluid's controllers. Default: as `observeFluid`. */
  readonly fluidNamespace?: string;
}

/** @throws Refused, ApiError and NoAnswer when the cluster does not answer */
export async function gatherPlan(client: KubeClient, options: PlanOptions): Promise<TakeoverPlan> {
  return takeoverPlan(await gatherInput(client, options));
}

async function gatherInput(client: KubeClient, options: PlanOptions): Promise<TakeoverInput> {
  const { runtimes, resources, namespaces, fluidNamespace } = options;
  const [kubernetes, fluid] = await Promise.all([
    client.version(),
    observeFluid(client, fluidNamespace === undefined ? {} : { namespace: fluidNamespace }),
  ]);
  const given = options.chartValues ?? fluid.release?.values ?? {};
  const values = carryOver({
    given: fluid.namespace === DEFAULT_NAMESPACE ? given : { ...given, namespace: fluid.namespace },
    live: liveSettings(fluid),
    variables: variablesOf(runtimes),
  });
  const { settings, manifests, faults: valueFaults } = installed(values.values, runtimes, resources);
  const cluster = fromLists(inCluster(client, runtimes, namespaces ?? []));
  const isWanted = ({ metadata }: KubeObject) => namespaces === undefined || namespaces.includes(metadata.namespace ?? '');
  const list = async (kinds: readonly CustomResource[]) =>
    (await Promise.all(kinds.map(({ kind }) => cluster.list(kind)))).flat().filter(isWanted);
  const [datasets, served, operations, nodes, home, notServed, replaced, lacked] = await Promise.all([
    list([Dataset]),
    list(runtimes.map(({ resource }) => resource)),
    list(operationKinds),
    readOr(client, Node),
    nodesOf(client, fluid),
    readOr(client, GooseFSRuntime),
    Promise.all(runtimes.flatMap(({ fluidsWorkloads }) => (fluidsWorkloads ? [readOr(client, workloadType(fluidsWorkloads), false)] : []))),
    lackedRights(client, rightsOf(manifests, fluid.namespace, fluid.release)),
  ]);
  const deleting = [...datasets, ...served, ...operations].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  // A Dataset and its runtime are deleted together.
  const ended = new Set(deleting.filter(({ kind }) => !isOperation(kind)).map(nameOf));
  const kept = [
    ...[...datasets, ...served].filter((each) => !ended.has(nameOf(each))),
    ...operations.filter((each) => !deleting.includes(each)),
  ];
  const input = inputOf({ objects: kept.map(sourceOf), faults: [] }, runtimes, 'default');
  const comparison = await compared(client, input, { settings, runtimes, elsewhere: cluster });
  return {
    fluid,
    kubernetes,
    datasets,
    runtimes: served,
    operations,
    notServed: notServed.filter(isWanted),
    replaced: replaced.flat().filter(isWanted),
    changes: comparison.changes,
    faults: comparison.faults.map(faultOf),
    ...aboutReferences(comparison, cluster),
    deleting: deleting.map(refOf),
    unlisted: cluster.unlisted(),
    nodes: nodes.map(({ metadata: { name, labels = {} } }) => ({ name, labels })),
    home,
    values,
    valueFaults,
    lacked,
  };
}

/** The nodes of Fluid's controllers. Whole nodes are large, so no others are read. */
async function nodesOf(client: KubeClient, { deployments }: FluidInstallation): Promise<readonly KubeObject[]> {
  const names = new Set(deployments.flatMap(({ pods }) => pods.flatMap(({ node }) => node ?? [])));
  const found = await Promise.all([...names].map((name) => client.get(Node, { name }).catch(undefinedIfUnread)));
  return found.filter((each) => each !== undefined);
}

function undefinedIfUnread(error: unknown): undefined {
  if (!isNotFound(error) && !isForbidden(error)) throw error;
}

const isOperation = (kind: string): boolean => operationKinds.some((each) => each.kind === kind);
const nameOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

/** A kind that is not installed, or may not be listed, has no objects. */
async function readOr(client: KubeClient, type: ResourceType, metadataOnly = true): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(type, { metadataOnly })).items;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return [];
    throw error;
  }
}

const sourceOf = (value: KubeObject) => ({ value, at: () => ({ file: 'cluster', line: 0, column: 0 }) });

function faultOf({ object, lone, ...fault }: InputFault): PlanFault {
  const text = fault.path ? describe(fault) : `expected ${fault.expected}, found ${fault.found}`;
  return { ...(object !== undefined && { object }), message: text.replaceAll(' (cluster:0)', ''), ...(lone && { lone }) };
}

function aboutReferences({ rendered }: ComparedInput, cluster: ClusterLookup): Pick<TakeoverInput, 'ungranted' | 'warnings'> {
  const ungranted = rendered.datasets.flatMap(({ object, dataset, bound }) =>
    bound.plan.warnings
      .filter(({ reason }) => reason === 'ReferenceNotGranted')
      .map(({ message }) => ({ object: refOf(object), message, isBound: phaseOf(dataset as unknown as KubeObject) === 'Bound' })),
  );
  const listed = new Set(ungranted.map(({ message }) => message));
  return {
    ungranted,
    warnings: [...warningLines(rendered).filter((line) => ![...listed].some((each) => line.includes(each))), ...cluster.gaps()],
  };
}
