import { Dataset, operationKinds } from '../../api/index.ts';
import type { CustomResource } from '../../api/resource.ts';
import { selector } from '../../install/labels.ts';
import { ELECTION_LEASE } from '../../install/rights.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import { holderOf, LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { selectorText } from '../../kube/selector.ts';
import { listAll } from '../../kube/watch/pages.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { objectText } from '../../planning/key.ts';
import { typeOf } from '../../planning/kinds.ts';
import { Deployment, GooseFSRuntime } from '../fluid/names.ts';
import { readPods } from '../fluid/observe.ts';
import { checkRights, type FluidReader, readsOf } from '../fluid/reads.ts';
import { namespacesIn, type Pods } from '../steps/pod-view.ts';
import type { Run } from '../steps/step.ts';
import { ownObjects } from '../world/own-objects.ts';
import { fenceOf, isInForce, readFence, readPolicies } from './fence.ts';
import type { TryObjects } from './refusals.ts';
import { CONTROLLER, type TryController, type TryTarget, type TryWorld } from './world.ts';

/** Reads what the steps depend on. @throws Stopped, ApiError, and NoAnswer while the API server does not answer */
export async function observe(client: KubeClient, target: TryTarget, run: Run): Promise<TryWorld> {
  const { namespaces, back } = target;
  const reads = readsOf(client);
  const [found, policies, controller, own, runtimes, datasets] = await Promise.all([
    readFence(client),
    readPolicies(reads),
    readController(reads, target.system),
    ownObjects(reads, new Map([['controller', target.controller]])),
    objectsIn(client, target.runtimes.map(typeOf), namespaces),
    objectsIn(client, [typeOf(Dataset)], back),
  ]);
  checkRights(reads.missing());
  const fence = fenceOf(found);
  const fenced = namespaces.filter((namespace) => fence?.namespaces.includes(namespace));
  const refused = await Promise.all(fenced.map((namespace) => isInForce(client, namespace)));
  return {
    target,
    fence,
    policies,
    inForce: new Set(fenced.filter((_, i) => refused[i])),
    controller,
    objects: own.objects,
    untouched: runtimes.filter((runtime) => conditionsOf(runtime).every(({ type }) => type !== 'Synced')).map(objectText),
    datasets,
    run,
  };
}

/** A try as it is now. */
export interface Tried {
  /** Those that the policies keep Fluid off, and those that Sluice's controller serves. */
  readonly namespaces: readonly string[];
  readonly servesAll: boolean;
  /** The image of Sluice's controller. */
  readonly image?: string;
}

export async function readTried(client: KubeClient, system: string): Promise<Tried> {
  const reads = readsOf(client);
  const [found, { deployment }] = await Promise.all([readFence(client), readController(reads, system)]);
  checkRights(reads.missing());
  const namespaces = new Set([...(fenceOf(found)?.namespaces ?? []), ...(deployment?.namespaces ?? [])]);
  return {
    namespaces: [...namespaces].toSorted(),
    servesAll: deployment !== undefined && deployment.namespaces === undefined,
    ...(deployment?.image !== undefined && { image: deployment.image }),
  };
}

/** All objects of the kinds of Datasets, of all namespaces. */
export async function readObjects(client: KubeClient, runtimes: readonly CustomResource[]): Promise<TryObjects> {
  const [datasets, operations, served] = await Promise.all(
    [[typeOf(Dataset)], operationKinds.map(typeOf), [...runtimes.map(typeOf), GooseFSRuntime]].map((types) =>
      objectsIn(client, types, [undefined]),
    ),
  );
  return { datasets: datasets ?? [], operations: operations ?? [], runtimes: served ?? [] };
}

async function readController(reads: FluidReader, namespace: string): Promise<TryController> {
  const [deployment, pods, lease] = await Promise.all([
    reads.get(Deployment, { namespace, name: CONTROLLER }),
    readPods(reads, namespace, selectorText(selector('controller'))),
    reads.get(LEASE, { namespace, name: ELECTION_LEASE }),
  ]);
  return {
    ...(deployment && { deployment: deploymentView(deployment) }),
    pods,
    // The cast: the type asked for.
    leader: lease ? holderOf(lease as Lease) : '',
  };
}

function deploymentView(deployment: KubeObject): NonNullable<TryController['deployment']> {
  // The cast: a Deployment has a template.
  const { spec } = (deployment['spec'] as { readonly template: { readonly spec: Pods } }).template;
  const image = spec.containers?.[0]?.image;
  return { namespaces: namespacesIn(spec), ...(image !== undefined && { image }) };
}

async function objectsIn(
  client: KubeClient,
  types: readonly ResourceType[],
  namespaces: readonly (string | undefined)[],
): Promise<readonly KubeObject[]> {
  const lists = types.flatMap((type) =>
    namespaces.map((namespace) =>
      listAll(client, type, namespace === undefined ? {} : { namespace }).catch((error: unknown) => {
        // The CRD of the kind is not installed.
        if (isNotFound(error)) return { items: [] };
        throw error;
      }),
    ),
  );
  return (await Promise.all(lists)).flatMap(({ items }) => items);
}

const conditionsOf = ({ status }: KubeObject) =>
  ((status ?? {}) as { readonly conditions?: readonly { readonly type: string }[] }).conditions ?? [];
