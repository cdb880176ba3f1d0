import type { Manifest } from '../../api/index.ts';
import { webhookNames } from '../../api/webhook-names.ts';
import { labels, selector } from '../../install/labels.ts';
import { ELECTION_LEASE } from '../../install/rights.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { holderOf, LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { selectorText } from '../../kube/selector.ts';
import { type ResourceType, resourceType } from '../../kube/types.ts';
import { Node, ownedKinds, Pod, Secret, typeOfManifest } from '../../planning/kinds.ts';
import { recordsOf } from '../fluid/helm.ts';
import type { FluidInstallation } from '../fluid/installation.ts';
import { isAlive, observeFluid } from '../fluid/observe.ts';
import { type FluidReader, readsOf } from '../fluid/reads.ts';
import { viewOf } from './pod-view.ts';
import { listIfKnown, namesWithDriver, nodesOf } from './nodes.ts';
import { RECORD, recordIn } from './record.ts';
import { HIDDEN } from './step.ts';
import { checkRights } from './stopped.ts';
import type { Run, SluiceInstallation, Target, World } from './world.ts';

const EndpointSlice = resourceType('discovery.k8s.io', 'EndpointSlice', 'endpointslices');

/**
 * Reads the cluster, in about 80 requests whatever the size of the cluster.
 * @throws Stopped when a right is missing: what may not be read must not count as gone
 */
export async function observe(client: KubeClient, target: Target, run: Run, { withWorkloads = false } = {}): Promise<World> {
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
  return { target, fluid, record, sluice, workloads, run, nodes: nodesOf(nodes, fluid, sluice.nodePlugin, csiNodes) };
}

async function readInstalled(
  reads: FluidReader,
  client: KubeClient,
  target: Target,
  fluid: FluidInstallation,
): Promise<SluiceInstallation> {
  const { namespace } = target;
  const pods = async (part: Parameters<typeof selector>[0]) =>
    (await reads.list(Pod, { namespace, labelSelector: selectorText(selector(part)) })).filter(isAlive).map(viewOf);
  const [own, kinds, controller, nodePlugin, webhook, lease, endpoints, hidden] = await Promise.all([
    ownObjects(reads, target),
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

/** One list for each kind and namespace of the installation: the labels tell Sluice's objects from Fluid's of the same names. */
async function ownObjects(reads: FluidReader, { parts }: Target): Promise<Pick<SluiceInstallation, 'objects' | 'missing'>> {
  const lists = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const labelSelector = selectorText({ 'app.kubernetes.io/part-of': labels()['app.kubernetes.io/part-of'] });
  /** The UID of the live object. */
  const uidOf = async (manifest: Manifest, type: ResourceType): Promise<string | undefined> => {
    const { namespace, name } = manifest.metadata;
    // The right to list Secrets is the right to read them all.
    if (type.kind === Secret.kind) return (await reads.get(type, { namespace, name }, { metadataOnly: true }))?.metadata.uid;
    const key = `${type.group}/${type.plural}/${namespace ?? ''}`;
    const list =
      lists.get(key) ??
      reads
        .list(type, { ...(namespace !== undefined && { namespace }), labelSelector, metadataOnly: true })
        .then((objects) => new Map(objects.map(({ metadata }) => [metadata.name, metadata.uid ?? ''])));
    lists.set(key, list);
    return (await list).get(name);
  };
  const all = [...parts].flatMap(([part, manifests]) => manifests.map((manifest) => ({ part, manifest })));
  const found = await Promise.all(
    all.map(async ({ part, manifest }) => {
      const type = typeOfManifest(manifest);
      return { part, type, ...manifest.metadata, uid: await uidOf(manifest, type) };
    }),
  );
  return {
    objects: found.flatMap(({ part, type, namespace, name, uid }) => (uid === undefined ? [] : [{ part, type, namespace, name, uid }])),
    missing: new Set(found.flatMap(({ part, uid }) => (uid === undefined ? [part] : []))),
  };
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
