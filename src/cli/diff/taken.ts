import { Dataset } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { type RuntimeCandidate, choose } from '../../planning/choose.ts';
import { keyOf, keyText } from '../../planning/key.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { refOf } from '../input/read.ts';
import type { Lookup } from '../synth/lookup.ts';
import type { RenderedRuntime } from '../synth/render.ts';
import type { Change } from '../../planning/diff/change.ts';
import { nothing } from './changes.ts';

/** A runtime that the cluster does not have would be the youngest. */
const LAST = '9999';

/**
 * Finds for what the controller would write nothing: for a runtime whose Dataset another one of the cluster serves.
 *
 * @param known all runtimes of the cluster
 */
export function takenIn(cluster: Pick<Lookup, 'find'>, definitions: readonly Runtime[], known: readonly KubeObject[]) {
  const byKey = Map.groupBy(known, (each) => keyText(keyOf(each)));
  return async ({ key, dataset, object }: Pick<RenderedRuntime, 'key' | 'dataset' | 'object'>): Promise<Change | undefined> => {
    const there = byKey.get(keyText(key)) ?? [];
    if (there.every(({ kind }) => kind === object.kind)) return undefined;
    const { metadata } = object;
    const own = there.find(({ kind }) => kind === object.kind) ?? { ...object, metadata: { ...metadata, creationTimestamp: LAST } };
    const candidates = [own, ...there.filter(({ kind }) => kind !== object.kind)].flatMap((each): readonly RuntimeCandidate[] => {
      const definition = definitions.find(({ resource }) => resource.kind === each.kind);
      // The cast: all of these kinds are runtimes.
      return definition ? [{ definition, object: each as unknown as RuntimeObject }] : [];
    });
    // The cast: what the cluster has of this kind. Its status says which runtime serves it.
    const live = (await cluster.find(Dataset.kind, key.namespace, key.name)) as unknown as Dataset | undefined;
    const { chosen } = choose(live ?? dataset, candidates);
    if (!chosen || chosen.object.kind === object.kind) return undefined;
    return { ...nothing(object), action: 'refuse', note: `would do nothing: ${refOf(chosen.object)} serves the Dataset` };
  };
}
