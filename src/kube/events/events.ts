import type { KubeClient } from '../client/kube-client.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createDelivery, type Series } from './delivery.ts';
import { microTime } from '../lease/lease-record.ts';
import { type KubeObject, type Log, silent } from '../types.ts';

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

/** An event that repeats within this time belongs to one series (client-go's correlator uses ten minutes too). */
const SERIES_MS = 600_000;
/** Between two updates of a series; how often it happened in between is counted here. */
const UPDATE_MS = 60_000;
const MOST_REMEMBERED = 4_096;
/** k8s.io/kubernetes pkg/apis/core/validation/events.go: NoteLengthLimit, ReasonLengthLimit. */
const NOTE_BYTES = 1_024;
const REASON_LENGTH = 128;

/** Writes events.k8s.io/v1 events, those of a namespace in order, namespaces in turn; a repeated one becomes a series of the first. */
export function eventSink(client: KubeClient, options: EventSinkOptions): EventSink {
  const { reportingController, reportingInstance, clock = systemClock, log = silent } = options;
  const known = new Map<string, Series>();
  const delivery = createDelivery(client, clock, log);
  let serial = 0;

  function emit(occurrence: Occurrence): void {
    const now = clock.wall();
    const heardAt = clock.monotonic();
    const { regarding, reason, note } = occurrence;
    const key = JSON.stringify([regarding.uid ?? [regarding.kind, regarding.namespace, regarding.name], reason, note]);
    const before = known.get(key);
    // The newest last, so that the oldest are forgotten first.
    known.delete(key);
    if (before === undefined || heardAt - before.heardAt >= SERIES_MS) {
      const event = eventOf(occurrence, now);
      const series: Series = { event, count: 1, lastAt: now, heardAt, sentAt: Number.NEGATIVE_INFINITY, waiting: false };
      known.set(key, series);
      for (const oldest of known.keys()) {
        if (known.size <= MOST_REMEMBERED) break;
        known.delete(oldest);
      }
      return delivery.enqueue(series);
    }
    known.set(key, before);
    before.count++;
    before.lastAt = now;
    before.heardAt = heardAt;
    if (heardAt - before.sentAt >= UPDATE_MS) delivery.enqueue(before);
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
    flush: delivery.flush,
    get dropped() {
      return delivery.dropped;
    },
  };
}

/** At most `most` bytes of UTF-8, never half a character. */
export function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most - 3;
  // Continuation bytes are 10xxxxxx: step back to where a character begins.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}
