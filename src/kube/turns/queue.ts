/**
 * A work queue: each key once, one pass over a key at a time, namespaces in turn.
 *
 *               add               its turn              settled
 *     (absent) ─────► queued ───────────────► running ───────────► (absent)
 *                       ▲                        │
 *                       │ add, or the timer      │ waiting, failed
 *                       └───────── idle ◄────────┘
 *
 * Invariants:
 * Q1. A key never has two passes at a time.
 * Q2. Whenever a key is added, a pass over it begins afterwards, also when it is added while a pass runs or in the moment in which it ends.
 * Q3. However often a key is added before its next pass begins, that is one pass.
 * Q4. Within a namespace keys are served in the order in which they came; a key that waits or fails keeps its place until it is settled.
 * Q5. Never more than `concurrency` passes run, and of one namespace never more than `mostOfOne`.
 * Q6. Namespaces with keys in line take turns, one key each, however many keys one of them has.
 * Q7. A key that fails is tried again after the time that its pass named; without one after 50 ms, then twice as long each time, and after at
 *     most 90 s. A pass that only asks is no success.
 * Q8. After an event a failing key is retried within `eventBackoffMs`, and never sooner than its back-off or that, whichever is shorter.
 * Q9. A key that waits or fails delays no other key.
 * Q10. A key that waits gets its next pass when it is added, and at the latest after the time that its pass named.
 * Q11. `heldMs` runs from the end of the first pass that left the key unsettled until a pass settles it, whatever is added meanwhile.
 * Q12. Of a settled key nothing is kept but the alarm that its last pass asked for.
 * Q13. After `stop` no pass begins and no timer is left; it resolves when the passes under way have ended.
 * Q14. Passes that wait for nothing hand over to the event loop within some milliseconds, however many they are.
 */
import { systemClock, type Timers } from '../clock.ts';
import { createFairQueue } from './fair-queue.ts';
import { createAlarms } from './alarms.ts';
import { createTimeSlice } from './time-slice.ts';

/** How one pass over a key ended, and in how many ms the next one is due. An event starts the next one sooner. */
export type Outcome =
  /** Nothing to wait for. `afterMs` is for what no event reports, such as the answer of a probe. */
  | { readonly kind: 'settled'; readonly afterMs?: number }
  /** Under way: the key keeps its place in the line. With `isAsking` the pass has only asked for what the next one needs. */
  | { readonly kind: 'waiting'; readonly afterMs?: number; readonly isAsking?: boolean }
  /** The key is retried, without `afterMs` with the back-off of the queue. */
  | { readonly kind: 'failed'; readonly afterMs?: number };

export const settled = (afterMs?: number): Outcome => ({ kind: 'settled', ...(afterMs !== undefined && { afterMs }) });
export const waiting = (afterMs?: number): Outcome => ({ kind: 'waiting', ...(afterMs !== undefined && { afterMs }) });

export interface Queue {
  /** Asks for a pass over this key. Any number of calls before that pass begins are one pass. */
  add(key: string): void;
  /** No pass begins any more; resolves when those under way have ended. */
  stop(): Promise<void>;
  /** Keys in line. */
  readonly depth: number;
  /** Passes under way. */
  readonly running: number;
}
export interface PassInfo {
  /** Milliseconds since the end of the first pass that left the key unsettled; 0 if there was none. */
  readonly heldMs: number;
  /** Keys that are not settled, this one included. */
  readonly unsettled: number;
  /** Passes over this key that failed in a row. */
  readonly failures: number;
}
export interface QueueOptions {
  /** One pass. A rejection counts as `failed`. */
  readonly work: (key: string, info: PassInfo) => Promise<Outcome>;
  /** Passes at a time. */
  readonly concurrency: number;
  /** The most passes over keys of one namespace at a time. Default: `concurrency`. */
  readonly mostOfOne?: number;
  /** The longest that a failing key waits after it was added, ms. Default 1000: its own failure may be what causes the events. */
  readonly eventBackoffMs?: number;
  /** The key entered the line. */
  readonly onAdded?: (key: string) => void;
  /** @param waitedMs in line before this pass */
  readonly onDone?: (key: string, outcome: Outcome, waitedMs: number) => void;
  /** Default: the system's. */
  readonly clock?: Timers;
}

interface QueueEntry {
  readonly key: string;
  /** The place in the line of its namespace. A key keeps its number until it is settled, so that a later burst does not overtake it. */
  readonly ticket: number;
  state: 'idle' | 'queued' | 'running';
  /** When the first pass ended that left it unsettled; the time in line before that says nothing about the key. */
  heldSince: number | undefined;
  queuedAt: number;
  /** Added while a pass runs. */
  again: boolean;
  failures: number;
}

const FIRST_BACKOFF_MS = 50;
/** A failure that has passed is repaired within two minutes. */
const LONGEST_BACKOFF_MS = 90_000;
const EVENT_BACKOFF_MS = 1000;

/** How long a key waits after so many failures in a row, ms. */
export const backoffMs = (failures: number): number => Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1));
/** The part before the slash; keys without a slash are a group of their own. */
const namespaceOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));

export function createQueue(options: QueueOptions): Queue {
  const { work, concurrency, mostOfOne = concurrency, eventBackoffMs = EVENT_BACKOFF_MS, onAdded, onDone, clock = systemClock } = options;
  const entries = new Map<string, QueueEntry>();
  const line = createFairQueue<string>(mostOfOne);
  /** End the waiting of unsettled keys. */
  const retries = createAlarms((key) => enqueue(entries.get(key)), clock);
  /** Start passes over settled keys. */
  const repeats = createAlarms(add, clock);
  const slice = createTimeSlice(clock, pump);
  let tickets = 0;
  let running = 0;
  let stopping = false;
  const drained = Promise.withResolvers<void>();

  function add(key: string): void {
    if (stopping) return;
    const entry = entries.get(key) ?? enter(key);
    if (entry.state === 'running') entry.again = true;
    else if (entry.state === 'idle') schedule(entry, afterEvent(entry));
  }

  function enter(key: string): QueueEntry {
    const entry: QueueEntry = {
      key,
      ticket: tickets++,
      state: 'idle',
      heldSince: undefined,
      queuedAt: clock.monotonic(),
      again: false,
      failures: 0,
    };
    entries.set(key, entry);
    return entry;
  }

  /** How long a key waits that was added, ms. */
  const afterEvent = ({ failures }: QueueEntry): number => (failures > 0 ? Math.min(eventBackoffMs, backoffMs(failures)) : 0);

  /** How long an unsettled key waits for its next pass, ms; undefined: until an event adds it. */
  function delayAfter(entry: QueueEntry, outcome: Exclude<Outcome, { readonly kind: 'settled' }>): number | undefined {
    // The event may be the cure.
    if (entry.again) return afterEvent(entry);
    if (outcome.kind === 'failed') return outcome.afterMs ?? backoffMs(entry.failures);
    return outcome.afterMs === undefined ? undefined : Math.max(1, outcome.afterMs);
  }

  function schedule(entry: QueueEntry, delayMs: number): void {
    if (delayMs <= 0) enqueue(entry);
    else retries.advance(entry.key, delayMs);
  }

  function enqueue(entry: QueueEntry | undefined): void {
    if (entry?.state !== 'idle') return;
    const { key, ticket } = entry;
    retries.clear(key);
    entry.state = 'queued';
    entry.queuedAt = clock.monotonic();
    line.push(namespaceOf(key), key, ticket);
    onAdded?.(key);
    queueMicrotask(pump);
  }

  function pump(): void {
    while (!stopping && running < concurrency && line.isReady) {
      if (slice.isSpent()) return;
      const entry = entries.get(line.shift() ?? '');
      if (entry) void run(entry);
    }
  }

  async function run(entry: QueueEntry): Promise<void> {
    const { key, heldSince, failures } = entry;
    running++;
    entry.state = 'running';
    entry.again = false;
    const waitedMs = clock.monotonic() - entry.queuedAt;
    const info = { heldMs: heldSince === undefined ? 0 : clock.monotonic() - heldSince, unsettled: entries.size, failures };
    const outcome = await work(key, info).catch((): Outcome => ({ kind: 'failed' }));
    running--;
    line.leave(namespaceOf(key));
    entry.state = 'idle';
    onDone?.(key, outcome, waitedMs);
    if (!stopping) follow(entry, outcome);
    else if (running === 0) drained.resolve();
    pump();
  }

  function follow(entry: QueueEntry, outcome: Outcome): void {
    if (outcome.kind === 'settled') return settle(entry, outcome.afterMs);
    entry.heldSince ??= clock.monotonic();
    if (outcome.kind === 'failed') entry.failures++;
    else if (!outcome.isAsking) entry.failures = 0;
    const delayMs = delayAfter(entry, outcome);
    if (delayMs !== undefined) schedule(entry, delayMs);
  }

  function settle({ key, again }: QueueEntry, afterMs: number | undefined): void {
    entries.delete(key);
    retries.clear(key);
    repeats.clear(key);
    if (afterMs !== undefined) repeats.set(key, afterMs);
    if (again) add(key);
  }

  return {
    add,
    async stop() {
      stopping = true;
      retries.clearAll();
      repeats.clearAll();
      if (running > 0) await drained.promise;
    },
    get depth() {
      return line.waiting;
    },
    get running() {
      return running;
    },
  };
}
