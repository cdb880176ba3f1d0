import type { KubeClient } from './kube-client.ts';
import { backoff, type Clock, systemClock } from './clock.ts';
import { isAlreadyExists, isConflict, isNotFound } from './errors.ts';
import { type Claim, holderOf, LEASE, type Lease, released, renewed, taken } from './lease-record.ts';
import { type Reflector, reflect } from './reflector.ts';
import { type Log, silent } from './types.ts';

export { identityHere, isAliveHere } from './identity.ts';

/** One process's part in an election. It goes on for ever: who loses the lease stands by for it again. */
export interface LeaderElection {
  /** True as long as writes are allowed: never longer than `writeWindowMs` after the last successful renewal was sent. */
  readonly isLeader: boolean;
  /** ms since the epoch after which nothing may be written; 0 for a standby. Made for the client's `deadline`. */
  writeDeadline(): number;
  /** Who holds the lease as far as we know. */
  readonly holder: string;
  /** Stands down: `onStopped` first, then the lease is released, so that a standby takes it at once. */
  stop(): Promise<void>;
}

export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique among all candidates, and the same again for a process that replaces us in our place. */
  readonly identity: string;
  /** False when the holder is known to be dead; its lease is then taken without waiting. Default: nobody is. */
  readonly alive?: (holder: string) => boolean;
  readonly leaseDurationMs?: number;
  readonly renewMs?: number;
  readonly writeWindowMs?: number;
  /** When it throws, `onFailed` follows. */
  readonly onStarted: () => void | Promise<void>;
  /** Writes are fenced off already. What it returns is waited for before the lease is released. */
  readonly onStopped: (reason: string) => void | Promise<void>;
  /**
   * `onStarted` or `onStopped` threw: nobody knows what is at work and what is not. The lease has been given back, and this
   * process takes part no longer; all that is left to it is to end.
   */
  readonly onFailed: (error: unknown) => void;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** After a renewal that failed; short, since two seconds later writing ends. */
const RETRY_MS = 250;

interface Sighting {
  /** Undefined when there is none. */
  readonly lease: Lease | undefined;
  /** Monotonic, when we saw it change. Never `renewTime`: that is another machine's clock. */
  readonly at: number;
  /** From then on its holder may write; of a Lease that vanished too. */
  readonly goodForMs: number;
}

/**
 * Takes part in the election for a Lease (docs/operating.md, "Several replicas"): the leader renews every 2 s with one PUT and
 * writes nothing later than 4 s after the last one that succeeded; a standby takes over 6 s after it last saw the Lease
 * change. The two seconds between are for requests that are still on their way.
 *
 * @param client one of its own, without `deadline`: its connection is then never behind other requests, nor paused
 */
export function elect(client: KubeClient, options: ElectionOptions): LeaderElection {
  const { namespace, name, identity, alive = () => true, onStarted, onStopped, onFailed, clock = systemClock, log = silent } = options;
  const { leaseDurationMs = 6_000, renewMs = 2_000, writeWindowMs = 4_000 } = options;
  const claim: Claim = { namespace, name, identity, leaseDurationMs };
  const patience = renewMs * 0.75;

  /** When the last renewal that succeeded was sent, on both clocks; undefined for a standby. */
  let sent: { readonly now: number; readonly elapsed: number } | undefined;
  let holder = '';
  let failure: { readonly error: unknown } | undefined;
  const stopping = new AbortController();
  let wake: (() => void) | undefined;

  /**
   * The later of two clocks decides: the wall clock may be set back, the monotonic one may sleep with the machine.
   */
  function left(): number {
    if (sent === undefined) return 0;
    return writeWindowMs - Math.max(clock.now() - sent.now, clock.elapsed() - sent.elapsed);
  }

  function pause(ms: number): Promise<void> {
    if (ms <= 0 || stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** One request. What succeeded counts from when it was sent, since the server may have seen it that early. */
  async function put(write: 'create' | 'update', lease: Lease, timeoutMs: number): Promise<Lease> {
    const at = { now: clock.now(), elapsed: clock.elapsed() };
    const held = await client[write](LEASE, lease, { timeoutMs, retries: 0 });
    sent = at;
    return held;
  }

  /** Waits until the lease is ours; undefined when stopped before. */
  async function standBy(mine: Lease | undefined): Promise<Lease | undefined> {
    // What was ours may be so still: tried without waiting for the reflector.
    let seen: Sighting | undefined = mine && { lease: mine, at: clock.elapsed(), goodForMs: leaseDurationMs };
    const reflector: Reflector<Lease> = reflect<Lease>(client, LEASE, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      // The one Lease that the selector lets through; its spec is checked where it is read.
      project: (object) => object as Lease,
      onChange({ type, object }) {
        const promised = (object.spec?.leaseDurationSeconds ?? 0) * 1000;
        const goodForMs = promised > 0 ? promised : leaseDurationMs;
        seen = { lease: type === 'deleted' ? undefined : object, at: clock.elapsed(), goodForMs };
        const now = type === 'deleted' ? '' : holderOf(object);
        if (now !== holder && now !== identity) log.info({ lease: name, holder: now }, now === '' ? 'lease is free' : 'standing by');
        holder = now;
        wake?.();
      },
      onSynced() {
        // There is none. If there never was, as far as we know, nobody can hold it.
        if (reflector.store.size === 0) seen = { lease: undefined, at: clock.elapsed(), goodForMs: mine ? leaseDurationMs : 0 };
        wake?.();
      },
      log,
      clock,
    });
    let failures = 0;
    try {
      while (!stopping.signal.aborted) {
        const tried = seen;
        const wait = tried === undefined ? leaseDurationMs : freeIn(tried);
        if (tried === undefined || wait > 0) {
          await pause(wait);
          continue;
        }
        const write = tried.lease ? 'update' : 'create';
        try {
          return await put(write, taken(tried.lease, claim, clock.now()), patience);
        } catch (error) {
          const isTaken = isOutdated(error, write);
          // Somebody was faster; the reflector will show who. If it has already, that is what counts.
          if (isTaken && seen === tried) seen = undefined;
          if (isTaken) continue;
          log[failures === 0 ? 'warn' : 'debug']({ lease: name, err: error }, 'lease not taken');
          await pause(backoff(++failures, clock.random, { mostMs: renewMs }));
        }
      }
      return undefined;
    } finally {
      reflector.stop();
    }
  }

  /** How long until the lease may be taken, ms. */
  function freeIn({ lease, at, goodForMs }: Sighting): number {
    const by = lease && holderOf(lease);
    if (by === '' || by === identity || (by !== undefined && !alive(by))) return 0;
    return at + goodForMs - clock.elapsed();
  }

  /** Renews until that fails for too long, somebody else has the lease, or we stop. Returns why, and the Lease if it may still be ours. */
  async function lead(first: Lease): Promise<{ reason: string; mine: Lease | undefined }> {
    let mine: Lease | undefined = first;
    let problem = '';
    let next = renewMs;
    for (;;) {
      await pause(Math.min(next, left()));
      if (stopping.signal.aborted) return { reason: 'stopped', mine };
      const timeoutMs = Math.min(patience, left());
      if (timeoutMs <= 0) return { reason: `not renewed for ${writeWindowMs} ms${problem && `: ${problem}`}`, mine };
      const write = mine ? 'update' : 'create';
      try {
        mine = await put(write, mine ? renewed(mine, clock.now()) : taken(undefined, claim, clock.now()), timeoutMs);
        problem = '';
        next = renewMs;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        log.warn({ lease: name, error: problem, leftMs: Math.round(left()) }, 'lease not renewed');
        next = RETRY_MS;
        if (!isOutdated(error, write)) continue;
        // Edited or deleted by hand, or an earlier renewal arrived though its answer did not.
        const found = await current(timeoutMs);
        if (found === 'unknown') continue;
        if (found && holderOf(found) !== identity) return { reason: `taken by ${holderOf(found) || 'nobody'}`, mine: undefined };
        mine = found;
        next = 0;
      }
    }
  }

  async function current(timeoutMs: number): Promise<Lease | undefined | 'unknown'> {
    try {
      return (await client.get(LEASE, { namespace, name }, { timeoutMs, retries: 0 })) as Lease;
    } catch (error) {
      return isNotFound(error) ? undefined : 'unknown';
    }
  }

  async function release(mine: Lease): Promise<void> {
    try {
      await client.update(LEASE, released(mine, clock.now()), { timeoutMs: patience, retries: 0 });
      holder = '';
    } catch (error) {
      log.warn({ lease: name, err: error }, 'lease not released; it expires by itself');
    }
  }

  async function run(): Promise<void> {
    let mine: Lease | undefined;
    while (!stopping.signal.aborted) {
      const held = await standBy(mine);
      if (!held) return;
      holder = identity;
      log.info({ lease: name, identity }, 'leading');
      const ended = (await attempt(onStarted)) ? await lead(held) : { reason: 'it could not begin', mine: held };
      mine = ended.mine;
      sent = undefined;
      log.info({ lease: name, reason: ended.reason }, 'no longer leading');
      await attempt(() => onStopped(ended.reason));
    }
    if (mine) await release(mine);
    if (failure) onFailed(failure.error);
  }

  /** One half of a change of leader. When it fails this process must not lead, least of all hold the lease and do nothing. */
  async function attempt(call: () => void | Promise<void>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      log.error({ lease: name, err: error }, 'a change of leader was not handled');
      failure ??= { error };
      stopping.abort();
      return false;
    }
  }

  const ended = run();
  return {
    get isLeader() {
      return left() > 0;
    },
    get holder() {
      return holder;
    },
    writeDeadline: () => (sent === undefined ? 0 : clock.now() + left()),
    stop() {
      stopping.abort();
      wake?.();
      return ended;
    },
  };
}

/** The Lease is not as we last saw it. Where it cannot be created because nothing of the kind is found, its namespace is not there. */
const isOutdated = (error: unknown, write: 'create' | 'update'): boolean =>
  isConflict(error) || isAlreadyExists(error) || (write === 'update' && isNotFound(error));
