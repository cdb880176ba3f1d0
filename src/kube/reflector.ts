import { backoff, type Clock, sleep, systemClock } from './clock.ts';
import { type Change, createCollection, keyOf } from './collection.ts';
import type { KubeClient, Selection } from './contract.ts';
import { ApiError, isGone, isNotFound, NoAnswer } from './errors.ts';
import { type Gate, type Place, takePlace } from './gate.ts';
import { createLookout } from './lookout.ts';
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

/** For metrics and for saying what is the matter. */
export interface ReflectorStatus {
  readonly synced: boolean;
  readonly lists: number;
  readonly watches: number;
  /** Failures in a row: 0 when all is well. */
  readonly failures: number;
  /** The server does not know the kind: its CRD is not installed. */
  readonly unknownKind: boolean;
  readonly lastError: string | undefined;
  /** ms since the epoch, of the last complete list. */
  readonly lastSyncAt: number | undefined;
  readonly resourceVersion: string | undefined;
  /** Since anything came from the server, ms; up to a minute where nothing happens. Infinity before the first list. */
  readonly silentMs: number;
  /** For how long there has been no watch, ms; what a connection that turned out dead did not tell counts. */
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
  /** Told of each change in order, before anything else is read. What it throws is logged, and does no harm. */
  readonly onChange: (change: Change<T>) => void;
  readonly onSynced?: () => void;
  /**
   * How many collections are listed at a time, of all that share it: the answers of one are many times as large as what is kept of them.
   * One whose pages do not come keeps the others waiting for seconds only.
   */
  readonly listing?: Gate;
  readonly log?: Log;
  readonly clock?: Clock;
}

/** A watch that lived so long was a good one: whatever ends it is new trouble, not the old. */
const HEALTHY_MS = 10_000;
/** A server that keeps refusing to resume here will not change its mind. */
const RESUMES = 5;
/** One broken connection is everyday life; the second failure in a row is news, once. */
const WORTH_A_LINE = 2;
/** For a page of a list. */
const PATIENCE_MS = 5_000;
/** Nobody is burdened by a refused connection or a 404, and somebody may be waiting for the server, or the CRD, to come. */
const CHEAP_MS = 5_000;
/** No API server that restarts takes so long to serve its kinds: this one was uninstalled, and its objects with it. */
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
  /** The trouble that was logged and is not over. */
  let said: string | undefined;
  let lastSyncAt: number | undefined;
  let resourceVersion: string | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  let unknownSince: number | undefined;
  /** When the last watch ended; undefined while there is one. */
  let awaySince: number | undefined = clock.elapsed();
  /** The watch of the moment. */
  let watching = new AbortController();
  const lookout = createLookout(clock, ({ version }) => {
    log.warn({ resource, expected: version, reached: resourceVersion, silentMs: silentMs() }, 'the watch is behind, and is begun anew');
    watching.abort();
  });

  const collection = createCollection<T>(
    (object, before) => guarded(() => project(object, before), object, 'an object was not understood'),
    (change) => {
      if (!signal.aborted) guarded(() => onChange(change), change.object, 'a change was not handled');
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

  async function list(place?: Place): Promise<void> {
    state.lists++;
    // Page by page: whole objects are many times as large as what is kept of them.
    const all = await listAll(client, type, { ...selection, signal, clock, retries: 0 }, (page) => {
      place?.renew();
      return page.map(collection.read);
    });
    signal.throwIfAborted();
    collection.replace(all.items);
    resourceVersion = all.resourceVersion;
    lookout.listed(resourceVersion);
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
    if (onSynced) guarded(onSynced, undefined, 'the first list was not handled');
  }

  /** Returns when the server ends the watch. */
  async function watch(from: string): Promise<void> {
    state.watches++;
    // Spread out, so that a restarted server is not asked by every watch at once five minutes later.
    const timeoutSeconds = Math.round(300 * (1 + clock.random()));
    const cancelHealthy = clock.after(HEALTHY_MS, recovered);
    watching = new AbortController();
    const late = lookout.missing;
    const events = client.watch(type, { ...selection, resourceVersion: from, timeoutSeconds, signal: watching.signal, onHeard });
    try {
      for await (const { type: kind, object } of events) {
        if (kind === 'DELETED') collection.gone(object);
        else if (kind !== 'BOOKMARK') collection.seen(object);
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion ?? from;
        lookout.reached(resourceVersion);
        recovered();
      }
    } finally {
      cancelHealthy();
      awaySince = clock.elapsed();
    }
    const { missing } = lookout;
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
    if (said !== undefined) log.info({ resource, failures: state.failures }, 'in touch again');
    said = undefined;
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
    // As a process would see it that starts now.
    if (unknownSince !== undefined && clock.elapsed() - unknownSince >= UNINSTALLED_MS) collection.replace([]);
    if (refusesResume(error)) state.refusals++;
    if (isGone(error) || isNotFound(error) || state.refusals >= RESUMES || (lookout.missing?.times ?? 0) >= TRIES_WHEN_BEHIND) {
      resourceVersion = undefined;
      state.refusals = 0;
    }
    const trouble = state.unknownKind ? 'kind not installed' : 'lost touch';
    const isNews = trouble !== said && (state.unknownKind || state.failures >= WORTH_A_LINE);
    if (isNews) said = trouble;
    log[isNews ? 'warn' : 'debug']({ resource, error: lastError, failures: state.failures }, trouble);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const began = clock.elapsed();
      let askedToWait = 0;
      let isCheapToAsk = false;
      try {
        if (resourceVersion === undefined) {
          const place = listing && (await takePlace(listing, clock, PATIENCE_MS, signal));
          await list(place).finally(place?.leave);
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
    expect: lookout.expect,
    stop() {
      stopped.abort();
      watching.abort();
      lookout.stop();
    },
    get status() {
      return {
        ...state,
        lastError,
        lastSyncAt,
        resourceVersion,
        silentMs: silentMs(),
        awayMs: awayMs(),
        behind: lookout.missing !== undefined,
      };
    },
  };
}

/** Answers that come back however often we resume: not 429 or 503, nor the silence of a server that restarts. */
const refusesResume = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof ApiError && error.status !== 429 && error.status !== 503);

/** They are half of many an object, and nobody reads them here. */
function withoutManagedFields({ metadata, ...rest }: KubeObject): KubeObject {
  const { managedFields: _, ...kept } = metadata;
  // The rest of a KubeObject without its metadata, with metadata.
  return { ...rest, metadata: kept } as KubeObject;
}
