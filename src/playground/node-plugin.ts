import type { ApiServer } from '../api-server/index.ts';
import { controllerClient } from '../api-server/controllers/client.ts';
import type { Task } from '../api-server/controllers/index.ts';
import { claimsOf } from '../api-server/controllers/indexes.ts';
import { hasEnded, phaseOf } from '../api-server/pods.ts';
import type { PodSpec } from '../api/index.ts';
import { labelOf } from '../csi/stage/fuse-label.ts';
import type { KubeObject } from '../kube/types.ts';
import { CustomResourceDefinition } from '../api-server/kinds.ts';

/** The CSI plugin of each node, as far as the cluster sees it; nothing is mounted. */
export interface NodePlugin {
  /** Starts the FUSE clients of a pod's Datasets on its node; returns the claims that cannot be mounted yet: not bound, or without their client. */
  startClients(pod: KubeObject): readonly string[];
  /** Removes labels of nodes that no pod needs any more. */
  readonly labels: Task;
}

const specOf = (pod: KubeObject): PodSpec => pod['spec'] as PodSpec;

export function createNodePlugin(server: ApiServer): NodePlugin {
  const client = controllerClient(server, 'fuse.csi.fluid.io');
  const { indexes } = client;

  function startClients(pod: KubeObject): readonly string[] {
    const { volumes = [], nodeName = '' } = specOf(pod);
    const { namespace = '' } = pod.metadata;
    return volumes
      .flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])
      .filter((claim) => {
        const found = server.get('PersistentVolumeClaim', namespace, claim);
        if (!found || phaseOf(found) !== 'Bound') return true;
        const key = labelFor(namespace, claim);
        return key !== undefined && !startClient(nodeName, key);
      });
  }

  /** Labels a node, which brings a client there; whether it runs already. */
  function startClient(nodeName: string, key: string): boolean {
    const node = server.get('Node', undefined, nodeName);
    if (node && node.metadata.labels?.[key] !== 'true') client.patch(node, { metadata: { labels: { [key]: 'true' } } });
    return indexes.podsBySelector.of(`${nodeName} ${key}`).some((fuse) => phaseOf(fuse) === 'Running');
  }

  /** The label by which a node has the FUSE client of a Dataset; undefined for a claim that is none of a Dataset. */
  function labelFor(namespace: string, claim: string): string | undefined {
    if (!server.get(CustomResourceDefinition.kind, undefined, 'datasets.data.fluid.io')) return undefined;
    const dataset = server.get('Dataset', namespace, claim);
    return dataset && labelBy(dataset);
  }

  /** Labels of nodes whose pods have ended. */
  function unlabel(node: KubeObject): boolean {
    const { labels = {}, name } = node.metadata;
    const there = Object.keys(labels).filter((key) => key.startsWith('fluid.io/f-'));
    if (there.length === 0) return false;
    const wanted = new Set(
      indexes.podsByNode
        .of(name)
        .filter((pod) => !hasEnded(pod))
        .flatMap(claimsOf)
        .map((claim) => labelFor(...(claim.split('/') as [string, string]))),
    );
    const left = there.filter((key) => !wanted.has(key));
    return left.length > 0 && client.patch(node, { metadata: { labels: Object.fromEntries(left.map((key) => [key, null])) } });
  }

  const labels: Task = {
    kinds: ['Node'],
    work: unlabel,
    concerned({ object, old }) {
      if (old?.kind === 'Dataset' && !object)
        return client.all('Node').filter((node) => node.metadata.labels?.[labelBy(old) ?? ''] !== undefined);
      if (old?.kind !== 'Pod' || old.apiVersion !== 'v1' || (object && !hasEnded(object)) || claimsOf(old).length === 0) return [];
      return [client.get('Node', undefined, specOf(old).nodeName ?? '')];
    },
  };
  return { startClients, labels };
}

const labelBy = ({ metadata: { namespace = '', name, uid = '', labels = {} } }: KubeObject): string | undefined =>
  labelOf({ namespace, name }, { uid, labels });
