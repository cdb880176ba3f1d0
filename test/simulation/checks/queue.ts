import { createQueue, type Outcome, type Queue, type QueueOptions } from '../../../src/kube/turns/queue.ts';
import type { createTime } from '../time.ts';

type Clocked = ReturnType<typeof createTime>;
/** The view of others. */
interface Watch {
  /** Somebody asks for a pass over this key. */
  added(key: string): void;
  /** A pass over it begins. */
  began(key: string): void;
  /** CPU time of each pass, ms. */
  readonly passMs: number;
}

interface Key {
  running: boolean;
  /** When it was added and no pass has begun since. */
  addedMs: number | undefined;
  /** Earliest begin of the next pass without an addition. */
  dueMs: number | undefined;
  failures: number;
  /** When its last pass ended. */
  endedMs: number;
  heldSince: number | undefined;
  /** In the order in which unsettled keys came. */
  place: number;
  queuedMs: number | undefined;
  /** Passes that have begun. */
  round: number;
}

/** How long a key waits after so many failures in a row, ms. */
const backoffMs = (failures: number): number => Math.min(90_000, 50 * 2 ** Math.max(0, failures - 1));

/** How long passes may keep the event loop before the last of them begins, ms (src/kube/turns/time-slice.ts). */
const TURN_MS = 10;
/** Within which a pass begins that was asked for, while places are free, ms. */
const EVENT_MS = 1000;

/** A work queue that is held to its invariants (Q1 to Q14). The simulation gives it to the controller in place of the queue itself. */
export function watchedQueue(time: Clocked, found: (what: string) => void, watch: Watch): typeof createQueue {
  return (options: QueueOptions): Queue => {
    const { work, concurrency, mostOfOne = concurrency, onDone, onAdded } = options;
    const keys = new Map<string, Key>();
    /** How late a pass may begin that nothing delays: a turn of the event loop, with the passes before it, ms. */
    const slackMs = 3 + 4 * watch.passMs;
    const fail = (what: string) => found(`queue: ${what}`);
    const namespaceOf = (key: string) => key.slice(0, Math.max(0, key.indexOf('/')));
    const now = () => performance.now();
    let places = 0;
    /** Passes. */
    let begun = 0;
    let isStopped = false;
    let lastTurn: { readonly namespace: string; readonly atMs: number } | undefined;
    const of = (key: string): Key => {
      const entry = keys.get(key) ?? {
        running: false,
        addedMs: undefined,
        dueMs: undefined,
        failures: 0,
        endedMs: Number.NEGATIVE_INFINITY,
        heldSince: undefined,
        place: ++places,
        queuedMs: undefined,
        round: 0,
      };
      keys.set(key, entry);
      return entry;
    };
    const running = (namespace?: string) =>
      [...keys].filter(([key, each]) => each.running && (namespace === undefined || namespaceOf(key) === namespace)).length;
    const isFree = (key: string) => running() < concurrency && running(namespaceOf(key)) < mostOfOne;

    const alarms = new Map<string, symbol>();

    /** A pass is to begin from now on. */
    function asked(key: string, rule: string): void {
      const entry = of(key);
      const isFirst = entry.addedMs === undefined;
      entry.addedMs ??= now();
      if (isFirst && !entry.running) expectPass(key, entry.failures > 0 ? EVENT_MS : 0, rule);
    }

    function began(key: string, info: { heldMs: number; failures: number }): void {
      const entry = of(key);
      if (isStopped) fail(`a pass over ${key} began after the stop (Q13)`);
      if (entry.running) fail(`two passes over ${key} at a time (Q1)`);
      entry.running = true;
      begun++;
      entry.round++;
      if (running() > concurrency) fail(`${running()} passes at a time (Q5)`);
      if (running(namespaceOf(key)) > mostOfOne) fail(`${running(namespaceOf(key))} passes at a time in the namespace of ${key} (Q5)`);
      const isDue = entry.dueMs !== undefined && now() >= entry.dueMs - 1;
      if (entry.addedMs === undefined && !isDue) fail(`a pass over ${key} that nobody asked for (Q3, Q12)`);
      const earliest = Math.min(entry.dueMs ?? Infinity, entry.endedMs + Math.min(EVENT_MS, backoffMs(entry.failures)));
      if (entry.failures > 0 && now() < earliest - 1) fail(`${key} was retried ${earliest - now()} ms too early (Q7, Q8)`);
      const held = entry.heldSince === undefined ? 0 : now() - entry.heldSince;
      if (Math.abs(info.heldMs - held) > 1) fail(`${key} has been held for ${held} ms, and its pass is told ${info.heldMs} (Q11)`);
      for (const [other, each] of keys)
        if (
          namespaceOf(other) === namespaceOf(key) &&
          each.queuedMs !== undefined &&
          !each.running &&
          each.place < entry.place &&
          each.queuedMs < now() - slackMs &&
          other !== key
        )
          fail(`${key} was served before ${other}, which came earlier (Q4)`);
      const turn = lastTurn;
      if (turn && turn.namespace === namespaceOf(key))
        for (const [other, each] of keys)
          if (
            namespaceOf(other) !== turn.namespace &&
            each.queuedMs !== undefined &&
            !each.running &&
            each.queuedMs < turn.atMs &&
            running(namespaceOf(other)) < mostOfOne
          )
            fail(`${namespaceOf(key)} had two turns in a row, while ${other} was in line (Q6)`);
      lastTurn = { namespace: namespaceOf(key), atMs: now() };
      entry.addedMs = undefined;
      entry.dueMs = undefined;
      entry.queuedMs = undefined;
    }

    /** The processor is busy with a pass for a while. Passes of one turn of the event loop are to take no longer than a slice and one pass more. */
    let thisTurn = { event: -1, busyMs: 0 };
    function turn(key: string): void {
      if (thisTurn.event !== time.events) thisTurn = { event: time.events, busyMs: 0 };
      if (thisTurn.busyMs > TURN_MS) fail(`passes have kept the event loop for ${thisTurn.busyMs} ms, and one over ${key} begins (Q14)`);
      thisTurn.busyMs += watch.passMs;
      time.spend(watch.passMs);
    }

    function ended(key: string, outcome: Outcome): void {
      const entry = of(key);
      entry.running = false;
      entry.endedMs = now();
      if (outcome.kind === 'settled') {
        entry.failures = 0;
        entry.heldSince = undefined;
        entry.place = ++places;
        entry.dueMs = undefined;
        const alarm = Symbol(key);
        alarms.set(key, alarm);
        // The alarm rings also while the key is in line or under way for another reason, until a pass settles it.
        if (outcome.afterMs !== undefined)
          setTimeout(() => {
            if (alarms.get(key) === alarm && !isStopped) asked(key, 'Q12');
          }, outcome.afterMs);
        if (entry.addedMs === undefined) keys.delete(key);
      } else {
        entry.heldSince ??= now();
        if (outcome.kind === 'failed') entry.failures++;
        else if (!outcome.isAsking) entry.failures = 0;
        const afterMs = outcome.afterMs ?? (outcome.kind === 'failed' ? backoffMs(entry.failures) : undefined);
        entry.dueMs = afterMs === undefined ? undefined : now() + Math.max(1, afterMs);
      }
      const awaited = entry.addedMs !== undefined ? (entry.failures > 0 ? EVENT_MS : 0) : Infinity;
      expectPass(key, Math.min(awaited, (entry.dueMs ?? Infinity) - now()), outcome.kind === 'failed' ? 'Q7' : 'Q10');
    }

    /** The pass begins in so many ms, unless all places are taken. */
    function expectPass(key: string, ms: number, rule: string): void {
      if (ms === Infinity) return;
      const entry = of(key);
      const dueMs = now() + ms;
      const { round } = entry;
      let begunThen: number | undefined;
      const look = () => {
        if (isStopped || keys.get(key) !== entry || entry.running || entry.round !== round) return;
        const isAsked = entry.addedMs !== undefined || (entry.dueMs !== undefined && entry.dueMs <= dueMs);
        const isIdle = isFree(key) && now() >= dueMs + slackMs;
        // A processor that is busy lets a place stay free for a moment: it fails when nothing has begun since the last look either.
        const isStuck = isIdle && (watch.passMs === 0 || begunThen === begun);
        begunThen = isIdle ? begun : undefined;
        if (isAsked && isStuck) fail(`no pass over ${key} began, which was due ${now() - dueMs} ms ago (Q2, Q9, ${rule})`);
        else if (isAsked) setTimeout(look, slackMs * 2);
      };
      setTimeout(look, ms + slackMs * 2);
    }

    const queue = createQueue({
      ...options,
      work: async (key, info) => {
        began(key, info);
        watch.began(key);
        turn(key);
        return work(key, info);
      },
      onAdded(key) {
        of(key).queuedMs = now();
        onAdded?.(key);
      },
      onDone(key, outcome, waitedMs) {
        ended(key, outcome);
        onDone?.(key, outcome, waitedMs);
      },
    });
    return {
      add(key) {
        watch.added(key);
        if (!isStopped) asked(key, 'Q8');
        queue.add(key);
      },
      async stop() {
        isStopped = true;
        await queue.stop();
        if (running() > 0) fail(`the stop ended while ${running()} passes were under way (Q13)`);
      },
      get depth() {
        return queue.depth;
      },
      get running() {
        return queue.running;
      },
    };
  };
}
