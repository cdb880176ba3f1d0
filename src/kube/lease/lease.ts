/**
 * Leader election on a Lease (docs/running.md, "Replicas"): of several replicas, one writes.
 *
 * Invariants:
 * L1. Nothing is written later than `writeWindowMs` after the last renewal that succeeded was sent.
 * L2. The window counts from when a renewal was sent, never from its answer.
 * L3. Of the wall clock and the monotonic clock, the one that has advanced more decides whether the window is open.
 * L4. A living holder's Lease is taken only after no change of it was seen for as long as it promises; `renewTime` is not read.
 * L5. A released Lease, this process's own, and that of a process known to be dead are taken at once.
 * L6. A Lease that vanished is its holder's until its duration is over; only one that was never seen is created at once.
 * L7. Each update names the resourceVersion that was seen, so that of several takers one succeeds.
 * L8. A renewal is one PUT, and changes `renewTime` alone.
 * L9. A renewal that fails is retried every 250 ms while the window is open, and not after it; the first that conflicts, at once.
 * L10. A conflict does not end the leadership by itself: the Lease is read, and leading goes on unless it names another holder.
 * L11. When `onStopped` is called the window is closed, and the Lease is released only after `onStopped` has settled.
 * L12. A leader that lost the Lease stands by for it again; between two calls of `onStarted` lies one of `onStopped`.
 * L13. When `onStarted` or `onStopped` throws, this process releases a Lease that it holds, calls `onFailed`, and takes no further part.
 * L14. A standby that is stopped begins no write but the release of a Lease that it was taking, and none of its callbacks is called.
 *
 * States:
 *
 *     standby ── took the Lease ──► leading ── window closed, or another holder ──► handing over ──► standby
 *        │                             │                                                 │
 *     stop()               stop(), or onStarted threw                             onStopped threw
 *        ▼                             ▼                                                 ▼
 *      ended        handing over ──► releasing ──► ended                        releasing ──► ended
 */
import type { KubeClient } from '../client/kube-client.ts';
import { type Clock, systemClock } from '../clock.ts';
import { lead } from './leading.ts';
import { createPauses } from './pauses.ts';
import type { Lease } from './lease-record.ts';
import { leaseRequests } from './lease-requests.ts';
import { standBy } from './standby.ts';
import { writeWindow } from './write-window.ts';
import { type Log, silent } from '../types.ts';

export { identityHere, isAliveHere } from './identity.ts';

/** One process's part in an election. It has no end but `stop` and `onFailed`: a leader that lost the lease stands by for it again. */
export interface LeaderElection {
  /** True as long as writes are allowed: never longer than `writeWindowMs` after the last successful renewal was sent. */
  readonly isLeader: boolean;
  /** ms since the epoch after which nothing may be written; 0 for a standby. Meant for the client's `deadline`. */
  writeDeadline(): number;
  /** The holder of the lease as far as this process knows; empty: no process. */
  readonly holder: string;
  /** Ends this process's part: calls `onStopped` if it leads, then releases the lease, so that a standby takes it at once. */
  stop(): Promise<void>;
}

export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique among all candidates; the same again for a process that replaces this one in its place. */
  readonly identity: string;
  /** False when the holder is known to be dead; its lease is then taken without waiting. Default: all are taken for alive. */
  readonly alive?: (holder: string) => boolean;
  /** How long a standby waits without a change of the Lease; default 6 s. */
  readonly leaseDurationMs?: number;
  /** From one renewal to the next; default 2 s. */
  readonly renewMs?: number;
  /** Default 4 s. The rest of `leaseDurationMs` is for requests that are still on their way. */
  readonly writeWindowMs?: number;
  /** When it throws, `onFailed` follows. */
  readonly onStarted: () => void | Promise<void>;
  /** Called once no more writes are allowed. The lease is released only after what it returns has settled. */
  readonly onStopped: (reason: string) => void | Promise<void>;
  /**
   * `onStarted` or `onStopped` threw, so it is unknown what is still at work. The lease has been released, and this process takes no
   * further part: it should exit.
   */
  readonly onFailed: (error: unknown) => void;
  readonly clock?: Clock;
  readonly log?: Log;
}

/**
 * Takes part in the election until `stop` is called.
 *
 * @param client used for nothing else and without `deadline`: its connection is then never behind other requests, nor paused
 */
export function elect(client: KubeClient, options: ElectionOptions): LeaderElection {
  const { namespace, name, identity, alive = () => true, onStarted, onStopped, onFailed, clock = systemClock, log = silent } = options;
  const { leaseDurationMs = 6_000, renewMs = 2_000, writeWindowMs = 4_000 } = options;
  const requestMs = renewMs * 0.75;
  const window = writeWindow(clock, writeWindowMs);
  const requests = leaseRequests(client, { namespace, name, identity, leaseDurationMs }, window, clock);
  const pauses = createPauses(clock);
  let holder = '';
  let failure: { readonly error: unknown } | undefined;
  const candidate = { name, identity, renewMs, requests, requestMs, pauses, log };

  async function run(): Promise<void> {
    let held: Lease | undefined;
    let known: Lease | undefined;
    while (!pauses.isStopped) {
      const won = await standBy(client, known, { ...candidate, namespace, alive, leaseDurationMs, onHolder, clock });
      if (!won) return;
      // Stopped while its request was under way: it gives back what that has won.
      if (pauses.isStopped) {
        window.close();
        return release(won);
      }
      holder = identity;
      log.info({ lease: name, identity }, 'leading');
      const ended = (await attempt(onStarted))
        ? await lead(won, { ...candidate, writeWindowMs, window })
        : { reason: 'onStarted threw', held: won };
      held = ended.held;
      known = held ?? ended.other;
      window.close();
      log.info({ lease: name, reason: ended.reason }, 'no longer leading');
      await attempt(() => onStopped(ended.reason));
    }
    if (held) await release(held);
    if (failure) onFailed(failure.error);
  }

  function onHolder(now: string): void {
    if (now !== holder && now !== identity) log.info({ lease: name, holder: now }, now === '' ? 'lease is free' : 'standing by');
    holder = now;
  }

  async function release(held: Lease): Promise<void> {
    try {
      await requests.release(held, requestMs);
      holder = '';
    } catch (error) {
      log.warn({ lease: name, err: error }, 'lease not released; it expires by itself');
    }
  }

  /** Runs a callback. A process whose callback failed must not lead, least of all hold the lease and do nothing. */
  async function attempt(call: () => void | Promise<void>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      log.error({ lease: name, err: error }, 'the change of leader failed in this process');
      failure ??= { error };
      pauses.stop();
      return false;
    }
  }

  const ended = run();
  return {
    get isLeader() {
      return window.leftMs() > 0;
    },
    get holder() {
      return holder;
    },
    writeDeadline: () => window.deadline(),
    stop() {
      pauses.stop();
      return ended;
    },
  };
}
