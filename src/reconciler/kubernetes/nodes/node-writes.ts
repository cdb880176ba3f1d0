import { FUSE_NODE_RECORDS } from '../../../api/index.ts';
import type { Timers } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { ApiError, isNotFound, messageOf } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { createQueue, type Outcome, settled } from '../../../kube/turns/queue.ts';
import { createFightDetector } from '../apply/fights.ts';
import { Node } from '../../../planning/kinds.ts';
import type { Store } from '../store/store.ts';
import type { Labels } from './cache-labels.ts';
import { type Patch, putsBack } from './node-patches.ts';

const WRITES_AT_ONCE = 4;

/** Error messages by UID of the runtime whose labels a node did not get. */
export type RefusedLabels = ReadonlyMap<string, string>;

/**
 * The writes to nodes, four at a time. Each node has its own back-off; so has the part of each runtime once the API server has rejected the
 * whole. So one tenant's labels never delay another's.
 */
export interface NodeWrites {
  add(node: string): void;
  /** Why the last write for this runtime failed, if it did. */
  refusal(node: string, runtime: string): string | undefined;
  stop(): Promise<void>;
}
export interface NodeWritesOptions {
  readonly client: KubeClient;
  readonly store: Store;
  readonly clock: Timers;
  /** The changes to a node's labels, by UID of runtime, at the time of the write. */
  readonly patches: (node: KubeObject) => ReadonlyMap<string, Patch>;
  /** A request began, or ended with these labels. */
  readonly onWrite: (node: string, labels?: Labels) => void;
  /** All requests of a write ended, of which `failures` before it failed. `before` is what failed in the last one. */
  readonly onEnd: (node: string, refused: RefusedLabels, before: RefusedLabels | undefined, failures: number) => void;
}

export function createNodeWrites({ client, store, clock, patches: patchesFor, onWrite, onEnd }: NodeWritesOptions): NodeWrites {
  const refusals = new Map<string, RefusedLabels>();
  const fights = createFightDetector(clock);
  const queue = createQueue({ concurrency: WRITES_AT_ONCE, work: (name, { failures }) => write(name, failures), clock });

  async function write(name: string, failures: number): Promise<Outcome> {
    const node = store.node(name);
    const patches = node ? patchesFor(node) : new Map<string, Patch>();
    const refused = new Map<string, string>();
    try {
      if (node && patches.size > 0) await patchWhole(node, Object.assign({}, ...patches.values()));
    } catch (error) {
      const parts = patches.size > 1 && mayBeOfOne(error, failures) ? [...patches] : [];
      if (parts.length === 0) for (const of of patches.keys()) refused.set(of, messageOf(error));
      for (const [of] of parts) await writePart(name, of).catch((again: unknown) => refused.set(of, messageOf(again)));
    }
    const before = refusals.get(name);
    if (refused.size > 0) refusals.set(name, refused);
    else refusals.delete(name);
    onEnd(name, refused, before, failures);
    return refused.size > 0 ? { kind: 'failed' } : settled();
  }

  /** The same change again and again: another writer owns the labels of this node, and each write wakes all that watch nodes. */
  async function patchWhole(node: KubeObject, marks: Patch): Promise<void> {
    const { name } = node.metadata;
    const rival = fights.repaired(name, JSON.stringify(marks), Object.keys(marks));
    if (rival) throw new Error(`another writer has undone ${rival.join(', ')} ${fights.limit} times within a minute`);
    try {
      await patch(node, marks);
    } catch (error) {
      fights.failed(name);
      throw error;
    }
  }

  /** Decided anew: a part before it may have been answered with what another writer has changed. */
  async function writePart(name: string, of: string): Promise<void> {
    const node = store.node(name);
    const part = node && patchesFor(node).get(of);
    if (part) await patch(node, part);
  }

  async function patch({ metadata: seen }: KubeObject, marks: Patch): Promise<void> {
    const { name } = seen;
    onWrite(name);
    try {
      const { apiVersion, kind, metadata } = await client.patch(Node, { name }, { metadata: changes(marks, seen) }, { type: 'merge' });
      const { uid, resourceVersion, labels: now, annotations } = metadata;
      onWrite(name, now ?? {});
      store.remember({
        apiVersion,
        kind,
        metadata: {
          name,
          ...(uid && { uid }),
          ...(resourceVersion && { resourceVersion }),
          ...(now && { labels: now }),
          ...(annotations && { annotations }),
        },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The watch may report the deletion later.
      const node = store.node(name);
      if (node) store.forget(node);
    }
  }

  return {
    add: (node) => queue.add(node),
    refusal: (node, runtime) => refusals.get(node)?.get(runtime),
    stop: () => queue.stop(),
  };
}

/**
 * A merge patch of the metadata. One that puts a label back names the version that lacks it: if the plugin removes label and record meanwhile,
 * they stay removed. threat-model: keeps
 */
function changes(marks: Patch, { resourceVersion }: KubeObject['metadata']): object {
  const isRecord = ([key]: readonly [string, unknown]) => key.startsWith(FUSE_NODE_RECORDS);
  const records = Object.entries(marks).filter(isRecord);
  return {
    labels: Object.fromEntries(Object.entries(marks).filter((mark) => !isRecord(mark))),
    ...(records.length > 0 && { annotations: Object.fromEntries(records) }),
    ...(putsBack(marks) && { resourceVersion }),
  };
}

/** Whether one part may be at fault: the API server rejected the whole. A busy server rejects all parts alike, so the whole is retried first. */
const mayBeOfOne = (error: unknown, failures: number): boolean =>
  error instanceof ApiError && (failures > 0 || [400, 403, 413, 422].includes(error.status));
