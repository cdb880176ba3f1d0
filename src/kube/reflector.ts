import { backoff, type Clock, sleep, systemClock } from './clock.ts';
import { type Change, createCollection, keyOf } from './collection.ts';
import type { KubeClient, Selection } from './contract.ts';
import { ApiError, isGone, isNotFound, NoAnswer } from './errors.ts';
import { type Limiter, type Slot, takeSlot } from './limiter.ts';
import { createWatchLag } from './watch-lag.ts';
import { listAll } from './pages.ts';
import { type KubeObject, type Log, type ResourceType, silent } from './types.ts';

export type { Change } from './collection.ts';

/** A live copy of one collection. */
export interface Reflector<T extends KubeObject> {
  /** Resolves when the first list is in the store; stays pending while there is none (kind not installed, server away) and after `stop`. */
  readonly synced: Promise<void>;
  /** Resolves as `synced` does, and also when the server says that it has no such kind: then there is nothing of it. */
  readonly answered: Promise<void>;
  /** By `<namespace>/<name>`; the same map for ever, changed in place just before each `onChange`. */
  readonly store: ReadonlyMap<string, T>;
  get(namespace: string | undefined, name: string): T | undefined;
  values(): IterableIterator<T>;
  /** Something of this collection is known to have this version, since we wrote or read it: the watch must get so far. */
  expect(resourceVersion: string): void;
  /** Ends it; no `onChange` comes after. */
  stop(): void;
  readonly status: ReflectorStatus;
}

/** For metrics, and to explain what is wrong. */
export interface ReflectorStatus {
  readonly synced: boolean;
  readonly lists: number;
  readonly watches: number;
  /** Failures in a row: 0 when all is well. */
  readonly failures: number;
  /** The server does not serve the kind: its CRD is not installed. */
  readonly unknownKind: boolean;
  readonly lastError: string | undefined;
  /** ms since the epoch, of the last complete list. */
  readonly lastSyncAt: number | undefined;
  readonly resourceVersion: string | undefined;
  /** Since anything came from the server, ms; up to a minute where nothing happens. Infinity before the first list. */
  readonly silentMs: number;
  /** For how long no watch has been open, ms; the silence of a connection that turned out dead counts. */
  readonly awayMs: number;
  /** The watch does not show a version that is known to exist. */
  readonly behind: boolean;
}

export interface ReflectOptions<T extends KubeObject> extends Selection {
  /**
   * What to keep of an object, uid and resourceVersion included; `before` is what was kept of it. Default: all but managedFields. What it
   * throws is logged, the object passed over.
   */
  readonly project?: (object: KubeObject, before?: T) => T;
  /** Called for each change in order, before anything else is read. What it throws is logged, and has no other effect. */
  readonly onChange: (change: Change<T>) => void;
  readonly onSynced?: () => void;
  /**
   * How many collections are listed at a time, of all that share it: the answers of one are many times as large as what is kept of them.
   * One whose pages do not come keeps the others waiting for seconds only.
   */
  readonly listing?: Limiter;
  readonly log?: Log;
  readonly clock?: Clock;
}

/** A watch that lasted so long had recovered: an error that ends it is a new one. */
const HEALTHY_MS = 10_000;
/** After this many rejections the server will not resume from this version: the collection is listed. */
const RESUMES = 5;
/** A single broken connection is normal; the second failure in a row is logged, once. */
const WORTH_A_LINE = 2;
/** For a page of a list. */
const PATIENCE_MS = 5_000;
/** A refused connection or a 404 costs the server little, and callers may wait for the server to start, or for the CRD. */
const CHEAP_MS = 5_000;
/** No API server that restarts takes so long to serve its kinds: this kind was uninstalled, and its objects with it. */
const UNINSTALLED_MS = 300_000;

/** A watch that is behind is resumed first; then what it should have shown is listed. */
const TRIES_WHEN_BEHIND = 2;

/**
 * Lists a collection, then watches it from there: for ever, whatever happens. A watch that ends is resumed where it
 * stopped; only when the server has forgotten that point is the collection listed anew and compared with the store.
 */
export function reflect<T extends KubeObject>(client: KubeClient, type: ResourceType, options: ReflectOptions<T>): Reflector<T> {
  const { onChange, onSynced, listing, log = silent, clock = systemClock, ...rest } = options;
  const { project = withoutManagedFields as (object: KubeObject, before?: T) => T, ...selection } = rest;
  const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
  const stopped = new AbortController();
  const { signal } = stopped;
  const first = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const state = { lists: 0, watches: 0, failures: 0, refusals: 0, unknownKind: false, synced: false };
  let lastError: string | undefined;
  /** The trouble that was logged and has not ended. */
  let logged: string | undefined;
  let lastSyncAt: number | undefined;
  let resourceVersion: string | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  let unknownSince: number | undefined;
  /** When the last watch ended; undefined while there is one. */
  let awaySince: number | undefined = clock.elapsed();
  /** The watch of the moment. */
  let watching = new AbortController();
  const lag = createWatchLag(clock, ({ version }) => {
    log.warn({ resource, expected: version, reached: resourceVersion, silentMs: silentMs() }, 'the watch is behind; restarting it');
    watching.abort();
  });

  const collection = createCollection<T>(
    (object, before) => guarded(() => project(object, before), object, 'an object could not be read; it is left out'),
    (change) => {
      if (!signal.aborted) guarded(() => onChange(change), change.object, 'the handler of a change threw');
    },
  );

  /** What a caller's function throws harms neither the store nor the stream. */
  function guarded<R>(call: () => R, object: KubeObject | undefined, otherwise: string): R | undefined {
    try {
      return call();
    } catch (error) {
      log.error({ resource, namespace: object?.metadata.namespace, name: object?.metadata.name, err: error }, otherwise);
      return undefined;
    }
  }

  async function list(slot?: Slot): Promise<void> {
    state.lists++;
    // Page by page: whole objects are many times as large as what is kept of them.
    const all = await listAll(client, type, { ...selection, signal, clock, retries: 0 }, (page) => {
      slot?.renew();
      return page.map(collection.read);
    });
    signal.throwIfAborted();
    collection.replace(all.items);
    resourceVersion = all.resourceVersion;
    lag.listed(resourceVersion);
    heardAt = clock.elapsed();
    lastSyncAt = clock.now();
    state.refusals = 0;
    state.unknownKind = false;
    unknownSince = undefined;
    log.debug({ resource, objects: all.items.length }, 'listed');
    if (state.synced) return;
    state.synced = true;
    first.resolve();
    answered.resolve();
    if (onSynced) guarded(onSynced, undefined, 'the handler of the first list threw');
  }

  /** Returns when the server ends the watch. */
  async function watch(from: string): Promise<void> {
    state.watches++;
    // Spread out, so that a restarted server is not asked by every watch at once five minutes later.
    const timeoutSeconds = Math.round(300 * (1 + clock.random()));
    const cancelHealthy = clock.after(HEALTHY_MS, recovered);
    watching = new AbortController();
    const late = lag.missing;
    const events = client.watch(type, { ...selection, resourceVersion: from, timeoutSeconds, signal: watching.signal, onHeard });
    try {
      for await (const { type: kind, object } of events) {
        if (kind === 'DELETED') collection.gone(object);
        else if (kind !== 'BOOKMARK') collection.seen(object);
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion ?? from;
        lag.reached(resourceVersion);
        recovered();
      }
    } finally {
      cancelHealthy();
      awaySince = clock.elapsed();
    }
    const { missing } = lag;
    if (missing && missing !== late) throw new Error(`the watch does not show version ${missing.version}, which exists`);
  }

  function onHeard(): void {
    heardAt = clock.elapsed();
    awaySince = undefined;
  }

  const silentMs = (): number => Math.round(clock.elapsed() - heardAt);
  function awayMs(): number {
    if (awaySince === undefined) return 0;
    return Math.round(clock.elapsed() - (state.failures > 0 ? Math.min(awaySince, heardAt) : awaySince));
  }

  function recovered(): void {
    if (state.failures === 0) return;
    if (logged !== undefined) log.info({ resource, failures: state.failures }, 'watching again');
    logged = undefined;
    state.failures = 0;
    state.refusals = 0;
    lastError = undefined;
  }

  /** Decides from where to go on. */
  function failed(error: unknown): void {
    lastError = error instanceof Error ? error.message : String(error);
    state.failures++;
    state.unknownKind = isNotFound(error);
    if (state.unknownKind) answered.resolve();
    unknownSince = state.unknownKind ? (unknownSince ?? clock.elapsed()) : undefined;
    // As a process that starts now would see it.
    if (unknownSince !== undefined && clock.elapsed() - unknownSince >= UNINSTALLED_MS) collection.replace([]);
    if (refusesResume(error)) state.refusals++;
    if (isGone(error) || isNotFound(error) || state.refusals >= RESUMES || (lag.missing?.times ?? 0) >= TRIES_WHEN_BEHIND) {
      resourceVersion = undefined;
      state.refusals = 0;
    }
    const trouble = state.unknownKind ? 'kind not installed' : 'watch failed; retrying';
    const isNews = trouble !== logged && (state.unknownKind || state.failures >= WORTH_A_LINE);
    if (isNews) logged = trouble;
    log[isNews ? 'warn' : 'debug']({ resource, error: lastError, failures: state.failures }, trouble);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const began = clock.elapsed();
      let askedToWait = 0;
      let isCheapToAsk = false;
      try {
        if (resourceVersion === undefined) {
          const slot = listing && (await takeSlot(listing, clock, PATIENCE_MS, signal));
          await list(slot).finally(slot?.release);
          continue;
        }
        await watch(resourceVersion);
        if (signal.aborted || clock.elapsed() - began >= HEALTHY_MS) continue;
        failed(new Error('the server ended the watch early'));
      } catch (error) {
        failed(error);
        if (error instanceof ApiError) askedToWait = error.retryAfterMs ?? 0;
        isCheapToAsk = isNotFound(error) || (error instanceof NoAnswer && !error.mayHaveArrived);
      }
      const wait = backoff(state.failures, clock.random, isCheapToAsk ? { mostMs: CHEAP_MS } : {});
      // Rejects only when stopped, which the loop sees.
      await sleep(clock, Math.max(wait, askedToWait), signal).catch(() => {});
    }
  }

  void run();
  return {
    synced: first.promise,
    answered: answered.promise,
    store: collection.store,
    get: (namespace, name) => collection.store.get(keyOf(namespace, name)),
    values: () => collection.store.values(),
    expect: lag.expect,
    stop() {
      stopped.abort();
      watching.abort();
      lag.stop();
    },
    get status() {
      return {
        ...state,
        lastError,
        lastSyncAt,
        resourceVersion,
        silentMs: silentMs(),
        awayMs: awayMs(),
        behind: lag.missing !== undefined,
      };
    },
  };
}

/** Errors that resuming cannot cure: not 429 or 503, nor the silence of a server that restarts. */
const refusesResume = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof ApiError && error.status !== 429 && error.status !== 503);

/** managedFields are often half of an object, and no caller reads them. */
function withoutManagedFields({ metadata, ...rest }: KubeObject): KubeObject {
  const { managedFields: _, ...kept } = metadata;
  // The rest of a KubeObject without its metadata, with metadata.
  return { ...rest, metadata: kept } as KubeObject;
}
