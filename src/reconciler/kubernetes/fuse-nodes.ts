import type { Manifest } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isPlacedAlike, keeping, nodesLeft } from '../fuse-placement.ts';
import type { LiveObject, Waiting } from '../world.ts';
import { fromPods, mounts } from './pod-pages.ts';
import type { Store } from './store.ts';

/**
 * The fuse DaemonSet as it may be applied now: a node on which a pod mounts the claim stays selected. Pods are read afresh, since a reader
 * that the watches do not show yet would lose its file system; and only where the placement changes.
 */
export async function withNodesInUse(
  client: KubeClient,
  store: Pick<Store, 'node'>,
  { namespace, name: claim }: { readonly namespace: string; readonly name: string },
  desired: Manifest,
  live: LiveObject,
): Promise<{ readonly manifest: Manifest; readonly waiting?: Waiting }> {
  if (isPlacedAlike(desired, live)) return { manifest: desired };
  const pods = await fromPods(client, namespace, (pod) => {
    const node = nodeOf(pod);
    return node !== undefined && mounts(pod, claim) ? [{ node, name: pod.metadata.name }] : [];
  });
  const readers = Map.groupBy(pods, ({ node }) => node);
  const inUse = [...readers.keys()].map((name) => ({ name, labels: store.node(name)?.metadata.labels ?? {} }));
  const left = nodesLeft(desired, live, inUse);
  if (left.length === 0) return { manifest: desired };
  return {
    manifest: keeping(
      desired,
      live,
      inUse.filter(({ name }) => left.includes(name)),
    ),
    waiting: {
      object: `${desired.kind}/${desired.metadata.name}`,
      nodes: left.map((name) => ({ name, pods: (readers.get(name) ?? []).map((pod) => pod.name) })),
    },
  };
}

const nodeOf = ({ spec }: KubeObject): string | undefined => (spec as { readonly nodeName?: string } | undefined)?.nodeName;
