import { FUSE_NODE_LABELS, type Manifest } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { isPlacedAlike, keeping, nodesLeft, type PlacementNode } from '../../../planning/diff/fuse-placement.ts';
import type { LiveObject, WaitingPlacement } from '../../world.ts';
import { Node } from '../../../planning/kinds.ts';
import { fromPods, mounts } from '../../../planning/pod-pages.ts';
import type { Store } from '../store/store.ts';

const NODES_AT_A_TIME = 8;

/**
 * The fuse DaemonSet as it may be applied now: a node on which a pod mounts the claim stays selected. Where the placement changes, pods are
 * read afresh, since a reader that the watches do not show yet would lose its file system. So are their nodes before one is no longer
 * selected: the watch of nodes may hang by itself.
 */
export async function withNodesInUse(
  client: KubeClient,
  store: Pick<Store, 'node'>,
  { namespace, name: claim }: { readonly namespace: string; readonly name: string },
  desired: Manifest,
  live: LiveObject,
): Promise<{ readonly manifest: Manifest; readonly waiting?: WaitingPlacement }> {
  if (isPlacedAlike(desired, live)) return { manifest: desired };
  const pods = await fromPods(client, namespace, (pod) => {
    const node = nodeOf(pod);
    return node !== undefined && mounts(pod, claim) ? [{ node, name: pod.metadata.name }] : [];
  });
  const readers = Map.groupBy(pods, ({ node }) => node);
  const names = [...readers.keys()];
  const kept = (nodes: readonly PlacementNode[]) => {
    const inUse = nodes.map(({ name, labels }) => ({ name, labels: { ...labels, ...fuseLabelsOf(live) } }));
    const left = new Set(nodesLeft(desired, live, inUse));
    const stay = inUse.filter(({ name }) => left.has(name));
    return { left: [...left], manifest: keeping(desired, live, stay) };
  };
  const seen = kept(names.map((name) => ({ name, labels: store.node(name)?.metadata.labels ?? {} })));
  const { left, manifest } = names.length === 0 || isPlacedAlike(seen.manifest, live) ? seen : kept(await nodesAfresh(client, names));
  if (left.length === 0) return { manifest: desired };
  return {
    manifest,
    waiting: {
      object: `${desired.kind}/${desired.metadata.name}`,
      nodes: left.map((name) => ({ name, pods: (readers.get(name) ?? []).map((pod) => pod.name) })),
    },
  };
}

async function nodesAfresh(client: KubeClient, names: readonly string[]): Promise<readonly PlacementNode[]> {
  const nodes: PlacementNode[] = [];
  for (let i = 0; i < names.length; i += NODES_AT_A_TIME) {
    const some = names
      .slice(i, i + NODES_AT_A_TIME)
      .map((name) => client.get(Node, { name }, { metadataOnly: true }).catch(ignoreNotFound));
    nodes.push(
      ...(await Promise.all(some)).flatMap((node) => (node ? { name: node.metadata.name, labels: node.metadata.labels ?? {} } : [])),
    );
  }
  return nodes;
}

/** The labels that the node plugin gives a node when a pod that was scheduled to it gets the volume. */
function fuseLabelsOf({ spec }: KubeObject): Readonly<Record<string, string>> {
  const { nodeSelector = {} } =
    (spec as { readonly template?: { readonly spec?: { nodeSelector?: Record<string, string> } } }).template?.spec ?? {};
  return Object.fromEntries(Object.entries(nodeSelector).filter(([key]) => key.startsWith(FUSE_NODE_LABELS)));
}

const nodeOf = ({ spec }: KubeObject): string | undefined => (spec as { readonly nodeName?: string } | undefined)?.nodeName;
