import type { Runtime, Settings } from '../constructs/index.ts';
import { createClient, type KubeClient } from '../kube/kube-client.ts';
import type { ClusterConnection } from '../kube/connection.ts';
import { type EventSink, eventSink } from '../kube/events.ts';
import { elect, type LeaderElection } from '../kube/lease.ts';
import { KEYS, shareOf } from '../kube/turnstile.ts';
import type { Log } from '../kube/types.ts';
import { messageOf } from './failures.ts';
import { type KubernetesCluster, kubernetesCluster } from './kubernetes/kubernetes-cluster.ts';
import { createNodeLabeler, type NodeLabeler } from './kubernetes/nodes/node-labels.ts';
import { podExec } from './kubernetes/commands/pod-exec.ts';
import type { PortPolicy } from './kubernetes/plans/ports.ts';
import type { Selects } from './kubernetes/selector.ts';
import { createStore, type Store } from './kubernetes/store/store.ts';
import type { Metrics } from './metrics.ts';
import { createQueue, type Outcome, type Queue } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { type Key, keyOf, keyOfText, keyText } from './world.ts';

export interface ControllerOptions {
  readonly connection: ClusterConnection;
  readonly runtimes: readonly Runtime[];
  readonly settings: Settings;
  readonly portPolicy?: PortPolicy;
  /** How often caches are asked how full they are. Default 60,000; 0 = never. */
  readonly probeMs?: number;
  /** How often Secrets that are written, and their sources, are read again. Default 300,000; 0 = never. */
  readonly secretMs?: number;
  /** Nodes that never get cache labels. */
  readonly excludeNodes?: Selects;
  /** Absent: no election; this is the only controller. */
  readonly election?: {
    readonly namespace: string;
    readonly name: string;
    readonly identity: string;
    readonly alive: (holder: string) => boolean;
  };
  /** Keys at a time. Default 32, 24 of them of one namespace. */
  readonly concurrency?: number;
  readonly log: Log;
  readonly metrics?: Metrics;
}
export interface Controller {
  readonly store: Store;
  readonly isLeader: boolean;
  /** Resolves when every watch has its first list. */
  readonly synced: Promise<unknown>;
  /** Resolves with the error when it cannot go on: it no longer holds the lease, and its process has to end. */
  readonly failed: Promise<unknown>;
  stop(): Promise<void>;
}

/** What only the leader has. */
interface Reign {
  readonly cluster: KubernetesCluster;
  readonly queue: Queue;
  readonly labeler: NodeLabeler;
  readonly events: EventSink;
  /** Ends the commands that run in pods. */
  readonly ended: AbortController;
}

/** Watches → keys → reconcile. Every candidate watches, so that a standby takes over with its caches warm; only the leader acts. */
export function startController(options: ControllerOptions): Controller {
  const { connection, runtimes, settings, election: candidacy, log, metrics, concurrency = KEYS } = options;
  const onRequest = metrics && { onRequest: metrics.requested };
  let election: LeaderElection | undefined;
  let leases: KubeClient | undefined;
  let reign: Reign | undefined;
  let stopped = false;
  const failed = Promise.withResolvers<unknown>();
  const fence = candidacy && { deadline: () => election?.writeDeadline() ?? 0 };
  const client = createClient(connection, { fieldManager: 'sluice', ...onRequest, ...fence });
  const store = createStore({
    client,
    runtimes,
    log,
    onKey: (key) => add(keyText(key)),
    onGone: (key, uid) => reign?.cluster.gone(key, uid),
    onPlacement: (moved) => reign?.labeler.changed(moved),
  });

  const add = (key: string): void => reign?.queue.add(key);

  function lead(): void {
    if (stopped || reign) return;
    const events = eventSink(client, {
      reportingController: 'data.fluid.io/sluice',
      reportingInstance: candidacy?.identity ?? 'sluice',
      log,
    });
    const ended = new AbortController();
    const labeler = createNodeLabeler(client, store, options.excludeNodes ?? (() => false), log, (regarding, note) =>
      events.emit({ regarding, type: 'Warning', reason: 'NodeNotLabelled', note }),
    );
    const cluster = kubernetesCluster({
      client,
      store,
      labeler,
      events,
      exec: podExec(connection, { signal: ended.signal, ...fence }),
      settings,
      log,
      portPolicy: options.portPolicy ?? 'random',
      probeMs: options.probeMs ?? 60_000,
      ...(options.secretMs !== undefined && { secretMs: options.secretMs }),
      wake: (key) => add(keyText(key)),
      signal: ended.signal,
    });
    const first = new Set(keysByAge(store).map(keyText));
    const queue = createQueue({
      concurrency,
      mostOfOne: shareOf(concurrency),
      work: (key, { heldMs, unsettled, failures }) => pass(cluster, key, patience(unsettled) - heldMs, failures),
      onAdded: () => metrics?.added(),
      onDone(key, outcome, waitedMs) {
        metrics?.waited(waitedMs / 1000);
        metrics?.queued(queue.depth, queue.running);
        if (outcome.kind === 'failed') metrics?.retried();
        if (first.delete(key) && first.size === 0) labeler.complete();
      },
    });
    reign = { cluster, queue, labeler, events, ended };
    metrics?.led(true);
    log.info({ keys: first.size }, 'leading');
    if (first.size === 0) labeler.complete();
    for (const key of first) queue.add(key);
  }

  async function step(reason: string): Promise<void> {
    const past = reign;
    if (!past) return;
    reign = undefined;
    metrics?.led(false);
    log.info({ reason }, 'no longer leading');
    past.ended.abort(new Error('this process is no longer the leader'));
    await Promise.all([past.labeler.stop(), past.queue.stop()]);
    await past.events.flush();
  }

  async function pass(cluster: KubernetesCluster, text: string, reportInMs: number, failures: number): Promise<Outcome> {
    const key = keyOfText(text);
    if ('kind' in key) throw new Error(`no reconciler exists for ${key.kind} yet`);
    const began = performance.now();
    try {
      if (store.runtimes(key).length === 0) for (const { type } of runtimes) metrics?.forgotten(type, text);
      const next = await reconcile(cluster, key, Math.max(0, reportInMs));
      const outcome: Outcome =
        next === 'on-change'
          ? { kind: 'settled' }
          : 'again' in next
            ? { kind: 'settled', againMs: next.again }
            : { kind: 'waiting', afterMs: next.after };
      metrics?.reconciled(outcome.kind === 'waiting' ? 'requeue_after' : 'success', (performance.now() - began) / 1000);
      return outcome;
    } catch (error) {
      metrics?.reconciled('error', (performance.now() - began) / 1000);
      // The first failure is often a race with another writer, and the next pass is 50 ms away.
      log[failures === 0 ? 'info' : 'warn']({ key: text, failures: failures + 1, error: messageOf(error) }, 'reconcile failed');
      for (const { runtime } of failures === 0 ? [] : store.runtimes(key)) metrics?.setupFailed(runtime.type, text);
      return { kind: 'failed' };
    }
  }

  const begun = store.synced.then(() => {
    if (stopped) return;
    if (!candidacy) return lead();
    leases = createClient(connection, { fieldManager: 'sluice', userAgent: 'sluice', maxConnections: 2, ...onRequest });
    election = elect(leases, { ...candidacy, onStarted: lead, onStopped: step, onFailed: failed.resolve, log });
  });
  begun.catch(failed.resolve);

  return {
    store,
    synced: begun,
    failed: failed.promise,
    get isLeader() {
      return reign !== undefined && (election?.isLeader ?? true);
    },
    async stop() {
      stopped = true;
      // Before the lease is released, so that no write of this process follows the next leader's first write.
      if (election) await election.stop();
      else await step('stopped');
      store.stop();
      await Promise.all([client.close(), leases?.close()]);
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
