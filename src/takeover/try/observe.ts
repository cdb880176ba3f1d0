import { Dataset, operationKinds } from '../../api/index.ts';
import type { CustomResource } from '../../api/resource.ts';
import { selector } from '../../install/labels.ts';
import { ELECTION_LEASE } from '../../install/rights.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound, isNotFound } from '../../kube/errors.ts';
import { holderOf, LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { selectorText } from '../../kube/selector.ts';
import { listAll } from '../../kube/watch/pages.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { objectText } from '../../planning/key.ts';
import { Pod, typeOf } from '../../planning/kinds.ts';
import { Deployment, GooseFSRuntime } from '../fluid/names.ts';
import { isAlive } from '../fluid/observe.ts';
import { isLeftUnbound } from '../fluid/unbound.ts';
import { viewOf } from '../go/pod-view.ts';
import { fenceOf, isInForce, readFence } from './fence.ts';
import type { TryObjects } from './refusals.ts';
import { CONTROLLER, namespacesIn, podsOf, type TryController, type TryPart, type TryTarget, type TryWorld } from './world.ts';

/** Reads what the steps depend on. @throws ApiError, and NoAnswer while the API server does not answer */
export async function observe(client: KubeClient, target: TryTarget, applied: ReadonlySet<TryPart>): Promise<TryWorld> {
  const { namespaces, back } = target;
  const [found, controller, runtimes, datasets] = await Promise.all([
    readFence(client),
    readController(client, target.system),
    objectsIn(client, target.runtimes.map(typeOf), namespaces),
    objectsIn(client, [typeOf(Dataset)], back),
  ]);
  const fence = fenceOf(found);
  const fenced = namespaces.filter((namespace) => fence?.namespaces.includes(namespace));
  const refused = await Promise.all(fenced.map((namespace) => isInForce(client, namespace)));
  return {
    target,
    fence,
    isFenceLeft: found.policy !== undefined || found.binding !== undefined,
    inForce: new Set(fenced.filter((_, i) => refused[i])),
    controller,
    untouched: runtimes.filter((runtime) => conditionsOf(runtime).every(({ type }) => type !== 'Synced')).map(objectText),
    unbound: datasets.filter(isLeftUnbound).map(({ metadata: { namespace = '', name } }) => ({ namespace, name })),
    applied,
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
  const [found, { deployment }] = await Promise.all([readFence(client), readController(client, system)]);
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

async function readController(client: KubeClient, namespace: string): Promise<TryController> {
  const labelSelector = selectorText(selector('controller'));
  const [deployment, pods, lease] = await Promise.all([
    client.get(Deployment, { namespace, name: CONTROLLER }).catch(ignoreNotFound),
    client.list(Pod, { namespace, labelSelector }),
    client.get(LEASE, { namespace, name: ELECTION_LEASE }).catch(ignoreNotFound),
  ]);
  return {
    ...(deployment && { deployment: deploymentView(deployment) }),
    pods: pods.items.filter(isAlive).map((pod) => {
      const { name, uid, why } = viewOf(pod);
      return { name, uid, namespaces: namespacesIn(pod['spec'] as object), ...(why !== undefined && { why }) };
    }),
    // The cast: the type asked for.
    leader: lease ? holderOf(lease as Lease) : '',
  };
}

function deploymentView(deployment: KubeObject): NonNullable<TryController['deployment']> {
  const pods = podsOf(deployment);
  const image = pods.containers?.[0]?.image;
  return { uid: deployment.metadata.uid ?? '', namespaces: namespacesIn(pods), ...(image !== undefined && { image }) };
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
