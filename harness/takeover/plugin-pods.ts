/**
 * The node plugins of Fluid and of Sluice on simulated nodes, as far as the API server sees them: pods, and drivers that the kubelet has
 * registered. Sluice's pod waits while Fluid's serves. Labels and mounts are node-plugin.ts' (harness/flows).
 */
import type { KubeClient } from '../../src/kube/contract.ts';
import { ignoreNotFound, isNotFound } from '../../src/kube/errors.ts';
import { type KubeObject, resourceType } from '../../src/kube/types.ts';
import { Node, Pod } from '../../src/planning/kinds.ts';
import { annotationsFor } from '../control-plane/behaviours.ts';
import { type Repeated, repeat } from '../control-plane/repeat.ts';
import type { ProgramPod } from '../pods/pod-shape.ts';

const CSINode = resourceType('storage.k8s.io', 'CSINode', 'csinodes', false);
const DRIVER = 'fuse.csi.fluid.io';
const [FLUID, SLUICE] = ['csi-nodeplugin-fluid', 'sluice-csi'];
const TICK_MS = 200;

export interface PluginPods extends Repeated {
  /** States that must never be: two plugins that serve on a node. */
  readonly violations: string[];
}

export const isPlugin = ({ metadata: { name } }: KubeObject): boolean => name.startsWith(FLUID) || name.startsWith(SLUICE);

/** Plays until it is stopped. */
export function playPluginPods(client: KubeClient, namespace: string, onFault: (error: unknown) => void): PluginPods {
  const violations: string[] = [];
  /** UIDs of the pods that serve. */
  const serving = new Set<string>();

  async function serve(pod: ProgramPod, others: readonly ProgramPod[]): Promise<void> {
    const { uid, name } = pod.metadata;
    if (serving.has(uid)) return;
    const busy = others.find((other) => serving.has(other.metadata.uid));
    if (busy && name.startsWith(SLUICE)) return;
    if (busy) violations.push(`${name} removed the socket of ${busy.metadata.name}`);
    serving.add(uid);
    await client
      .patch(Pod, { namespace, name }, { metadata: { annotations: annotationsFor(pod, { as: 'Running' }, new Date()) } }, { type: 'merge' })
      .catch(ignoreNotFound);
  }

  async function look(): Promise<void> {
    // The cast: what the API server stores.
    const pods = ((await client.list(Pod, { namespace })).items as readonly ProgramPod[]).filter(isPlugin);
    for (const uid of serving) if (!pods.some(({ metadata }) => metadata.uid === uid)) serving.delete(uid);
    for (const pod of pods) {
      const { nodeName } = pod.spec;
      const others = pods.filter((other) => other !== pod && other.spec.nodeName === nodeName);
      if (pod.metadata.deletionTimestamp !== undefined) {
        serving.delete(pod.metadata.uid);
        await client
          .raw('DELETE', `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}`, { body: { gracePeriodSeconds: 0 } })
          .catch(ignoreNotFound);
      } else if (pod.status?.podIP !== undefined) await serve(pod, others);
    }
    for (const { metadata } of (await client.list(Node, {})).items) {
      const has = pods.some(({ spec, metadata: { uid } }) => spec.nodeName === metadata.name && serving.has(uid));
      await register(client, metadata.name, has);
    }
  }

  return { violations, ...repeat(look, TICK_MS, onFault) };
}

async function register(client: KubeClient, name: string, has: boolean): Promise<void> {
  const spec = { drivers: has ? [{ name: DRIVER, nodeID: name, topologyKeys: [] }] : [] };
  try {
    const live = await client.get(CSINode, { name });
    const { drivers } = live['spec'] as { readonly drivers?: readonly object[] | null };
    if ((drivers ?? []).length === spec.drivers.length) return;
    await client.patch(CSINode, { name }, { spec }, { type: 'merge' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.create(CSINode, { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec });
  }
}
