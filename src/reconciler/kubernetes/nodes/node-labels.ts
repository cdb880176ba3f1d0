import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '../../../kube/contract.ts';
import { ApiError, isNotFound } from '../../../kube/errors.ts';
import type { ObjectRef } from '../../../kube/events.ts';
import type { KubeObject, Log } from '../../../kube/types.ts';
import { messageOf } from '../../failures.ts';
import { createQueue, type Outcome } from '../../queue.ts';
import { cacheLabels, cacheTraces, type Cached, hasTrace, invalidLabels, type Labels } from './cache-labels.ts';
import { Node } from '../kinds.ts';
import { nodePatches, type Patch } from './node-patches.ts';
import { createMultiMap, createPlacements } from './placements.ts';
import type { Selects } from '../selector.ts';
import { flat } from '../store/sharing.ts';
import type { Moved, Store } from '../store/store.ts';

const SETTLE_MS = 100;
/** The pause between two writes to a node, unless another writer changes it: in a burst of set-ups its labels change with each one. */
const REST_MS = 1000;
const WRITES_AT_ONCE = 4;

export interface NodeLabeler {
  /** Labels the nodes of a runtime's workers. `workers` is the UID of its worker StatefulSet. */
  place(runtime: ObjectRef, plan: Cached, workers: string | undefined): void;
  /** Removes these labels from all nodes. `onNews` is called when no node has one any more, and when a node refuses. */
  remove(runtime: ObjectRef, traces: readonly string[], onNews: () => void): void;
  /** Drops everything about a runtime that no longer exists. */
  forget(uid: string): void;
  /** Nodes that have one of these labels, and why the last write for this runtime failed there. */
  carrying(uid: string, traces: readonly string[]): readonly Carrier[];
  /** A node changed, or pods of a workload came or went. */
  changed(moved: Moved): void;
  /** Every runtime has been placed, so that from now on datasets can be counted. */
  complete(): void;
  stop(): Promise<void>;
}
export interface Carrier {
  readonly node: string;
  readonly refusal?: string;
}
/** Reports on a runtime that a node does not get its labels. */
export type ReportOnNode = (runtime: ObjectRef, note: string) => void;

/**
 * Writes all labels of a node, decided in one place from the pods that run there. All changes within 100 ms, or within a second of the
 * node's last write, are one write. Only nodes with a change are compared. Each node is written by itself and has its own back-off; so has
 * the part of each runtime once a node has refused the whole. So one tenant's labels never delay another's.
 */
export function createNodeLabeler(
  client: KubeClient,
  store: Store,
  isExcluded: Selects,
  log: Log,
  report: ReportOnNode = () => {},
): NodeLabeler {
  const placements = createPlacements(store.pods);
  const going = new Map<string, { readonly traces: readonly string[]; readonly nodes: Set<string>; readonly onNews: () => void }>();
  const goingByTrace = createMultiMap();
  const refusals = new Map<string, ReadonlyMap<string, string>>();
  const dirty = new Set<string>();
  /** When each node was written last, and the labels that it had then. */
  const written = new Map<string, { readonly at: number; readonly labels?: Labels }>();
  /** Traces of runtimes that are new to this process: labels that an earlier process wrote may be on any node. */
  const unseen = new Set<string>();
  let isComplete = false;
  let timer: NodeJS.Timeout | undefined;
  let flushAt = Number.POSITIVE_INFINITY;
  const queue = createQueue({ concurrency: WRITES_AT_ONCE, work: (name, { failures }) => write(name, failures) });

  function look(nodes: Iterable<string>): void {
    for (const name of nodes) dirty.add(name);
    if (dirty.size + unseen.size > 0) flushIn(SETTLE_MS);
  }
  /** An earlier time wins: a node that waits for its pause delays no other. */
  function flushIn(ms: number): void {
    const at = Date.now() + ms;
    if (at >= flushAt) return;
    clearTimeout(timer);
    flushAt = at;
    timer = setTimeout(flush, ms).unref();
  }
  function flush(): void {
    flushAt = Number.POSITIVE_INFINITY;
    // Before `complete`, every node is compared in the end.
    if (isComplete && unseen.size > 0) for (const name of nodesWith([...unseen])) dirty.add(name);
    unseen.clear();
    const now = Date.now();
    for (const [name, { at }] of written) if (now - at >= REST_MS) written.delete(name);
    for (const name of dirty) {
      if (written.has(name)) continue;
      dirty.delete(name);
      queue.add(name);
    }
    if (dirty.size === 0) return;
    const first = Math.min(...[...dirty].map((name) => written.get(name)?.at ?? now));
    flushIn(Math.max(SETTLE_MS, first + REST_MS - now));
  }

  const labelsOf = (name: string): Labels => store.node(name)?.metadata.labels ?? {};
  function* everyNode(): Iterable<string> {
    for (const { metadata } of store.nodes()) yield metadata.name;
  }
  const nodesWith = (traces: readonly string[]): readonly string[] => {
    const there = traces.map(hasTrace);
    return [...everyNode()].filter((name) => {
      const labels = labelsOf(name);
      return there.some((isIn) => isIn(labels));
    });
  };

  const patchesFor = ({ metadata: { name, labels = {} } }: KubeObject): ReadonlyMap<string, Patch> =>
    nodePatches({
      labels,
      placements: placements.on(name),
      isExcluded: isExcluded(labels),
      isComplete,
      ownerOf: (trace) => goingByTrace.first(trace) ?? placements.ofTrace(trace)?.runtime.uid,
    });

  async function write(name: string, failures: number): Promise<Outcome> {
    const node = store.node(name);
    const patches = node ? patchesFor(node) : new Map<string, Patch>();
    const refused = new Map<string, string>();
    try {
      if (patches.size > 0) await patch(name, Object.assign({}, ...patches.values()));
    } catch (error) {
      const parts = patches.size > 1 && mayBeOfOne(error, failures) ? [...patches] : [];
      if (parts.length === 0) for (const of of patches.keys()) refused.set(of, messageOf(error));
      for (const [of, part] of parts) await patch(name, part).catch((again: unknown) => refused.set(of, messageOf(again)));
    }
    settle(name, refused, failures);
    return refused.size > 0 ? { kind: 'failed' } : { kind: 'settled' };
  }

  async function patch(name: string, labels: Patch): Promise<void> {
    written.set(name, { at: Date.now() });
    try {
      const { apiVersion, kind, metadata } = await client.patch(Node, { name }, { metadata: { labels } }, { type: 'merge' });
      const { uid, resourceVersion, labels: now } = metadata;
      written.set(name, { at: Date.now(), labels: now ?? {} });
      store.remember({
        apiVersion,
        kind,
        metadata: { name, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }), ...(now && { labels: now }) },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The watch may report the deletion later.
      const node = store.node(name);
      if (node) store.forget(node);
    }
  }

  /** Reports failures that last: the first one is often a race with another writer, and the next try is 50 ms away. */
  function settle(name: string, refused: ReadonlyMap<string, string>, failures: number): void {
    const before = refusals.get(name);
    if (refused.size > 0) refusals.set(name, refused);
    else refusals.delete(name);
    for (const [of, error] of refused) {
      log.warn({ node: name, runtime: of, failures: failures + 1, error }, 'node labels were not written');
      const runtime = placements.get(of)?.runtime;
      if (runtime && failures > 0)
        report(runtime, `labels of node ${name} were not written; the controller retries with back-off: ${error}`);
    }
    for (const [of, { nodes, onNews }] of going) {
      if (!nodes.has(name)) continue;
      if (!refused.has(of)) nodes.delete(name);
      if (nodes.size === 0 || before?.get(of) !== refused.get(of)) onNews();
    }
  }

  function forget(uid: string): void {
    look(placements.drop(uid));
    for (const trace of going.get(uid)?.traces ?? []) goingByTrace.delete(trace, uid);
    going.delete(uid);
  }

  function placed(runtime: ObjectRef, plan: Cached, labels: Labels, workers: string | undefined): void {
    const { uid = '' } = runtime;
    const before = placements.get(uid);
    const traces = cacheTraces(plan.engine, plan.dataset).map(flat);
    const isKnown = before?.traces.join() === traces.join();
    if (!isKnown) for (const trace of traces) unseen.add(trace);
    for (const label of invalidLabels(plan)) report(runtime, `nodes do not get the label ${label}: its key or its value is not valid`);
    const kept = isKnown ? before.traces : traces;
    const entries = Object.entries(labels).map(([key, value]) => [kept.find((trace) => trace === key) ?? key, value] as const);
    const placement = { runtime, of: plan, labels: entries, traces: kept, workers };
    look(placements.put(uid, placement));
  }

  look(everyNode());
  return {
    place(runtime, plan, workers) {
      const { uid = '' } = runtime;
      const before = placements.get(uid);
      const isPlaced = before !== undefined && before.workers === workers;
      // Most passes come with the plan that they came with before.
      if (isPlaced && before.of === plan) return;
      const labels = cacheLabels(plan);
      if (isPlaced && JSON.stringify(before.labels) === JSON.stringify(Object.entries(labels)))
        placements.put(uid, { ...before, of: plan });
      else placed(runtime, plan, labels, workers);
    },
    remove(runtime, traces, onNews) {
      const { uid = '' } = runtime;
      const before = going.get(uid);
      if (before?.traces.join() === traces.join() && before.nodes.size > 0) return;
      forget(uid);
      for (const trace of traces) goingByTrace.add(trace, uid);
      const nodes = new Set(nodesWith(traces));
      going.set(uid, { traces, nodes, onNews });
      for (const name of nodes) queue.add(name);
    },
    forget,
    carrying: (uid, traces) =>
      nodesWith(traces).map((node) => {
        const refusal = refusals.get(node)?.get(uid);
        return { node, ...(refusal && { refusal }) };
      }),
    changed(moved) {
      if (!('node' in moved)) return look(placements.moved(moved.workload));
      // Another writer changed the node: that is repaired at once.
      const { labels } = written.get(moved.node) ?? {};
      if (labels && !isDeepStrictEqual(labels, labelsOf(moved.node))) written.delete(moved.node);
      look([moved.node]);
    },
    complete() {
      isComplete = true;
      look(everyNode());
    },
    async stop() {
      clearTimeout(timer);
      await queue.stop();
    },
  };
}

/** Whether one part may be at fault: the API server rejected the whole. A busy server rejects all parts alike, so the whole is retried first. */
const mayBeOfOne = (error: unknown, failures: number): boolean =>
  error instanceof ApiError && (failures > 0 || [400, 403, 413, 422].includes(error.status));
