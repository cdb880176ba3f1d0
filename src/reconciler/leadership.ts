import type { Runtime, Settings } from '../constructs/index.ts';
import type { ClusterConnection } from '../kube/client/connection.ts';
import { type Clock, systemClock } from '../kube/clock.ts';
import type { KubeClient } from '../kube/contract.ts';
import { eventSink } from '../kube/events/events.ts';
import { KEYS, shareOf } from '../kube/turns/fair-queue.ts';
import type { Log } from '../kube/types.ts';
import type { ApplicationSettings } from './applications/sidecars-to-stop.ts';
import { stopSidecars } from './kubernetes/applications/applications.ts';
import type { PodExec } from '../kube/exec.ts';
import { type ExecFence, podExec } from '../kube/client/pod-exec.ts';
import { kubernetesCluster } from './kubernetes/kubernetes-cluster.ts';
import { createNodeLabeler, type NodeReports } from './kubernetes/nodes/node-labels.ts';
import { helpersOf } from './operations/job-view.ts';
import type { PortPolicy } from '../planning/ports.ts';
import type { Selects } from '../kube/selector.ts';
import { operationKeyOf } from './operations/references.ts';
import type { PlacementChange, Store } from './kubernetes/store/store.ts';
import type { Metrics } from './metrics.ts';
import { isSettled } from './operations/state.ts';
import { passOver } from './pass.ts';
import { createQueue } from '../kube/turns/queue.ts';
import { type Key, keyOf, keyText, type OperationKey } from './world.ts';

export interface LeaderOptions {
  readonly connection: ClusterConnection;
  readonly runtimes: readonly Runtime[];
  /** The only namespaces that it serves, while another controller serves the others. Absent: all. */
  readonly namespaces?: readonly string[];
  readonly settings: Settings;
  readonly portPolicy?: PortPolicy;
  /** How often caches are asked how full they are. Default 60,000; 0 = never. */
  readonly probeMs?: number;
  /** How often Secrets that are written, and their sources, are read again. Default 300,000; 0 = never. */
  readonly secretMs?: number;
  /** A Dataset may refer to any other one, as in Fluid. Default: one of another namespace must allow it. */
  readonly openReferences?: boolean;
  /** Nodes that never get cache labels. */
  readonly excludeNodes?: Selects;
  /** Which pods keep their sidecars. */
  readonly applications?: ApplicationSettings;
  /** Keys at a time. Default 32, 24 of them of one namespace. */
  readonly concurrency?: number;
  /** How commands in pods are run. Default: through the API server. */
  readonly exec?: (fence: ExecFence) => PodExec;
  /** Default: the work queue itself. */
  readonly createQueue?: typeof createQueue;
  readonly log: Log;
  /** Default: the system's. */
  readonly clock?: Clock;
  readonly metrics?: Metrics;
}

/** The work of the leader alone: the queue of keys, the cluster that their passes write to, the labels of nodes, and events. */
export interface Leadership {
  /** Adds every key, the oldest first. Called once. */
  begin(): void;
  add(key: string): void;
  /** A runtime or an operation was deleted. */
  gone(key: Key | OperationKey, uid: string): void;
  /** A node changed, or pods of a workload came or went. */
  placementChanged(change: PlacementChange): void;
  /** Ends the commands that run in pods. Resolves when the passes under way have ended and their events are sent. */
  end(): Promise<void>;
}

/**
 * @param leader its name in events, the deadline of its writes, and how it adds a key
 */
export function createLeadership(
  client: KubeClient,
  store: Store,
  options: LeaderOptions,
  leader: { readonly identity: string; readonly deadline?: () => number; readonly wake: (key: string) => void },
): Leadership {
  const { connection, runtimes, settings, log, metrics, clock = systemClock, concurrency = KEYS } = options;
  const { identity, deadline, wake } = leader;
  const events = eventSink(client, { reportingController: 'data.fluid.io/sluice', reportingInstance: identity, log, clock });
  const ended = new AbortController();
  const nodeReports: NodeReports = {
    onInvalidLabel: (regarding, note) => events.emit({ regarding, type: 'Warning', reason: 'NodeNotLabelled', note }),
    onRefusals: ({ namespace = '', name }) => wake(keyText({ namespace, name })),
  };
  const isExcluded = options.excludeNodes ?? (() => false);
  const labeler = createNodeLabeler(client, store, { isExcluded, counts: !options.namespaces }, log, nodeReports, clock);
  const { exec: execWithin = (fence: ExecFence) => podExec(connection, fence) } = options;
  const exec = execWithin({ signal: ended.signal, clock, ...(deadline && { deadline }) });
  const cluster = kubernetesCluster({
    client,
    store,
    labeler,
    events,
    exec,
    settings,
    log,
    clock,
    portPolicy: options.portPolicy ?? 'random',
    probeMs: options.probeMs ?? 60_000,
    ...(options.secretMs !== undefined && { secretMs: options.secretMs }),
    ...(options.openReferences && { openReferences: true }),
    wake: (key) => wake(keyText(key)),
    ...(metrics && { onRun: metrics.operationEnded, onRead: metrics.read }),
    signal: ended.signal,
  });
  const first = new Set([...keysByAge(store), ...operationKeys(store), ...store.datasetsOfLeftVolumes()].map(keyText));
  const queue = (options.createQueue ?? createQueue)({
    concurrency,
    mostOfOne: shareOf(concurrency),
    clock,
    work: (key, { heldMs, unsettled, failures }) =>
      passOver(key, { cluster, store, runtimes, log, clock, ...(metrics && { metrics }) }, patience(unsettled) - heldMs, failures),
    onAdded: () => metrics?.added(),
    onDone(key, outcome, waitedMs) {
      metrics?.waited(waitedMs / 1000);
      metrics?.queued(queue.depth, queue.running);
      if (outcome.kind === 'failed') metrics?.retried();
      if (first.delete(key) && first.size === 0) labeler.complete();
    },
  });

  let applications: { stop(): Promise<void> } | undefined;

  return {
    begin() {
      log.info({ keys: first.size }, 'leading');
      if (first.size === 0) labeler.complete();
      for (const key of first) queue.add(key);
      applications = stopSidecars({
        client,
        ...(options.namespaces && { namespaces: options.namespaces }),
        exec,
        settings: options.applications ?? {},
        events,
        log,
        clock,
        signal: ended.signal,
        onStop: metrics?.sidecarStopped,
      });
    },
    add: (key) => queue.add(key),
    gone: (key, uid) => cluster.gone(key, uid),
    placementChanged: (change) => labeler.changed(change),
    async end() {
      ended.abort(new Error('this process is no longer the leader'));
      await Promise.all([labeler.stop(), queue.stop(), applications?.stop()]);
      await events.flush();
    },
  };
}

/** How long a passing hold goes unreported, in ms. In a burst everything takes longer, and reports of it would add to that. */
const patience = (unsettled: number): number => Math.min(10_000, 1000 + 50 * (unsettled - 1));

/** The oldest first, in the order of their creation. */
function keysByAge(store: Store): readonly Key[] {
  const ages = new Map<string, { key: Key; age: string }>();
  for (const { object } of store.allRuntimes())
    ages.set(keyText(keyOf(object)), { key: keyOf(object), age: object.metadata.creationTimestamp ?? '' });
  for (const dataset of store.datasets())
    ages.set(keyText(keyOf(dataset)), { key: keyOf(dataset), age: dataset.metadata.creationTimestamp ?? '' });
  return [...ages.values()].toSorted((a, b) => a.age.localeCompare(b.age)).map(({ key }) => key);
}

const operationKeys = (store: Store): readonly OperationKey[] =>
  [...store.operations.values()].flatMap((operation) =>
    isSettled(operation) && helpersOf(store, operation).length === 0 ? [] : operationKeyOf(operation),
  );
