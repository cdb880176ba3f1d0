import { systemClock } from '../kube/clock.ts';
import { createClient, type KubeClient } from '../kube/client/kube-client.ts';
import { elect, type LeaderElection } from '../kube/lease/lease.ts';
import { createStore, type Store } from './kubernetes/store/store.ts';
import { createLeadership, type LeaderOptions, type Leadership } from './leadership.ts';
import { keyText } from './world.ts';

export type { ApplicationSettings } from './applications/sidecars-to-stop.ts';

export interface ControllerOptions extends LeaderOptions {
  /** Absent: no election; this is the only controller. */
  readonly election?: {
    readonly namespace: string;
    readonly name: string;
    readonly identity: string;
    readonly alive: (holder: string) => boolean;
  };
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

/** Watches → keys → reconcile. Every candidate watches, so that a standby takes over with its caches warm; only the leader acts. */
export function startController(options: ControllerOptions): Controller {
  const { connection, runtimes, election: candidacy, log, clock = systemClock, metrics } = options;
  const onRequest = metrics && { onRequest: metrics.requested };
  let election: LeaderElection | undefined;
  let leases: KubeClient | undefined;
  let leadership: Leadership | undefined;
  let stopped = false;
  const failed = Promise.withResolvers<unknown>();
  const fence = candidacy && { deadline: () => election?.writeDeadline() ?? 0 };
  const client = createClient(connection, { fieldManager: 'sluice', clock, ...onRequest, ...fence });
  const store = createStore({
    client,
    runtimes,
    ...(options.namespaces && { namespaces: options.namespaces }),
    log,
    clock,
    onKey: (key) => add(keyText(key)),
    onGone: (key, uid) => leadership?.gone(key, uid),
    onPlacement: (change) => leadership?.placementChanged(change),
  });

  const add = (key: string): void => leadership?.add(key);

  function lead(): void {
    if (stopped || leadership) return;
    leadership = createLeadership(client, store, options, { identity: candidacy?.identity ?? 'sluice', ...fence, wake: add });
    metrics?.led(true);
    leadership.begin();
  }

  async function stepDown(reason: string): Promise<void> {
    const past = leadership;
    if (!past) return;
    leadership = undefined;
    metrics?.led(false);
    log.info({ reason }, 'no longer leading');
    await past.end();
  }

  const begun = store.synced.then(() => {
    if (stopped) return;
    if (!candidacy) return lead();
    leases = createClient(connection, { fieldManager: 'sluice', userAgent: 'sluice', maxConnections: 2, clock, ...onRequest });
    election = elect(leases, { ...candidacy, onStarted: lead, onStopped: stepDown, onFailed: failed.resolve, clock, log });
  });
  begun.catch(failed.resolve);

  return {
    store,
    synced: begun,
    failed: failed.promise,
    get isLeader() {
      return leadership !== undefined && (election?.isLeader ?? true);
    },
    async stop() {
      stopped = true;
      // Before the lease is released, so that no write of this process follows the next leader's first write.
      if (election) await election.stop();
      else await stepDown('stopped');
      store.stop();
      await Promise.all([client.close(), leases?.close()]);
    },
  };
}
