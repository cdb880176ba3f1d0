import type { KubeClient } from './kube-client.ts';
import { backoff, type Clock, sleep, systemClock } from './clock.ts';
import { ApiError, isNotFound, NoAnswer } from './errors.ts';
import { microTime } from './lease-record.ts';
import { createTurnstile } from './turnstile.ts';
import { type KubeObject, type Log, type ResourceType, silent } from './types.ts';

/** core/v1 ObjectReference: what an event is about. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
}

export interface Occurrence {
  readonly regarding: ObjectRef;
  readonly type: 'Normal' | 'Warning';
  /** Why, in one CamelCase word of at most 128 characters. */
  readonly reason: string;
  /** For people; cut at 1,024 bytes. */
  readonly note: string;
  /** The action, as a CamelCase word. Default: the reason. */
  readonly action?: string | undefined;
}

/** Sends events in the background: no caller waits for one, and none fails because of one. */
export interface EventSink {
  emit(occurrence: Occurrence): void;
  /** Resolves when everything emitted so far was sent or given up. */
  flush(): Promise<void>;
  /** How many were not sent: too many at once, or rejected. */
  readonly dropped: number;
}

export interface EventSinkOptions {
  /** Such as `data.fluid.io/sluice`. */
  readonly reportingController: string;
  /** Which process: the identity used for the lease. At most 128 characters. */
  readonly reportingInstance: string;
  readonly clock?: Clock;
  readonly log?: Log;
}

const EVENT: ResourceType = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
/** An event that repeats within this time belongs to one series (client-go's correlator uses ten minutes too). */
const SERIES_MS = 600_000;
/** Between two updates of a series; how often it happened in between is counted here. */
const UPDATE_MS = 60_000;
const MOST_WAITING = 1_000;
const MOST_REMEMBERED = 4_096;
/** k8s.io/kubernetes pkg/apis/core/validation/events.go: NoteLengthLimit, ReasonLengthLimit. */
const NOTE_BYTES = 1_024;
const REASON_LENGTH = 128;
const TRIES = 3;
/** How many namespaces are sent to at a time, one event each: a slow or failing one delays no other. */
const AT_ONCE = 4;

/** One event in the cluster, and how often it has happened since. */
interface Series {
  readonly event: KubeObject;
  count: number;
  lastAt: number;
  sentAt: number;
  waiting: boolean;
}

/** Writes events.k8s.io/v1 events, those of a namespace in order, namespaces in turn; a repeated one becomes a series of the first. */
export function eventSink(client: KubeClient, options: EventSinkOptions): EventSink {
  const { reportingController, reportingInstance, clock = systemClock, log = silent } = options;
  const known = new Map<string, Series>();
  const line = createTurnstile<Series>(1);
  const sending = new Set<Promise<void>>();
  let dropped = 0;
  let serial = 0;

  function emit(occurrence: Occurrence): void {
    const now = clock.now();
    const { regarding, reason, note } = occurrence;
    const key = JSON.stringify([regarding.uid ?? [regarding.kind, regarding.namespace, regarding.name], reason, note]);
    const before = known.get(key);
    // The newest last, so that the oldest are forgotten first.
    known.delete(key);
    if (before === undefined || now - before.lastAt >= SERIES_MS) {
      const series: Series = { event: eventOf(occurrence, now), count: 1, lastAt: now, sentAt: Number.NEGATIVE_INFINITY, waiting: false };
      known.set(key, series);
      for (const oldest of known.keys()) {
        if (known.size <= MOST_REMEMBERED) break;
        known.delete(oldest);
      }
      return enqueue(series);
    }
    known.set(key, before);
    before.count++;
    before.lastAt = now;
    if (now - before.sentAt >= UPDATE_MS) enqueue(before);
  }

  function enqueue(series: Series): void {
    if (series.waiting) return;
    series.waiting = true;
    line.push(namespaceOf(series), series);
    if (line.waiting > MOST_WAITING) {
      const oldest = line.drop();
      if (oldest) oldest.waiting = false;
      dropped++;
    }
    begin();
  }

  function begin(): void {
    while (sending.size < AT_ONCE) {
      const series = line.shift();
      if (!series) return;
      series.waiting = false;
      const sent = attempt(series).then(() => {
        sending.delete(sent);
        line.leave(namespaceOf(series));
        begin();
      });
      sending.add(sent);
    }
  }

  async function attempt(series: Series): Promise<void> {
    try {
      await send(series);
    } catch (error) {
      dropped++;
      const level = isNoNamespace(error) ? 'debug' : 'warn';
      log[level]({ event: series.event['reason'], error: error instanceof Error ? error.message : String(error) }, 'event not sent');
    }
  }

  async function send(series: Series): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await write(series);
      } catch (error) {
        if (tries === TRIES || !isPassing(error)) throw error;
        await sleep(clock, backoff(tries, clock.random));
      }
    }
  }

  async function write(series: Series): Promise<void> {
    const { event, count, lastAt, sentAt } = series;
    const isFirst = sentAt === Number.NEGATIVE_INFINITY;
    series.sentAt = clock.now();
    const repeated = { series: { count, lastObservedTime: microTime(lastAt) } };
    try {
      if (isFirst) await client.create(EVENT, event);
      else await client.patch(EVENT, event.metadata, repeated, { type: 'merge' });
    } catch (error) {
      // Events live for an hour; a series that lasts longer is created again.
      if (isFirst || !isNotFound(error)) throw error;
      await client.create(EVENT, { ...event, ...repeated });
    }
  }

  function eventOf({ regarding, type, reason, note, action }: Occurrence, now: number): KubeObject {
    // Unique per process start and event, as client-go's names are; the object's own name in front is for people.
    const suffix = `${Math.round(now).toString(16)}${(serial++).toString(16).padStart(4, '0')}`;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `${regarding.name.slice(0, 230)}.${suffix}`, namespace: regarding.namespace ?? 'default' },
      eventTime: microTime(now),
      reportingController,
      reportingInstance: reportingInstance.slice(0, REASON_LENGTH),
      type,
      reason: reason.slice(0, REASON_LENGTH),
      action: (action ?? reason).slice(0, REASON_LENGTH),
      note: cut(note, NOTE_BYTES),
      regarding,
    };
  }

  return {
    emit,
    flush: async () => {
      while (sending.size > 0) await Promise.all(sending);
    },
    get dropped() {
      return dropped;
    },
  };
}

const namespaceOf = ({ event }: Series): string => event.metadata.namespace ?? '';

/** Worth a retry: the server was away or busy. Not NotLeader: another process leads now. */
const isPassing = (error: unknown): boolean =>
  (error instanceof NoAnswer && !error.mayHaveArrived) || (error instanceof ApiError && error.status >= 500);

/** The namespace is gone, or going (403 with cause NamespaceTerminating): the event would have no reader. */
const isNoNamespace = (error: unknown): boolean =>
  isNotFound(error) ||
  (error instanceof ApiError &&
    error.status === 403 &&
    Boolean(error.body?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating')));

/** At most `most` bytes of UTF-8, never half a character. */
export function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most - 3;
  // Continuation bytes are 10xxxxxx: step back to where a character begins.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}
