import { webhookNames } from '../../api/webhook-names.ts';
import { selector } from '../../install/labels.ts';
import { ELECTION_LEASE } from '../../install/rights.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { holderOf, LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { selectorText } from '../../kube/selector.ts';
import { type ResourceType, resourceType } from '../../kube/types.ts';
import { Node, ownedKinds } from '../../planning/kinds.ts';
import { recordsOf } from '../fluid/helm.ts';
import type { FluidInstallation } from '../fluid/installation.ts';
import { observeFluid, readPods } from '../fluid/observe.ts';
import { checkRights, type FluidReader, readsOf } from '../fluid/reads.ts';
import { hasAccount, refusedPods } from './admission.ts';
import { listIfKnown, namesWithDriver, nodesOf } from './nodes.ts';
import type { RefusedPods } from './parts.ts';
import { RECORD, recordIn } from './record.ts';
import { ownObjects } from './own-objects.ts';
import { HIDDEN } from './releases.ts';
import type { Run } from '../steps/step.ts';
import type { SluiceInstallation, Target, World } from './world.ts';

const EndpointSlice = resourceType('discovery.k8s.io', 'EndpointSlice', 'endpointslices');

/**
 * Reads the cluster, in about 80 requests whatever the size of the cluster.
 * @throws Stopped when a right is missing: what may not be read must not count as gone
 */
export async function observe(
  client: KubeClient,
  target: Target,
  run: Run,
  { withWorkloads = false, withAdmission = false } = {},
): Promise<World> {
  const { namespace } = target;
  const reads = readsOf(client);
  const record = recordIn(await reads.get(ownedKinds.ConfigMap, { namespace, name: RECORD }));
  const [fluid, csiNodes, nodes, workloads] = await Promise.all([
    observeFluid(client, { namespace }),
    namesWithDriver(client),
    reads.list(Node, {}),
    record.workloads && !withWorkloads
      ? []
      : Promise.all(target.workloads.map((type) => reads.list(type, {}))).then((lists) => lists.flat()),
  ]);
  const sluice = await readInstalled(reads, client, target, fluid);
  checkRights([...fluid.missingRights, ...reads.missing()]);
  const isAsked = withAdmission && fluid.deployments.some(({ role, replicas }) => role !== 'webhook' && replicas > 0);
  const refused: RefusedPods = isAsked ? await refusedPods(client, target, (account) => hasAccount(sluice, account)) : new Map();
  return { target, fluid, record, sluice, workloads, refused, run, nodes: nodesOf(nodes, fluid, sluice.nodePlugin, csiNodes) };
}

async function readInstalled(
  reads: FluidReader,
  client: KubeClient,
  target: Target,
  fluid: FluidInstallation,
): Promise<SluiceInstallation> {
  const { namespace } = target;
  const pods = (part: Parameters<typeof selector>[0]) => readPods(reads, namespace, selectorText(selector(part)));
  const [own, kinds, controller, nodePlugin, webhook, lease, endpoints, hidden] = await Promise.all([
    ownObjects(reads, target.parts),
    kindsServed(client, target.kinds),
    pods('controller'),
    pods('csi'),
    pods('webhook'),
    reads.get(LEASE, { namespace, name: ELECTION_LEASE }),
    podsBehind(client, namespace),
    fluid.release ? recordsOf(reads, fluid.release, HIDDEN) : [],
  ]);
  // The cast: the type asked for.
  return { ...own, kinds, controller, nodePlugin, webhook, leader: lease ? holderOf(lease as Lease) : '', endpoints, hidden };
}

/** Plurals of the kinds that the API server serves. */
async function kindsServed(client: KubeClient, kinds: readonly ResourceType[]): Promise<ReadonlySet<string>> {
  const served = await Promise.all(
    kinds.map((type) =>
      client.list(type, { limit: 1, metadataOnly: true }).then(
        () => [type.plural],
        (error: unknown) => {
          if (isNotFound(error)) return [];
          if (isForbidden(error)) return [type.plural];
          throw error;
        },
      ),
    ),
  );
  return new Set(served.flat());
}

interface Slice {
  readonly endpoints?: readonly { readonly targetRef?: { readonly kind?: string; readonly name?: string } }[];
}

/** undefined as `listIfKnown`: then only the readiness of pods is known. */
async function podsBehind(client: KubeClient, namespace: string): Promise<readonly string[] | undefined> {
  const labelSelector = `kubernetes.io/service-name=${webhookNames.service}`;
  const slices = await listIfKnown(client, EndpointSlice, { namespace, labelSelector });
  return slices?.flatMap((slice) => (slice as unknown as Slice).endpoints ?? []).flatMap(({ targetRef }) => targetRef?.name ?? []);
}
