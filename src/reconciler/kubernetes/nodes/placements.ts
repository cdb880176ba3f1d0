import type { ObjectRef } from '../../../kube/events/events.ts';
import type { Cached } from './cache-labels.ts';
import type { Store } from '../store/store.ts';

/** A runtime whose workers' nodes get its labels. */
export interface Placement {
  readonly runtime: ObjectRef;
  /** The plan that the labels were made from; the same plan has the same labels. */
  readonly of?: Cached;
  /** Keys and values. As fields of an object, unique names would cost V8 a hidden class each. */
  readonly labels: readonly (readonly [key: string, value: string])[];
  /** IDs of all labels that its nodes may have for it, now or from before. */
  readonly labelIds: readonly string[];
  /** UID of its worker StatefulSet. */
  readonly workers: string | undefined;
}

/** Which runtimes have workers on which nodes, computed for one workload at a time. Methods that return nodes return those to compare. */
export interface Placements {
  get(runtime: string): Placement | undefined;
  put(runtime: string, placement: Placement): readonly string[];
  drop(runtime: string): readonly string[];
  /** Pods in this namespace that name the workload were created, deleted, or ended. */
  moved(workload: string, namespace: string | undefined): readonly string[];
  on(node: string): Iterable<Placement>;
  /** A placement that a label with this ID may belong to. */
  ofLabelId(labelId: string): Placement | undefined;
}

export function createPlacements(podsOf: Store['pods']): Placements {
  const placed = new Map<string, { readonly placement: Placement; readonly nodes: readonly string[] }>();
  const byWorkload = new Map<string, string>();
  const byNode = new Map<string, Set<string>>();
  const byLabelId = createMultiMap();

  function set(runtime: string, placement: Placement | undefined, nodes: readonly string[]): readonly string[] {
    const before = placed.get(runtime);
    for (const node of before?.nodes ?? []) {
      const there = byNode.get(node);
      there?.delete(runtime);
      if (there?.size === 0) byNode.delete(node);
    }
    for (const node of nodes) byNode.set(node, (byNode.get(node) ?? new Set()).add(runtime));
    if (before?.placement.labelIds !== placement?.labelIds) {
      for (const labelId of before?.placement.labelIds ?? []) byLabelId.delete(labelId, runtime);
      for (const labelId of placement?.labelIds ?? []) byLabelId.add(labelId, runtime);
    }
    if (before?.placement.workers !== placement?.workers) {
      if (before?.placement.workers) byWorkload.delete(before.placement.workers);
      if (placement?.workers) byWorkload.set(placement.workers, runtime);
    }
    if (placement) placed.set(runtime, { placement, nodes });
    else placed.delete(runtime);
    return [...new Set([...(before?.nodes ?? []), ...nodes])];
  }

  const nodesOf = ({ workers, runtime: { namespace } }: Placement): readonly string[] => [
    ...new Set(
      (workers ? podsOf({ uid: workers, namespace }) : []).flatMap((pod) =>
        pod['nodeName'] && pod['phase'] !== 'Failed' ? String(pod['nodeName']) : [],
      ),
    ),
  ];

  return {
    get: (runtime) => placed.get(runtime)?.placement,
    put: (runtime, placement) => set(runtime, placement, nodesOf(placement)),
    drop: (runtime) => set(runtime, undefined, []),
    moved(workload, namespace) {
      const runtime = byWorkload.get(workload) ?? '';
      const before = placed.get(runtime);
      if (!before || before.placement.runtime.namespace !== namespace) return [];
      const nodes = nodesOf(before.placement);
      const both = set(runtime, before.placement, nodes);
      return both.filter((node) => nodes.includes(node) !== before.nodes.includes(node));
    },
    *on(node) {
      for (const runtime of byNode.get(node) ?? []) {
        const known = placed.get(runtime);
        if (known) yield known.placement;
      }
    },
    ofLabelId: (labelId) => placed.get(byLabelId.first(labelId) ?? '')?.placement,
  };
}

/** Several values a key. Most keys have one value, which is stored without a list: there are as many keys as labels in the cluster. */
export function createMultiMap() {
  const map = new Map<string, string | readonly string[]>();
  const valuesOf = (key: string): readonly string[] => [map.get(key) ?? []].flat();
  return {
    first: (key: string): string | undefined => valuesOf(key)[0],
    add(key: string, value: string): void {
      const values = valuesOf(key);
      if (values.length === 0) map.set(key, value);
      else if (!values.includes(value)) map.set(key, [...values, value]);
    },
    delete(key: string, value: string): void {
      const left = valuesOf(key).filter((each) => each !== value);
      if (left.length > 0) map.set(key, left);
      else map.delete(key);
    },
  };
}
