import { systemClock, type Timers } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import type { ObjectRef } from '../../../kube/events/events.ts';
import type { Log } from '../../../kube/types.ts';
import { cacheLabels, cacheLabelIds, type Cached, invalidLabels, type Labels } from './cache-labels.ts';
import { createDueNodes } from './due-nodes.ts';
import { createFuseLabels, recordedOn } from './fuse-labels.ts';
import { createLabelledNodes } from './labelled-nodes.ts';
import { nodePatches } from './node-patches.ts';
import { createNodeWrites, type RefusedLabels } from './node-writes.ts';
import { createPlacements, type Placement } from './placements.ts';
import { createRefusedNodes } from './refused-nodes.ts';
import { createRemovals } from './removals.ts';
import type { Selects } from '../../../kube/selector.ts';
import { flat } from '../../../planning/sharing.ts';
import type { PlacementChange, Store } from '../store/store.ts';

export interface NodeLabeler {
  /** Labels the nodes of a runtime's workers. `workers` is the UID of its worker StatefulSet. */
  place(runtime: ObjectRef, plan: Cached, workers: string | undefined): void;
  /** Puts back this label of a runtime's fuse pods on nodes that lose it while their plugin records it. */
  keep(runtime: ObjectRef, fuseLabel: string): void;
  /** Removes these labels from all nodes. `onNews` is called when no node has one any more, and when a node refuses. */
  remove(runtime: ObjectRef, labelIds: readonly string[], onNews: () => void): void;
  /** Drops everything about a runtime that no longer exists. */
  forget(uid: string): void;
  /** Nodes that do not get the labels of a runtime, and why; undefined if all do. */
  refused(uid: string): string | undefined;
  /** Nodes that have one of these labels, and why the last write for this runtime failed there. */
  carrying(uid: string, labelIds: readonly string[]): readonly Carrier[];
  /** A node changed, or pods of a workload came or went. */
  changed(change: PlacementChange): void;
  /** Every runtime has been placed, so that from now on datasets can be counted. */
  complete(): void;
  stop(): Promise<void>;
}
export interface Carrier {
  readonly node: string;
  readonly refusal?: string;
}
export interface NodeLabeling {
  /** Nodes that get no labels. */
  readonly isExcluded: Selects;
  /** Whether the number of Datasets on a node is written: only who serves all of them knows it. */
  readonly counts: boolean;
}
export interface NodeReports {
  /** A runtime has a label that no node can have. */
  onInvalidLabel(runtime: ObjectRef, note: string): void;
  /** `refused` of this runtime says something else from now on. */
  onRefusals(runtime: ObjectRef): void;
}

/**
 * Writes all labels of a node, decided in one place from the pods that run there (`placements`) and from the runtimes that are deleted
 * (`removals`). All changes within 100 ms, or within a second of the node's last write, are one write (`due`, `writes`). Only nodes with a
 * change are compared.
 */
export function createNodeLabeler(
  client: KubeClient,
  store: Store,
  { isExcluded, counts }: NodeLabeling,
  log: Log,
  reports: NodeReports = { onInvalidLabel() {}, onRefusals() {} },
  clock: Timers = systemClock,
): NodeLabeler {
  const placements = createPlacements(store.pods);
  const removals = createRemovals();
  const fuses = createFuseLabels();
  const labelled = createLabelledNodes(store);
  const refusedNodes = createRefusedNodes();
  let isComplete = false;
  const writes = createNodeWrites({
    client,
    store,
    clock,
    patches(node) {
      const { name, labels = {} } = node.metadata;
      return nodePatches({
        labels,
        recorded: recordedOn(node),
        placements: placements.on(name),
        isExcluded: isExcluded(labels),
        counts: isComplete && counts,
        ownerOf: (labelId) => removals.ownerOf(labelId) ?? placements.ofLabelId(labelId)?.runtime.uid,
        fuseOf: fuses.ownerOf,
      });
    },
    onWrite: (node, labels) => due.wrote(node, labels),
    onEnd(node, refused, before, failures) {
      reportRefused(node, refused, before, failures);
      removals.wrote(node, refused, before);
    },
  });
  // Before `complete`, every node is compared in the end.
  const due = createDueNodes((labelIds) => (isComplete ? labelled.carrying(labelIds) : []), writes.add, clock);

  function reportRefused(name: string, refused: RefusedLabels, before: RefusedLabels | undefined, failures: number): void {
    for (const [of, error] of refused) log.warn({ node: name, runtime: of, failures: failures + 1, error }, 'node labels were not written');
    for (const of of new Set([...refused.keys(), ...(before?.keys() ?? [])])) {
      // A first failure is no news, and ends none.
      if (refused.has(of) && failures === 0) continue;
      const runtime = fuses.runtime(of) ?? placements.get(of)?.runtime;
      if (refusedNodes.set(of, name, runtime && refused.get(of)) && runtime) reports.onRefusals(runtime);
    }
  }

  function forget(uid: string): void {
    due.add(placements.drop(uid));
    fuses.drop(uid);
    refusedNodes.forget(uid);
    removals.forget(uid);
  }

  /** A runtime that serves another Dataset of the name has other labels: nobody would know whose those of the former one were. */
  function renamed(uid: string, before: readonly string[], now: readonly string[]): void {
    const former = before.filter((labelId) => !now.includes(labelId) && placements.ofLabelId(labelId) === undefined);
    const nodes = labelled.carrying(former);
    if (nodes.length === 0) return;
    removals.begin(uid, former, nodes, () => {});
    for (const name of nodes) writes.add(name);
  }

  due.add(labelled.all());
  return {
    place(runtime, plan, workers) {
      const { uid = '' } = runtime;
      const before = placements.get(uid);
      const isPlaced = before !== undefined && before.workers === workers;
      // Most passes come with the plan that they came with before.
      if (isPlaced && before.of === plan) return;
      const labels = cacheLabels(plan);
      if (isPlaced && JSON.stringify(before.labels) === JSON.stringify(Object.entries(labels)))
        return void placements.put(uid, { ...before, of: plan });
      const placement = placementOf(runtime, plan, labels, workers, before);
      // A runtime that is new to this process: labels that an earlier process wrote may be on any node.
      if (placement.labelIds !== before?.labelIds) due.addCarriers(placement.labelIds);
      for (const label of invalidLabels(plan))
        reports.onInvalidLabel(runtime, `nodes do not get the label ${label}: its key or its value is not valid`);
      due.add(placements.put(uid, placement));
      if (before && before.labelIds !== placement.labelIds) renamed(uid, before.labelIds, placement.labelIds);
    },
    keep(runtime, fuseLabel) {
      if (!fuses.put(runtime, fuseLabel)) return;
      due.addCarriers([fuseLabel]);
      due.add([]);
    },
    remove(runtime, labelIds, onNews) {
      const { uid = '' } = runtime;
      if (removals.isUnderWay(uid, labelIds)) return;
      forget(uid);
      const nodes = labelled.carrying(labelIds);
      removals.begin(uid, labelIds, nodes, onNews);
      for (const name of nodes) writes.add(name);
    },
    forget,
    refused: refusedNodes.text,
    carrying: (uid, labelIds) =>
      labelled.carrying(labelIds).map((node) => {
        const refusal = writes.refusal(node, uid);
        return { node, ...(refusal && { refusal }) };
      }),
    changed(change) {
      if ('node' in change) due.changed(change.node, labelled.labels(change.node));
      else due.add(placements.moved(change.workload, change.namespace));
    },
    complete() {
      isComplete = true;
      due.add(labelled.all());
    },
    async stop() {
      due.stop();
      await writes.stop();
    },
  };
}

/** With the strings of the placement before it where they are the same: there are as many as labels in the cluster. */
function placementOf(
  runtime: ObjectRef,
  plan: Cached,
  labels: Labels,
  workers: string | undefined,
  before: Placement | undefined,
): Placement {
  const labelIds = cacheLabelIds(plan.engine, plan.dataset).map(flat);
  const kept = before?.labelIds.join() === labelIds.join() ? before.labelIds : labelIds;
  const entries = Object.entries(labels).map(([key, value]) => [kept.find((labelId) => labelId === key) ?? key, value] as const);
  return { runtime, of: plan, labels: entries, labelIds: kept, workers };
}
