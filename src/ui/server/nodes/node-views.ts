import type { LiveFleet } from '../fleet/fleet.ts';
import { DATASETS } from '../fleet/fleet-text.ts';
import { Node, Pod } from '../../../planning/kinds.ts';
import type { NodePod, NodeView } from '../../wire.ts';
import type { Sight } from '../viewers/sight.ts';
import { CSINode, type KeptPod, type NodeWatches } from './watches.ts';

type Growing = Omit<NodeView, 'caches' | 'clients'> & { readonly caches: NodePod[]; readonly clients: NodePod[] };

/** Nodes with the caches and clients there that the viewer may see. Without the right to list nodes, those of the pods, by name. */
export function nodeViews(watches: NodeWatches, fleet: LiveFleet, { sees }: Sight): readonly NodeView[] {
  const views = new Map<string, Growing>();
  const mayKnowPlugin = sees(CSINode.plural, '');
  if (sees(Node.plural, ''))
    for (const { metadata, ready, cordoned } of watches.nodes()) {
      const registered = mayKnowPlugin ? (watches.csiNode(metadata.name)?.registered ?? false) : undefined;
      views.set(metadata.name, {
        name: metadata.name,
        ready,
        cordoned,
        ...(registered !== undefined && { plugin: registered }),
        caches: [],
        clients: [],
      });
    }
  const owners = ownersIn(fleet, sees);
  for (const pod of watches.pods()) {
    const owner = owners.get(`${pod.metadata.namespace ?? ''}/${pod.owner}`);
    if (!owner || pod.node === '' || !sees(Pod.plural, pod.metadata.namespace ?? '')) continue;
    const view = views.get(pod.node) ?? { name: pod.node, caches: [], clients: [] };
    views.set(pod.node, view);
    view[owner.list].push(nodePod(pod, owner.dataset));
  }
  return [...views.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

const nodePod = ({ metadata: { name }, ready }: KeptPod, dataset: string): NodePod => ({ dataset, pod: name, ready });

/** The Datasets of workloads, by `<namespace>/<kind> <name>`: a pod's labels could be anybody's, and its owner is set by Kubernetes. */
function ownersIn(
  fleet: LiveFleet,
  sees: Sight['sees'],
): ReadonlyMap<string, { readonly dataset: string; readonly list: 'caches' | 'clients' }> {
  const owners = new Map<string, { readonly dataset: string; readonly list: 'caches' | 'clients' }>();
  for (const [dataset, kept] of fleet.datasets) {
    const { namespace, name } = kept.row;
    if (!sees(DATASETS, namespace)) continue;
    const names = fleet.serving(kept, sees)?.definition.workloads(name);
    if (!names) continue;
    owners.set(`${namespace}/StatefulSet ${names.master}`, { dataset, list: 'caches' });
    owners.set(`${namespace}/StatefulSet ${names.worker}`, { dataset, list: 'caches' });
    owners.set(`${namespace}/DaemonSet ${names.fuse}`, { dataset, list: 'clients' });
  }
  return owners;
}
