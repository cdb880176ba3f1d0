import {
  bytesLabel,
  cacheNodeLabel,
  cacheSizeNodeLabel,
  datasetCountNodeLabel,
  exclusiveNodeLabel,
  exclusiveNodeValue,
  fuseNodeLabel,
  type Identity,
  typedCacheNodeLabel,
} from '../../api/index.ts';
import type { BasePlan } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { Log } from '../../kube/types.ts';
import { Node } from './kinds.ts';
import type { Selects } from './selector.ts';
import type { Store } from './store.ts';

type Labels = Readonly<Record<string, string>>;
const SETTLE_MS = 100;
const RETRY_MS = 1000;

/** The labels of a node that holds a worker of this plan; source: Fluid's SyncScheduleInfoToCacheNodes. */
export function cacheLabels({
  type,
  dataset,
  placement,
  cacheOnNode: { memory, disk },
}: Pick<BasePlan, 'type' | 'dataset' | 'placement' | 'cacheOnNode'>): Labels {
  return {
    [typedCacheNodeLabel(type, dataset)]: 'true',
    [cacheNodeLabel(dataset)]: 'true',
    ...(memory !== undefined && { [cacheSizeNodeLabel(type, 'm', dataset)]: bytesLabel(memory) }),
    ...(disk !== undefined && { [cacheSizeNodeLabel(type, 'd', dataset)]: bytesLabel(disk) }),
    [cacheSizeNodeLabel(type, 't', dataset)]: bytesLabel((memory ?? 0) + (disk ?? 0)),
    ...(placement === 'Exclusive' && { [exclusiveNodeLabel]: exclusiveNodeValue(dataset) }),
  };
}
/** Every key that a node may carry for a dataset, whatever its cache was. */
export const keysOf = (type: string, dataset: Identity): readonly string[] => [
  typedCacheNodeLabel(type, dataset),
  cacheNodeLabel(dataset),
  ...(['m', 'd', 't'] as const).map((medium) => cacheSizeNodeLabel(type, medium, dataset)),
];

export interface NodeLabeler {
  /** A runtime that is set up, and the UID of its worker StatefulSet. */
  place(ownerUid: string, plan: BasePlan, workers: string | undefined): void;
  /** Takes everything of a dataset, the fuse label too, off all nodes. */
  remove(ownerUid: string, type: string, dataset: Identity): Promise<void>;
  /** The runtime is gone. */
  forget(ownerUid: string): void;
  /** Nodes that carry something of a dataset. */
  carrying(type: string, dataset: Identity): readonly string[];
  /** Something moved. */
  changed(): void;
  /** From now on every runtime is known, so that datasets can be counted. */
  complete(): void;
  stop(): void;
}

/** One place decides all labels of a node, from the pods that are there; what changed within 100 ms is one write to a node. */
export function createNodeLabeler(client: KubeClient, store: Store, isExcluded: Selects, log: Log): NodeLabeler {
  const placed = new Map<string, { readonly labels: Labels; readonly keys: readonly string[]; readonly workers: string | undefined }>();
  let timer: NodeJS.Timeout | undefined;
  let isComplete = false;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  function changed(afterMs = SETTLE_MS): void {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      running = running.then(writeAll).catch((error: unknown) => {
        log.warn({ error: String(error) }, 'node labels were not written');
        changed(RETRY_MS);
      });
    }, afterMs).unref();
  }

  /** By node: what it should carry of the runtimes that we know. */
  function wanted(): Map<string, Record<string, string>> {
    const nodes = new Map<string, Record<string, string>>();
    for (const { labels, workers } of placed.values()) {
      if (!workers) continue;
      for (const pod of store.pods(workers)) {
        const name = pod['nodeName'] as string | undefined;
        if (!name || pod['phase'] === 'Failed') continue;
        const node = nodes.get(name) ?? {};
        nodes.set(name, node);
        const isNew = !Object.keys(labels).some((key) => key in node && key !== exclusiveNodeLabel);
        Object.assign(node, labels);
        if (isNew) node[datasetCountNodeLabel] = String(Number(node[datasetCountNodeLabel] ?? 0) + 1);
      }
    }
    return nodes;
  }

  async function writeAll(): Promise<void> {
    const nodes = wanted();
    const known = new Set([...placed.values()].flatMap(({ keys }) => keys));
    const exclusives = new Set([...placed.values()].flatMap(({ labels }) => labels[exclusiveNodeLabel] ?? []));
    for (const node of store.nodes()) {
      const { name, labels = {} } = store.node(node.metadata.name)?.metadata ?? node.metadata;
      const want = nodes.get(name) ?? {};
      const patch: Record<string, string | null> = {};
      for (const [key, value] of Object.entries(want)) {
        if (key === datasetCountNodeLabel && !isComplete) continue;
        if (labels[key] !== value && !isExcluded(labels)) patch[key] = value;
      }
      for (const key of Object.keys(labels)) if (known.has(key) && !(key in want)) patch[key] = null;
      const exclusive = labels[exclusiveNodeLabel];
      if (exclusive !== undefined && exclusives.has(exclusive) && want[exclusiveNodeLabel] === undefined) patch[exclusiveNodeLabel] = null;
      if (isComplete && labels[datasetCountNodeLabel] !== undefined && want[datasetCountNodeLabel] === undefined)
        patch[datasetCountNodeLabel] = null;
      await write(name, patch);
    }
  }

  async function write(name: string, labels: Readonly<Record<string, string | null>>): Promise<void> {
    if (Object.keys(labels).length === 0) return;
    try {
      const { apiVersion, kind, metadata } = await client.patch(Node, { name }, { metadata: { labels } }, { type: 'merge' });
      store.remember({
        apiVersion,
        kind,
        metadata: {
          name,
          ...(metadata.uid && { uid: metadata.uid }),
          ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }),
          ...(metadata.labels && { labels: metadata.labels }),
        },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  const carrying = (type: string, dataset: Identity): readonly string[] => {
    const keys = [...keysOf(type, dataset), fuseNodeLabel(dataset)];
    const value = exclusiveNodeValue(dataset);
    return [...store.nodes()].flatMap(({ metadata: { name } }) => {
      const labels = store.node(name)?.metadata.labels ?? {};
      return keys.some((key) => key in labels) || labels[exclusiveNodeLabel] === value ? [name] : [];
    });
  };

  return {
    place(ownerUid, plan, workers) {
      const before = placed.get(ownerUid);
      const labels = cacheLabels(plan);
      if (before?.workers === workers && JSON.stringify(before?.labels) === JSON.stringify(labels)) return;
      placed.set(ownerUid, { labels, keys: keysOf(plan.type, plan.dataset), workers });
      changed();
    },
    async remove(ownerUid, type, dataset) {
      placed.delete(ownerUid);
      // What is being written now may still have been decided with it.
      await running;
      const value = exclusiveNodeValue(dataset);
      for (const name of carrying(type, dataset)) {
        const labels = store.node(name)?.metadata.labels ?? {};
        const keys = [...keysOf(type, dataset), fuseNodeLabel(dataset)].filter((key) => key in labels);
        await write(
          name,
          Object.fromEntries([...keys, ...(labels[exclusiveNodeLabel] === value ? [exclusiveNodeLabel] : [])].map((key) => [key, null])),
        );
      }
      changed();
    },
    forget: (ownerUid) => placed.delete(ownerUid),
    carrying,
    changed: () => changed(),
    complete() {
      isComplete = true;
      changed();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
