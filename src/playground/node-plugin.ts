import type { ApiServer } from '../api-server/index.ts';
import { controllerClient } from '../api-server/controllers/client.ts';
import { hasEnded, phaseOf } from '../api-server/pods.ts';
import type { PodSpec } from '../api-server/controllers/scheduling.ts';
import { labelOf } from '../csi/stage/fuse-label.ts';
import type { KubeObject } from '../kube/types.ts';
import { CustomResourceDefinition } from '../api-server/kinds.ts';

/** What the CSI plugin of each node does to the cluster; nothing is mounted. */
export interface NodePlugin {
  /** Which claim of a Dataset, or other claim, a pod waits for: one that is not bound, or whose FUSE client does not run on the pod's node. */
  waitsFor(pod: KubeObject): string | undefined;
  /** Removes labels of nodes that no pod needs any more. Returns whether there were any. */
  unlabel(): boolean;
}

const specOf = (pod: KubeObject): PodSpec => pod['spec'] as PodSpec;

export function createNodePlugin(server: ApiServer): NodePlugin {
  const client = controllerClient(server, 'fuse.csi.fluid.io');

  function waitsFor(pod: KubeObject): string | undefined {
    const { volumes = [], nodeName = '' } = specOf(pod);
    return volumes
      .flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])
      .find((claim) => {
        const { namespace } = pod.metadata;
        const found = server.get('PersistentVolumeClaim', namespace, claim);
        if (!found || phaseOf(found) !== 'Bound') return true;
        const key = labelFor(namespace ?? '', claim);
        if (key === undefined) return false;
        const node = server.get('Node', undefined, nodeName);
        if (node && node.metadata.labels?.[key] !== 'true') client.patch(node, { metadata: { labels: { [key]: 'true' } } });
        return !server.all('Pod').some((fuse) => isFuseOf(fuse, key, nodeName));
      });
  }

  /** The label by which a node has the FUSE client of a Dataset; undefined for a claim that is none of a Dataset. */
  function labelFor(namespace: string, claim: string): string | undefined {
    if (!server.get(CustomResourceDefinition.kind, undefined, 'datasets.data.fluid.io')) return undefined;
    const dataset = server.get('Dataset', namespace, claim);
    return dataset && labelOf({ namespace, name: claim }, { uid: dataset.metadata.uid ?? '', labels: dataset.metadata.labels ?? {} });
  }

  function unlabel(): boolean {
    const wanted = new Set(
      server.all('Pod').flatMap((pod) => {
        const { volumes = [], nodeName } = specOf(pod);
        return hasEnded(pod)
          ? []
          : volumes.flatMap(({ persistentVolumeClaim: claim }) =>
              claim ? `${nodeName} ${labelFor(pod.metadata.namespace ?? '', claim.claimName)}` : [],
            );
      }),
    );
    return server.all('Node').some((node) => {
      const { labels = {}, name } = node.metadata;
      const left = Object.keys(labels).filter((key) => key.startsWith('fluid.io/f-') && !wanted.has(`${name} ${key}`));
      return left.length > 0 && client.patch(node, { metadata: { labels: Object.fromEntries(left.map((key) => [key, null])) } });
    });
  }

  return { waitsFor, unlabel };
}

/** A FUSE client that runs: its DaemonSet goes by the label. */
const isFuseOf = (pod: KubeObject, label: string, node: string): boolean =>
  specOf(pod).nodeSelector?.[label] === 'true' && specOf(pod).nodeName === node && phaseOf(pod) === 'Running';
