import { csiDriver, label } from '../api/index.ts';
import { sidecar } from '../api/sidecars.ts';
import type { KubeClient, ListOptions } from '../kube/contract.ts';
import { isAbsent, isForbidden, isNotFound } from '../kube/errors.ts';
import { selectorOf, selectorText } from '../kube/selector.ts';
import { type KubeObject, type ObjectName, type ResourceType, resourceType } from '../kube/types.ts';
import { Node, ownedKinds, Pod } from '../planning/kinds.ts';
import { selector } from '../install/labels.ts';
import { type AskedName, UnknownSubject } from './names.ts';

/** The way from a pod, a claim or a volume to its Datasets. */
export interface Route {
  readonly object: KubeObject;
  readonly claims: readonly ClaimRoute[];
  /** Datasets that the pod reads by a sidecar, `<name>`. */
  readonly bySidecar: readonly string[];
  /** The node of a pod, once the pod is scheduled. */
  readonly node?: NodeRoute;
}

/** An object, or why there is none: it does not exist, or the user may not read it, or the server does not have its kind. */
export type MaybeObject = KubeObject | 'absent' | 'unreadable';

export interface ClaimRoute {
  readonly namespace: string;
  readonly name: string;
  readonly claim: MaybeObject;
  readonly volume: MaybeObject;
  /** The label that a node needs for a fuse pod; undefined if the volume names none. */
  readonly nodeLabel?: string;
  /** Fuse pods of the volume on the node of the pod; absent if the user may not list them. */
  readonly fusePods?: readonly KubeObject[];
}

export interface NodeRoute {
  readonly name: string;
  readonly node: MaybeObject;
  /** Which CSI drivers are registered. */
  readonly csiNode: MaybeObject;
  /** Pods of the node plugin there; absent if the user may not list them. */
  readonly plugin?: readonly KubeObject[];
}

const CSINode = resourceType('storage.k8s.io', 'CSINode', 'csinodes', false);

/**
 * Reads the way of one that was asked for, in its namespace or, without one, in all. A claim that one of these Datasets is to have need not
 * exist: why it does not is what its user asks.
 *
 * @throws UnknownSubject when it does not exist
 */
export async function routesOf(
  client: KubeClient,
  { text, kind, name }: AskedName,
  { namespace, systemNamespace, datasets }: RouteOptions,
): Promise<readonly Route[]> {
  const read = reading(client);
  const type = kind === Pod.kind ? Pod : kind === 'PersistentVolume' ? ownedKinds.PersistentVolume : ownedKinds.PersistentVolumeClaim;
  const where = type.namespaced && namespace !== undefined ? { namespace } : {};
  const { items } = await client.list(type, { ...where, fieldSelector: `metadata.name=${name}` });
  const those = items.filter(({ metadata }) => metadata.name === name);
  const awaited = kind === CLAIM ? datasets.filter(({ metadata }) => metadata.name === name).map(claimOf) : [];
  const found = those.length > 0 ? those : awaited;
  if (found.length === 0) throw new UnknownSubject(`expected a ${type.kind} that is called ${name}, found none: ${text}`);
  const routes = found.map(async (object): Promise<Route> => {
    const nodeName = type === Pod ? nodeOf(object) : undefined;
    const claims = await Promise.all(claimsOf(object).map((claim) => claimRoute(read, claim, nodeName)));
    const node = nodeName === undefined ? undefined : await nodeRoute(read, nodeName, systemNamespace);
    return { object, claims, bySidecar: sidecarsOf(object), ...(node && { node }) };
  });
  return Promise.all(routes);
}

interface RouteOptions {
  readonly namespace: string | undefined;
  readonly systemNamespace: string;
  /** The Datasets that were read. */
  readonly datasets: readonly KubeObject[];
}

const CLAIM = 'PersistentVolumeClaim';
/** The claim that a Dataset will have. */
const claimOf = ({ metadata: { namespace = '', name } }: KubeObject): KubeObject => ({
  apiVersion: 'v1',
  kind: CLAIM,
  metadata: { namespace, name },
});

/** Datasets that a route leads to, `<namespace>/<name>`. A Dataset and its claim have one name. */
export const datasetsBehind = ({ object, claims, bySidecar }: Route): readonly string[] => [
  ...claims.flatMap(({ namespace, name, volume }) => [`${namespace}/${name}`, ...servedBy(volume)]),
  ...bySidecar.map((name) => `${object.metadata.namespace}/${name}`),
];

function claimsOf({ kind, metadata: { namespace = '', name }, spec }: KubeObject): readonly { namespace: string; name: string }[] {
  if (kind === CLAIM) return [{ namespace, name }];
  if (kind === 'PersistentVolume') {
    const { claimRef } = (spec ?? {}) as { claimRef?: { namespace?: string; name?: string } };
    return claimRef?.name === undefined ? [] : [{ namespace: claimRef.namespace ?? '', name: claimRef.name }];
  }
  const { volumes = [] } = (spec ?? {}) as { volumes?: readonly { persistentVolumeClaim?: { claimName: string } }[] };
  const names = volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
  return [...new Set(names)].map((each) => ({ namespace, name: each }));
}

/** Datasets of whose clients the pod has sidecars, by its labels. They are shown, and explained as if they were asked for. threat-model: keeps */
const sidecarsOf = ({ kind, metadata: { labels = {} } }: KubeObject): readonly string[] =>
  kind === Pod.kind
    ? [...new Set(Object.entries(labels).flatMap(([key, value]) => (key.startsWith(sidecar.datasetName) ? [value] : [])))]
    : [];

type Reading = ReturnType<typeof reading>;

async function claimRoute(read: Reading, { namespace, name }: { namespace: string; name: string }, node?: string): Promise<ClaimRoute> {
  const claim = await read.get(ownedKinds.PersistentVolumeClaim, { namespace, name });
  const volumeName = typeof claim === 'string' ? undefined : (claim['spec'] as { volumeName?: string } | undefined)?.volumeName;
  const volume = volumeName === undefined ? 'absent' : await read.get(ownedKinds.PersistentVolume, { name: volumeName });
  const { runtime_namespace: of = namespace, mount_pod_node_selector_key: nodeLabel } = csiOf(volume)?.volumeAttributes ?? {};
  const fusePods = node !== undefined && nodeLabel !== undefined ? await fusePodsOn(read, { namespace: of, nodeLabel, node }) : [];
  return { namespace, name, claim, volume, ...(nodeLabel !== undefined && { nodeLabel }), ...(fusePods && { fusePods }) };
}

interface Csi {
  readonly driver?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
}
/** undefined unless the volume is of the node plugin. */
export function csiOf(volume: MaybeObject): Csi | undefined {
  const csi = typeof volume === 'string' ? undefined : (volume['spec'] as { csi?: Csi } | undefined)?.csi;
  return csi?.driver === csiDriver ? csi : undefined;
}

function servedBy(volume: MaybeObject): readonly string[] {
  const { runtime_namespace: namespace, runtime_name: name } = csiOf(volume)?.volumeAttributes ?? {};
  return namespace !== undefined && name !== undefined ? [`${namespace}/${name}`] : [];
}

/** The pods of the DaemonSet that runs on nodes with this label. */
async function fusePodsOn(
  read: Reading,
  at: { namespace: string; nodeLabel: string; node: string },
): Promise<readonly KubeObject[] | undefined> {
  const daemons = await read.list(ownedKinds.DaemonSet, { namespace: at.namespace, labelSelector: label.owner });
  const own = daemons?.filter(({ spec }) => {
    const { template } = (spec ?? {}) as { template?: { spec?: { nodeSelector?: Readonly<Record<string, string>> } } };
    return template?.spec?.nodeSelector?.[at.nodeLabel] !== undefined;
  });
  if (!own) return undefined;
  const pods = await Promise.all(
    own.map((daemon) =>
      read.list(Pod, { namespace: at.namespace, labelSelector: selectorOf(daemon), fieldSelector: `spec.nodeName=${at.node}` }),
    ),
  );
  const all = pods.flatMap((each) => each ?? []);
  return pods.includes(undefined) ? undefined : all.filter((pod) => nodeOf(pod) === at.node);
}

async function nodeRoute(read: Reading, name: string, systemNamespace: string): Promise<NodeRoute> {
  const labelSelector = selectorText(selector('csi'));
  const [node, csiNode, plugin] = await Promise.all([
    read.get(Node, { name }),
    read.get(CSINode, { name }),
    read.list(Pod, { namespace: systemNamespace, labelSelector, fieldSelector: `spec.nodeName=${name}` }),
  ]);
  return { name, node, csiNode, ...(plugin && { plugin: plugin.filter((pod) => nodeOf(pod) === name) }) };
}

const nodeOf = ({ spec }: KubeObject): string | undefined => (spec as { nodeName?: string } | undefined)?.nodeName;

/** Users of a namespace may not read nodes, volumes, or the namespace of the plugin. */
const reading = (client: KubeClient) => ({
  get: (type: ResourceType, name: ObjectName): Promise<MaybeObject> =>
    client.get(type, name).catch((error: unknown): MaybeObject => {
      if (isAbsent(error)) return 'absent';
      if (isNotFound(error) || isForbidden(error)) return 'unreadable';
      throw error;
    }),
  list: async (type: ResourceType, options: ListOptions): Promise<readonly KubeObject[] | undefined> => {
    try {
      return (await client.list(type, options)).items;
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    }
  },
});
