import type { BytesRead } from '../../constructs/index.ts';
import { equal } from '../../planning/diff/merge-patch.ts';

/** Bytes that readers got from the cache and from the store since this process first asked. */
export interface ReadTotals {
  readonly cache: number;
  readonly store: number;
}

/**
 * Counters of Datasets from counters of engines. An engine's begin anew with each of its processes, and those of clients that are gone are
 * missing from a sum: exported as they are, Prometheus would take each for a reset, and add all that is left once more. So the growth of each
 * client is added here, and nothing ever falls.
 */
export interface ReadCounters {
  /** A probe of the runtime with this UID was answered, now or before. */
  seen(dataset: string, uid: string, read: readonly BytesRead[]): void;
  of(dataset: string): ReadTotals | undefined;
  forget(dataset: string): void;
  /** Another process asks from now on. */
  clear(): void;
}

interface Known {
  readonly uid: string;
  /** The last answer: a pass that has no newer one brings it again. */
  read?: readonly BytesRead[];
  readonly clients: Map<string, { cache: number; store: number; missed: number }>;
  cache: number;
  store: number;
}

/** A client that has not answered so many probes is gone. One that answers again before has not begun anew. */
const MOST_MISSED = 10;

export function createReadCounters(): ReadCounters {
  const byDataset = new Map<string, Known>();
  return {
    seen(dataset, uid, read) {
      const before = byDataset.get(dataset);
      const known: Known = before?.uid === uid ? before : { uid, clients: new Map(), cache: 0, store: 0 };
      byDataset.set(dataset, known);
      if (equal(known.read, read)) return;
      const isFirst = known.read === undefined;
      known.read = read;
      for (const client of known.clients.values()) client.missed++;
      for (const { client, cacheBytes: cache, storeBytes: store } of summed(read)) {
        const last = known.clients.get(client) ?? (isFirst ? { cache, store } : { cache: 0, store: 0 });
        known.cache += Math.max(0, cache - last.cache);
        known.store += Math.max(0, store - last.store);
        known.clients.set(client, { cache, store, missed: 0 });
      }
      for (const [client, { missed }] of known.clients) if (missed > MOST_MISSED) known.clients.delete(client);
    },
    of: (dataset) => byDataset.get(dataset),
    forget: (dataset) => void byDataset.delete(dataset),
    clear: () => byDataset.clear(),
  };
}

/** Two clients that go by one name count as one. */
function summed(read: readonly BytesRead[]): readonly BytesRead[] {
  if (read.length < 2) return read;
  const all = Map.groupBy(read, ({ client }) => client);
  return [...all].map(([client, each]) => ({
    client,
    cacheBytes: each.reduce((sum, { cacheBytes }) => sum + cacheBytes, 0),
    storeBytes: each.reduce((sum, { storeBytes }) => sum + storeBytes, 0),
  }));
}
