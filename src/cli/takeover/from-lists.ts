import { operationKinds } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ClusterLookup } from '../synth/lookup.ts';

/** Objects of kinds that are listed are not read one by one, of which a cluster may have hundreds. */
export function fromLists(cluster: ClusterLookup): ClusterLookup {
  const LISTED: ReadonlySet<string> = new Set(['Dataset', ...operationKinds.map(({ kind }) => kind)]);
  const byKind = new Map<string, Promise<ReadonlyMap<string, KubeObject>>>();
  const idOf = (namespace: string | undefined, name: string) => `${namespace ?? ''}/${name}`;
  const all = (kind: string) => {
    const known =
      byKind.get(kind) ??
      cluster.list(kind).then((items) => new Map(items.map((each) => [idOf(each.metadata.namespace, each.metadata.name), each])));
    byKind.set(kind, known);
    return known;
  };
  return {
    ...cluster,
    find: async (kind, namespace, name) =>
      LISTED.has(kind) || kind.endsWith('Runtime') ? (await all(kind)).get(idOf(namespace, name)) : cluster.find(kind, namespace, name),
  };
}
