/** Nodes and the plugins on them. */
import type { KubeClient } from '../../kube/contract.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { type KubeObject, type ResourceType, resourceType } from '../../kube/types.ts';
import type { FluidInstallation } from '../fluid/installation.ts';
import { fluidNames } from '../fluid/names.ts';
import type { PodView } from '../steps/pod-view.ts';
import type { PluginNode } from './world.ts';

const CSINode = resourceType('storage.k8s.io', 'CSINode', 'csinodes', false);

/** Nodes whose kubelet has registered a plugin of the driver; undefined as `listIfKnown`. */
export async function namesWithDriver(client: KubeClient): Promise<ReadonlySet<string> | undefined> {
  const nodes = await listIfKnown(client, CSINode, {});
  const hasDriver = ({ spec }: KubeObject) =>
    ((spec ?? {}) as { readonly drivers?: readonly { readonly name: string }[] }).drivers?.some(({ name }) => name === fluidNames.driver);
  return nodes && new Set(nodes.filter(hasDriver).map(({ metadata }) => metadata.name));
}

/** undefined if the API server has no such kind, or the user no such right. */
export async function listIfKnown(
  client: KubeClient,
  type: ResourceType,
  selection: { readonly namespace?: string; readonly labelSelector?: string },
) {
  try {
    return (await client.list(type, selection)).items;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

/** The nodes on which a plugin runs, by their names. */
export function nodesOf(
  nodes: readonly KubeObject[],
  { nodePlugin }: FluidInstallation,
  own: readonly PodView[],
  withDriver: ReadonlySet<string> | undefined,
): readonly PluginNode[] {
  const fluids = new Map((nodePlugin?.pods ?? []).map((pod) => [pod.node, pod]));
  const ours = new Map(own.map((pod) => [pod.node, pod]));
  return nodes
    .map(({ metadata: { name }, status }) => {
      const [fluid, sluice] = [fluids.get(name), ours.get(name)];
      return {
        name,
        isReady: isNodeReady(status),
        hasDriver: withDriver?.has(name),
        ...(fluid && { fluid: { name: fluid.name, uid: fluid.uid } }),
        ...(sluice && { sluice }),
      };
    })
    .filter(({ fluid, sluice }) => fluid ?? sluice)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

const isNodeReady = (status: unknown): boolean =>
  ((status ?? {}) as { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }).conditions?.some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  ) ?? false;
