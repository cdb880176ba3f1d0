import { createTurnstile } from '../kube/turnstile.ts';

/** What became of one pass over a key. */
export type Outcome =
  /** Nothing to wait for: the next event is news. `againMs` is for what nothing tells us of, such as a probe. */
  | { readonly kind: 'settled'; readonly againMs?: number }
  /** Under way: wait for an event, and look again in any case after `afterMs`. The key keeps its place in the line. */
  | { readonly kind: 'waiting'; readonly afterMs?: number }
  /** Went wrong: again with back-off. */
  | { readonly kind: 'failed' };

export interface Queue {
  /** Someone saw something. Many of these before the next pass are one pass. */
  add(key: string): void;
  /** Ends: no pass begins any more; resolves when those under way are done. */
  stop(): Promise<void>;
  readonly depth: number;
  readonly running: number;
}
export interface PassInfo {
  /** Since the first pass that left the key unsettled. */
  readonly heldMs: number;
  /** Keys that are not settled, this one included. */
  readonly unsettled: number;
  readonly failures: number;
}
export interface QueueOptions {
  readonly work: (key: string, info: PassInfo) => Promise<Outcome>;
  readonly concurrency: number;
  /** Of these, those of one namespace; without it as many. */
  readonly mostOfOne?: number;
  /** It is in line from now on, and was not before. */
  readonly onAdded?: (key: string) => void;
  readonly onDone?: (key: string, outcome: Outcome, waitedMs: number) => void;
  readonly now?: () => number;
}

interface Entry {
  /** Within its namespace first come, first served: a key keeps its number until it is settled, so a later burst does not overtake it. */
  readonly ticket: number;
  /** When the first pass ended that left it unsettled; the time in line before that says nothing about the key. */
  heldSince: number | undefined;
  queuedAt: number;
  state: 'idle' | 'queued' | 'running';
  /** Seen again while running. */
  again: boolean;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  /** When the timer rings. */
  dueAt: number;
}

/** After this, whatever else waits in the event loop has its turn. */
const TURN_MS = 10;
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 300_000;
/** A failing key is not retried by events more often than this: its own failure may be what makes the events. */
const EVENT_BACKOFF_MS = 1000;

export const backoffMs = (failures: number): number => Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1));

/** What is before the slash; keys without one are a group of their own. */
const namespaceOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));

/** One key at a time, each key once, namespaces in turn, of each its oldest first; a key that fails or waits holds up no other. */
export function createQueue(options: QueueOptions): Queue {
  const { work, concurrency, mostOfOne = concurrency, onAdded, onDone, now = () => performance.now() } = options;
  const entries = new Map<string, Entry>();
  const alarms = new Map<string, NodeJS.Timeout>();
  const line = createTurnstile<string>(mostOfOne);
  let tickets = 0;
  let turnSince: number | undefined;
  let running = 0;
  let stopping = false;
  const idle = Promise.withResolvers<void>();

  function add(key: string): void {
    const entry = entries.get(key) ?? fresh(key);
    if (entry.state === 'running') entry.again = true;
    else if (entry.state === 'idle') schedule(key, entry, entry.failures > 0 ? Math.min(EVENT_BACKOFF_MS, backoffMs(entry.failures)) : 0);
  }

  function fresh(key: string): Entry {
    const entry: Entry = {
      ticket: tickets++,
      heldSince: undefined,
      queuedAt: now(),
      state: 'idle',
      again: false,
      failures: 0,
      timer: undefined,
      dueAt: 0,
    };
    entries.set(key, entry);
    return entry;
  }

  /** Sooner wins: a timer that is already set for later is replaced, one for earlier stays. */
  function schedule(key: string, entry: Entry, delayMs: number): void {
    if (delayMs <= 0) {
      clearTimeout(entry.timer);
      entry.timer = undefined;
      entry.state = 'queued';
      entry.queuedAt = now();
      line.push(namespaceOf(key), key, entry.ticket);
      onAdded?.(key);
      queueMicrotask(pump);
      return;
    }
    const dueAt = now() + delayMs;
    if (entry.timer && entry.dueAt <= dueAt) return;
    clearTimeout(entry.timer);
    entry.dueAt = dueAt;
    entry.timer = setTimeout(() => {
      entry.timer = undefined;
      if (entry.state === 'idle') schedule(key, entry, 0);
    }, delayMs);
    entry.timer.unref?.();
  }

  /** Passes that need no request end without the event loop: thousands of them would keep the lease from being renewed. */
  function pump(): void {
    while (!stopping && running < concurrency && line.isReady) {
      if (turnSince === undefined) {
        turnSince = now();
        setImmediate(() => {
          turnSince = undefined;
          pump();
        });
      } else if (now() - turnSince > TURN_MS) return;
      const key = line.shift();
      const entry = key === undefined ? undefined : entries.get(key);
      if (key !== undefined && entry) void run(key, entry);
    }
  }

  async function run(key: string, entry: Entry): Promise<void> {
    running++;
    entry.state = 'running';
    entry.again = false;
    const waited = now() - entry.queuedAt;
    const heldMs = entry.heldSince === undefined ? 0 : now() - entry.heldSince;
    const outcome = await work(key, { heldMs, unsettled: entries.size, failures: entry.failures }).catch(
      (): Outcome => ({ kind: 'failed' }),
    );
    if (outcome.kind !== 'settled') entry.heldSince ??= now();
    running--;
    line.leave(namespaceOf(key));
    entry.state = 'idle';
    onDone?.(key, outcome, waited);
    after(key, entry, outcome);
    if (stopping && running === 0) idle.resolve();
    pump();
  }

  function after(key: string, entry: Entry, outcome: Outcome): void {
    if (stopping) return;
    entry.failures = outcome.kind === 'failed' ? entry.failures + 1 : 0;
    if (outcome.kind === 'settled') alarm(key, outcome.againMs);
    const backoff = backoffMs(entry.failures);
    // What happened meanwhile may be the cure.
    if (outcome.kind === 'failed') return schedule(key, entry, entry.again ? Math.min(EVENT_BACKOFF_MS, backoff) : backoff);
    if (entry.again) return outcome.kind === 'settled' ? renew(key, entry) : schedule(key, entry, 0);
    if (outcome.kind === 'settled') forget(key, entry);
    else if (outcome.afterMs !== undefined) schedule(key, entry, Math.max(1, outcome.afterMs));
  }

  function alarm(key: string, ms: number | undefined): void {
    clearTimeout(alarms.get(key));
    alarms.delete(key);
    if (ms === undefined) return;
    alarms.set(
      key,
      setTimeout(() => {
        alarms.delete(key);
        add(key);
      }, ms).unref(),
    );
  }

  function renew(key: string, entry: Entry): void {
    forget(key, entry);
    add(key);
  }
  function forget(key: string, entry: Entry): void {
    clearTimeout(entry.timer);
    entries.delete(key);
  }

  return {
    add,
    async stop() {
      stopping = true;
      for (const entry of entries.values()) clearTimeout(entry.timer);
      for (const timer of alarms.values()) clearTimeout(timer);
      if (running > 0) await idle.promise;
    },
    get depth() {
      return line.waiting;
    },
    get running() {
      return running;
    },
  };
}
