import type { Runtime, Settings } from '../../src/constructs/index.ts';
import type { Log } from '../../src/kube/types.ts';
import { KEYS, shareOf } from '../../src/kube/turns/fair-queue.ts';
import type { PodExec } from '../../src/kube/exec.ts';
import { kubernetesCluster, type KubernetesCluster } from '../../src/reconciler/kubernetes/kubernetes-cluster.ts';
import { createNodeLabeler, type NodeLabeler } from '../../src/reconciler/kubernetes/nodes/node-labels.ts';
import { helpersOf } from '../../src/reconciler/operations/job-view.ts';
import { createStore, type Store } from '../../src/reconciler/kubernetes/store/store.ts';
import { operationKeyOf } from '../../src/reconciler/operations/references.ts';
import { reconcileOperation } from '../../src/reconciler/operations/reconcile-operation.ts';
import { isSettled } from '../../src/reconciler/operations/state.ts';
import { createQueue, type Outcome, type Queue } from '../../src/kube/turns/queue.ts';
import { reconcile } from '../../src/reconciler/reconcile.ts';
import { type Key, keyOf, keyOfText, keyText, type OperationKey } from '../../src/reconciler/world.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { counted, type Tally } from './cost.ts';

/** One process of the controller, which leads: the real store, labeler, cluster and queue on the API server in memory. */
export interface Process {
  readonly store: Store;
  readonly queue: Queue;
  /** Passes since it began. */
  readonly passes: number;
  /** Ends the process on the spot: nothing that it still does has an effect. */
  kill(): void;
}

export interface ProcessOptions {
  readonly server: ApiServer;
  readonly tally: Tally;
  readonly runtimes: readonly Runtime[];
  readonly exec: PodExec;
  readonly probeMs: number;
}

export const SETTINGS: Settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const silent = (): void => {};
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

export async function startProcess({ server, tally, runtimes, exec, probeMs }: ProcessOptions): Promise<Process> {
  const state = { dead: false, passes: 0 };
  const client = counted(server.client({ fieldManager: 'sluice', readsOnly: true, deadline: () => (state.dead ? 0 : Infinity) }), tally);
  const ended = new AbortController();
  let queue: Queue | undefined;
  const add = (key: Key | OperationKey) => queue?.add(keyText(key));
  // Each of them needs the next, and is called only once all are there.
  const store: Store = createStore({
    client,
    runtimes,
    log,
    onKey: add,
    onGone: (key, uid) => cluster.gone(key, uid),
    onPlacement: (moved) => labeler.changed(moved),
  });
  const labeler: NodeLabeler = createNodeLabeler(client, store, { isExcluded: () => false, counts: true }, log);
  const cluster: KubernetesCluster = kubernetesCluster({
    client,
    store,
    labeler,
    events: { emit: silent, flush: async () => {}, dropped: 0 },
    exec: (...call) => (state.dead ? Promise.reject(new Error('killed')) : exec(...call)),
    settings: SETTINGS,
    portPolicy: 'bitmap',
    probeMs,
    wake: add,
    signal: ended.signal,
    log,
  });
  await store.synced;
  const first = new Set<string>();
  for (const dataset of store.datasets()) first.add(keyText(keyOf(dataset)));
  for (const { object } of store.allRuntimes()) first.add(keyText(keyOf(object)));
  for (const operation of store.operations.values())
    if (!isSettled(operation) || helpersOf(store, operation).length > 0) first.add(keyText(operationKeyOf(operation)));

  async function pass(text: string, reportInMs: number): Promise<Outcome> {
    state.passes++;
    const key = keyOfText(text);
    const wait = Math.max(0, reportInMs);
    return 'kind' in key ? reconcileOperation(cluster.operations, key, wait) : reconcile(cluster, key, wait);
  }
  queue = createQueue({
    concurrency: KEYS,
    mostOfOne: shareOf(KEYS),
    work: (key, { heldMs, unsettled }) => pass(key, Math.min(10_000, 1000 + 50 * (unsettled - 1)) - heldMs),
    onDone(key) {
      if (first.delete(key) && first.size === 0) labeler.complete();
    },
  });
  if (first.size === 0) labeler.complete();
  for (const key of first) queue.add(key);
  return {
    store,
    queue,
    get passes() {
      return state.passes;
    },
    kill() {
      state.dead = true;
      ended.abort(new Error('killed'));
      void labeler.stop();
      void queue.stop();
      store.stop();
    },
  };
}
