/**
 * The node plugin on simulated nodes, as far as the API server sees it: labels that bring FUSE clients to nodes, events of recovered mounts,
 * and a log. Nothing is mounted. What the plugin writes to the API server, its own code writes.
 */
import { appendFileSync } from 'node:fs';
import { csiDriver, FUSE_NODE_LABELS } from '../../src/api/names.ts';
import { DEFAULT_NAMESPACE } from '../../src/install/fluid.ts';
import { kubeCluster, type KubeCluster } from '../../src/csi/cluster/kube-node-cluster.ts';
import { recordResults } from '../../src/csi/recovery/events.ts';
import { fuseOf } from '../../src/csi/stage/fuse-label.ts';
import { parseVolume, type CsiVolume } from '../../src/csi/volume.ts';
import type { KubeClient } from '../../src/kube/client/kube-client.ts';
import { isAlreadyExists } from '../../src/kube/errors.ts';
import { type KubeObject, resourceType, silent } from '../../src/kube/types.ts';
import { type Repeated, repeat } from '../control-plane/repeat.ts';

/** The flows look for Fluid's plugin by its name and by the switch of recovery, which Sluice's plugin always does. */
export const PLUGIN_POD = 'csi-nodeplugin-fluid-0';
export const PLUGIN_CONTAINER = 'plugins';
const RECOVERY = '--feature-gates=FuseRecovery=true';

const POD = resourceType('', 'Pod', 'pods');
const NODE = resourceType('', 'Node', 'nodes', false);
const VOLUME = resourceType('', 'PersistentVolume', 'persistentvolumes', false);
const DEFAULTS = { mountRoot: '/runtime-mnt', method: 'bind' } as const;
const TICK_MS = 500;

interface Pod extends KubeObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status?: { readonly phase?: string };
}
interface Volume extends KubeObject {
  readonly spec: {
    readonly csi?: { readonly driver: string; readonly volumeAttributes?: Readonly<Record<string, string>> };
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  };
}
/** A volume in a pod. */
interface Published {
  readonly pod: Pod;
  readonly node: string;
  readonly handle: string;
  readonly volume: CsiVolume;
}

/** Creates the pod that the flows look for, unless it exists. */
export async function createPluginPod(client: KubeClient): Promise<void> {
  await client
    .create(POD, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: PLUGIN_POD, namespace: DEFAULT_NAMESPACE },
      spec: { containers: [{ name: PLUGIN_CONTAINER, image: 'simulated', args: [RECOVERY] }] },
    })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}

/** Plays until it is stopped. @param log file of the plugin's log @param onFault receives what a look failed of; the next one follows */
export function playNodePlugin(client: KubeClient, log: string, onFault: (error: unknown) => void): Repeated {
  appendFileSync(log, '');
  return repeat(
    looks(client, (line) => appendFileSync(log, `${JSON.stringify(line)}\n`)),
    TICK_MS,
    onFault,
  );
}

function looks(client: KubeClient, say: (line: object) => void): () => Promise<void> {
  const clusters = new Map<string, KubeCluster>();
  const clusterOf = (nodeId: string): KubeCluster => {
    const known = clusters.get(nodeId) ?? kubeCluster({ client, nodeId, log: silent });
    clusters.set(nodeId, known);
    return known;
  };
  /** By node and label: the client that was last seen to run. */
  const clients = new Map<string, string>();
  const linked = new Set<string>();

  /** The label that brings the volume's client to the node. */
  async function serve({ node, pod, handle, volume }: Published, pods: readonly Pod[]): Promise<string | undefined> {
    const cluster = clusterOf(node);
    const { runtime, nodeLabel } = await fuseOf(cluster, handle, volume);
    if (nodeLabel === undefined) return undefined;
    if (!(await cluster.hasLabel(nodeLabel))) await cluster.labelNode({ [nodeLabel]: 'true' });
    const fuse = pods.find(({ spec, status }) => spec.nodeName === node && spec.nodeSelector?.[nodeLabel] && status?.phase === 'Running');
    if (!fuse) return nodeLabel;
    const [place, uid = ''] = [`${node} ${nodeLabel} ${pod.metadata.uid}`, fuse.metadata.uid];
    const before = clients.get(place);
    clients.set(place, uid);
    const result = { runtime, pod: `${pod.metadata.namespace}/${pod.metadata.name}`, fusePath: volume.fusePath, dropped: 0 };
    if (before !== undefined && before !== uid) recordResults({ cluster, nodeId: node }, [result]);
    if (volume.method === 'symlink' && !linked.has(place)) say({ level: 'info', source: volume.source, msg: 'Creating symlink' });
    if (volume.method === 'symlink') linked.add(place);
    return nodeLabel;
  }

  return async () => {
    // The casts: the parts that are read of what these collections hold.
    const pods = ((await client.list(POD)).items as readonly Pod[]).filter(isAlive);
    const volumes = (await client.list(VOLUME)).items as readonly Volume[];
    const wanted = new Set<string>();
    for (const each of published(pods, volumes)) wanted.add(`${each.node} ${await serve(each, pods)}`);
    for (const { metadata } of (await client.list(NODE)).items) {
      const left = Object.keys(metadata.labels ?? {}).filter(
        (key) => key.startsWith(FUSE_NODE_LABELS) && !wanted.has(`${metadata.name} ${key}`),
      );
      if (left.length > 0) await clusterOf(metadata.name).labelNode(Object.fromEntries(left.map((key) => [key, null])));
    }
  };
}

const isAlive = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

const published = (pods: readonly Pod[], volumes: readonly Volume[]): readonly Published[] =>
  pods.flatMap((pod) =>
    (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => {
      const { nodeName: node } = pod.spec;
      const found = volumes.find(
        ({ spec: { csi, claimRef } }) =>
          csi?.driver === csiDriver && claimRef?.namespace === pod.metadata.namespace && claimRef?.name === claim?.claimName,
      );
      if (!claim || !node || !found) return [];
      return [{ pod, node, handle: found.metadata.name, volume: parseVolume(found.spec.csi?.volumeAttributes ?? {}, DEFAULTS) }];
    }),
  );
