import type { PodCounters, Requests } from '../../constructs/index.ts';
import type { SampledPod, SlowEvidence, StatusFigures } from './evidence.ts';

/** Counts of all pods together. */
export interface ReadSums {
  readonly bytes: Bytes;
  readonly evictions: number;
  readonly drops: number;
  readonly store: Required<Requests>;
  readonly cacheReads: Required<Requests>;
  readonly reads: Required<Requests>;
  readonly metadata: Required<Requests>;
}
/** Bytes that readers got, by their source. */
export interface Bytes {
  readonly local: number;
  readonly remote: number;
  readonly store: number;
}

/**
 * The figures that causes are found in: those between the two readings, or, if nothing was read meanwhile, all since the processes began; if no
 * pod counts, those of the status.
 */
export interface SlowFigures {
  readonly now: ReadSums;
  readonly total: ReadSums;
  /** Which of the two has reads; undefined: nothing was ever read, or no pod counts it. */
  readonly basis?: 'now' | 'total' | 'status';
  /** The sums of the basis; of `now` without one. */
  readonly sums: ReadSums;
  /** Shares of bytes by source, 0 to 1, together 1. */
  readonly shares?: Bytes;
  /** The time of the basis in words: `in 10 s`. */
  readonly when: string;
}

export function figuresOf({ pods, seconds, status }: Pick<SlowEvidence, 'pods' | 'seconds' | 'status'>): SlowFigures {
  const now = sumOf(pods.flatMap(({ counters }) => (counters ? [growth(counters.before, counters.after)] : [])));
  const total = sumOf(pods.flatMap(({ counters }) => counters?.after ?? []));
  const counted = bytesIn(now) > 0 ? 'now' : bytesIn(total) > 0 ? 'total' : undefined;
  const basis = counted ?? (status && 'status');
  const sums = basis === 'total' ? total : now;
  const shares = counted ? sharesOf(sums.bytes) : status && sharesOf(bytesOfStatus(status));
  const when = { now: `in ${seconds} s`, total: 'since the processes started', status: 'by the last status' }[basis ?? 'now'];
  return { now, total, ...(basis && { basis }), sums, ...(shares && { shares }), when };
}

/** Shares of the whole, which together are 1; undefined of nothing. */
function sharesOf({ local, remote, store }: Bytes): Bytes | undefined {
  const all = local + remote + store;
  return all > 0 ? { local: local / all, remote: remote / all, store: store / all } : undefined;
}

export const bytesIn = ({ bytes: { local, remote, store } }: ReadSums): number => local + remote + store;

const bytesOfStatus = ({ hits, localHits = hits }: StatusFigures): Bytes => ({
  local: Math.min(localHits, hits),
  remote: Math.max(0, hits - localHits),
  store: Math.max(0, 1 - hits),
});

/** Mean seconds of a request; undefined without any. */
export const meanOf = ({ count, seconds }: Required<Requests>): number | undefined =>
  count > 0 && seconds > 0 ? seconds / count : undefined;

/** Counters of another process, and counters that fell, began anew. */
function growth(before: PodCounters, after: PodCounters): PodCounters {
  if (before.process !== after.process) return after;
  const less = (now: number | undefined, then: number | undefined) =>
    amountOf(now) < amountOf(then) ? amountOf(now) : amountOf(now) - amountOf(then);
  const requests = (now: Requests | undefined, then: Requests | undefined): Requests => ({
    count: less(now?.count, then?.count),
    seconds: less(now?.seconds, then?.seconds),
    bytes: less(now?.bytes, then?.bytes),
    errors: less(now?.errors, then?.errors),
  });
  return {
    bytes: {
      local: less(after.bytes?.local, before.bytes?.local),
      remote: less(after.bytes?.remote, before.bytes?.remote),
      store: less(after.bytes?.store, before.bytes?.store),
    },
    evictions: less(after.evictions, before.evictions),
    drops: less(after.drops, before.drops),
    store: requests(after.store, before.store),
    cacheReads: requests(after.cacheReads, before.cacheReads),
    reads: requests(after.reads, before.reads),
    metadata: requests(after.metadata, before.metadata),
  };
}

/** Pods print any number; one that no engine counts up to is none. */
const amountOf = (number: number | undefined): number => (number !== undefined && number >= 0 && number <= 1e18 ? number : 0);

function sumOf(counters: readonly PodCounters[]): ReadSums {
  const sum = (of: (each: PodCounters) => number | undefined) => counters.reduce((total, each) => total + amountOf(of(each)), 0);
  const count = (of: (each: PodCounters) => number | undefined) => Math.round(sum(of));
  const requests = (of: (each: PodCounters) => Requests | undefined): Required<Requests> => ({
    count: count((each) => of(each)?.count),
    seconds: sum((each) => of(each)?.seconds),
    bytes: sum((each) => of(each)?.bytes),
    errors: count((each) => of(each)?.errors),
  });
  return {
    bytes: { local: sum(({ bytes }) => bytes?.local), remote: sum(({ bytes }) => bytes?.remote), store: sum(({ bytes }) => bytes?.store) },
    evictions: count(({ evictions }) => evictions),
    drops: count(({ drops }) => drops),
    store: requests(({ store }) => store),
    cacheReads: requests(({ cacheReads }) => cacheReads),
    reads: requests(({ reads }) => reads),
    metadata: requests(({ metadata }) => metadata),
  };
}

/** How full caches are: the bytes in those of all pods, and the room of these; undefined if no pod says what it holds. */
export function cacheFill({ pods, cache, status, workers }: Pick<SlowEvidence, 'pods' | 'cache' | 'status' | 'workers'>): Fill | undefined {
  const caches = pods.flatMap(({ role, counters }: SampledPod) => {
    const own = role === (cache?.in ?? role) ? counters?.after.cache : undefined;
    return own ? [{ used: amountOf(own.usedBytes), capacity: own.capacityBytes ?? cache?.bytes }] : [];
  });
  if (caches.length === 0) return fillOfStatus(status, workers?.ready);
  const sum = (of: (each: (typeof caches)[number]) => number) => caches.reduce((total, each) => total + of(each), 0);
  const isSized = caches.every(({ capacity }) => capacity !== undefined);
  const fullest = Math.max(...caches.map(({ used, capacity }) => (capacity ? used / capacity : 0)));
  return {
    pods: caches.length,
    usedBytes: sum(({ used }) => used),
    ...(isSized && { capacityBytes: sum(({ capacity }) => capacity ?? 0), fullest }),
  };
}
function fillOfStatus({ cachedBytes, capacityBytes }: Partial<StatusFigures> = {}, pods = 1): Fill | undefined {
  if (cachedBytes === undefined) return undefined;
  return {
    pods: Math.max(1, pods),
    usedBytes: cachedBytes,
    ...(capacityBytes !== undefined && capacityBytes > 0 && { capacityBytes, fullest: cachedBytes / capacityBytes }),
  };
}
/** Caches of pods together. */
export interface Fill {
  readonly pods: number;
  readonly usedBytes: number;
  readonly capacityBytes?: number;
  /** The fullest of them: used bytes by capacity, 0 to 1. */
  readonly fullest?: number;
}
