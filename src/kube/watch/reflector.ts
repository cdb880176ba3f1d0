/**
 * A live copy of one collection: it is listed, then watched from there, for ever, after any error.
 *
 *                 list is complete              watch begins
 *     unlisted ───────────────────► listed ────────────────────► watching
 *       ▲ │ ▲                         ▲                            │ │
 *       └─┘ │                         └───── it ends or fails ─────┘ │
 *      list │                                                        │
 *     fails └─── the server no longer has that version, rejects it ──┘
 *                five times, or does not serve the kind; or the watch stays behind
 *
 * These transitions are in watch-state.ts. `list` and `watch` are what happens in a state.
 */
import { type Clock, systemClock } from '../clock.ts';
import { type ObjectChange, createCollection, keyOf, type WatchedCollection } from './collection.ts';
import type { KubeClient, Selection } from '../contract.ts';
import { isNotFound } from '../errors.ts';
import { createFirstList } from './first-list.ts';
import { type Limiter, type Slot, takeSlot } from '../turns/limiter.ts';
import { listAll } from './pages.ts';
import { pauseMs, repeat } from './repeat.ts';
import { watchOnce } from './one-watch.ts';
import { createHealthRecord, type HealthRecord, type ReflectorHealth } from './reflector-health.ts';
import { createProgress, type WatchProgress } from './progress.ts';
import { type Listed, versionOf } from './watch-state.ts';
import { type KubeObject, type Log, type ResourceType, silent, type WatchEvent, withoutManagedFields } from '../types.ts';

export type { ObjectChange } from './collection.ts';

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

export interface ReflectorStatus extends ReflectorHealth {
  readonly synced: boolean;
  readonly resourceVersion: string | undefined;
  /** The watch does not show a version that is known to exist. */
  readonly behind: boolean;
}

export interface ReflectOptions<T extends KubeObject> extends Selection {
  /**
   * The part of an object to keep, uid and resourceVersion included; `before` is the part kept of it so far. Default: all but
   * managedFields. An object for which this throws is logged and passed over.
   */
  readonly project?: (object: KubeObject, before?: T) => T;
  /** Called for each change in order, before anything else is read. What it throws is logged, and has no other effect. */
  readonly onChange: (change: ObjectChange<T>) => void;
  readonly onSynced?: () => void;
  /** Called after the changes that a list shows, each time. */
  readonly onListed?: () => void;
  /**
   * How many collections are listed at a time, of all that share it: the answers of one are many times as large as what is kept of them.
   * One whose pages do not come keeps the others waiting for seconds only.
   */
  readonly listing?: Limiter;
  readonly log?: Log;
  readonly clock?: Clock;
}

/** For a page of a list. */
const PATIENCE_MS = 5_000;

/** A watch that ends is resumed where it stopped; only when that is impossible is the collection listed anew and compared with the store. */
export function reflect<T extends KubeObject>(client: KubeClient, type: ResourceType, options: ReflectOptions<T>): Reflector<T> {
  const { onChange, onSynced, onListed, listing, log = silent, clock = systemClock, ...rest } = options;
  const { project = withoutManagedFields as (object: KubeObject, before?: T) => T, ...selection } = rest;
  const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
  const guarded = guardFor(resource, log);
  const stopped = new AbortController();
  const { signal } = stopped;
  const first = createFirstList();
  const health = createHealthRecord(resource, clock, log);
  const progress = createProgress(clock, ({ version }, state) => {
    const { silentMs } = health.current;
    log.warn({ resource, expected: version, reached: versionOf(state), silentMs }, 'the watch is behind; restarting it');
  });
  const collection = createCollection<T>(
    (object, before) => guarded(() => project(object, before), object, 'an object could not be read; it is left out'),
    (change) => {
      if (!signal.aborted) guarded(() => onChange(change), change.object, 'the handler of a change threw');
    },
  );
  const source: Source<T> = { client, type, selection, clock, signal, collection, health, progress };

  async function step(): Promise<void> {
    if (progress.state.is === 'listed') return watch(source, progress.state);
    const slot = listing && (await takeSlot(listing, clock, PATIENCE_MS, { signal }));
    await list(source, slot).then(showList).finally(slot?.release);
  }

  function showList(objects: number): void {
    log.debug({ resource, objects }, 'listed');
    if (onListed) guarded(onListed, undefined, 'the handler of a list threw');
    if (first.complete() && onSynced) guarded(onSynced, undefined, 'the handler of the first list threw');
  }

  /** Returns how long to wait before the next step, ms. */
  function stepFailed(error: unknown): number {
    health.failed(error);
    if (isNotFound(error)) first.isUnknown();
    // As a process that starts now would see it.
    if (health.isUninstalled) collection.replace([]);
    progress.failed(error);
    health.logFailure();
    return pauseMs(error, health.current.failures, clock);
  }

  void repeat(step, stepFailed, clock, signal);
  return {
    synced: first.synced,
    answered: first.answered,
    store: collection.store,
    get: (namespace, name) => collection.store.get(keyOf(namespace, name)),
    values: () => collection.store.values(),
    expect: progress.expect,
    stop() {
      stopped.abort();
      progress.stop();
    },
    get status() {
      const { state, missing } = progress;
      return { ...health.current, synced: first.isComplete, resourceVersion: versionOf(state), behind: missing !== undefined };
    },
  };
}

/** The collection in the cluster, and what is known of it here. */
interface Source<T> {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly selection: Selection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly collection: WatchedCollection<T>;
  readonly health: HealthRecord;
  readonly progress: WatchProgress;
}

/** Lists the collection. Returns how many objects it has. */
async function list<T>({ client, type, selection, clock, signal, collection, health, progress }: Source<T>, slot?: Slot): Promise<number> {
  health.listBegins();
  // Page by page: whole objects are many times as large as what is kept of them.
  const { items, resourceVersion } = await listAll(client, type, { ...selection, signal, clock, retries: 0 }, (page) => {
    slot?.renew();
    return page.map(collection.read);
  });
  signal.throwIfAborted();
  collection.replace(items);
  progress.listed(resourceVersion);
  health.listed();
  return items.length;
}

/** Watches the collection until the server ends that, or it is closed. */
async function watch<T>({ client, type, selection, clock, collection, health, progress }: Source<T>, from: Listed): Promise<void> {
  const connection = new AbortController();
  function works(): void {
    progress.resumed();
    health.recovered();
  }
  function show({ type: kind, object }: WatchEvent): void {
    const version = object.metadata.resourceVersion;
    if (kind === 'DELETED') collection.gone(object);
    else if (kind !== 'BOOKMARK') collection.seen(object);
    if (version !== undefined) progress.reached(version);
    works();
  }
  progress.begins(from, () => connection.abort());
  health.watchBegins();
  try {
    const limits = { from: from.version, signal: connection.signal, clock };
    await watchOnce(client, { type, selection, ...limits, onHeard: health.heard, onEvent: show, onHealthy: works });
  } finally {
    health.watchEnded();
  }
  progress.ended();
}

/** An error of a caller's function harms neither the store nor the stream: it is logged. */
function guardFor(resource: string, log: Log) {
  return <R>(call: () => R, object: KubeObject | undefined, otherwise: string): R | undefined => {
    try {
      return call();
    } catch (error) {
      log.error({ resource, namespace: object?.metadata.namespace, name: object?.metadata.name, err: error }, otherwise);
      return undefined;
    }
  };
}
