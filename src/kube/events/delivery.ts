import type { KubeClient } from '../client/kube-client.ts';
import { backoff, type Clock, sleep } from '../clock.ts';
import { ApiError, isNoNamespace, isNotFound, NoAnswer, messageOf } from '../errors.ts';
import { microTime } from '../lease/lease-record.ts';
import { createFairQueue } from '../turns/fair-queue.ts';
import { type KubeObject, type Log, resourceType } from '../types.ts';

const EVENT = resourceType('events.k8s.io', 'Event', 'events');
const MOST_WAITING = 1_000;
const TRIES = 3;
/** How many namespaces are sent to at a time, one event each: a slow or failing one delays no other. */
const AT_ONCE = 4;

/** One event in the cluster, and how often it has happened since. */
export interface Series {
  readonly event: KubeObject;
  count: number;
  /** On the wall clock; the others on the monotonic one. */
  lastAt: number;
  heardAt: number;
  sentAt: number;
  waiting: boolean;
}

/** Sends series in the background: those of a namespace in order, namespaces in turn. */
export interface EventDelivery {
  /** Sends the series as it is when its turn comes; no effect while it waits. */
  enqueue(series: Series): void;
  /** Resolves when everything enqueued so far was sent or given up. */
  flush(): Promise<void>;
  readonly dropped: number;
}

export function createDelivery(client: KubeClient, clock: Clock, log: Log): EventDelivery {
  const line = createFairQueue<Series>(1);
  const sending = new Set<Promise<void>>();
  let dropped = 0;

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
      log[level]({ event: series.event['reason'], error: messageOf(error) }, 'event not sent');
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
    series.sentAt = clock.monotonic();
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

  return {
    enqueue,
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
