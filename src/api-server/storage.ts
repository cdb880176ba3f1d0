import type { KubeObject, ResourceType, WatchEvent } from '../kube/types.ts';
import { type Collection, createCollection } from './collection.ts';
import { type StoredChange, type Changed, createHistory, type History, type HistoryBounds } from './history.ts';

/** The objects, each change of them in order, and who waits for the next. */
export interface Storage {
  /** Up to which revision nothing is remembered any more. */
  readonly compacted: number;
  readonly revision: number;
  get(type: ResourceType, namespace: string | undefined, name: string): KubeObject | undefined;
  /** In the order in which they are listed. */
  all(type: ResourceType): readonly KubeObject[];
  /** Objects of every kind. */
  everything(): readonly KubeObject[];
  /** Returns the object with its new resourceVersion. */
  put(type: ResourceType, object: KubeObject): KubeObject;
  remove(type: ResourceType, object: KubeObject): void;
  /** The first change after a revision, as far as the watches of this kind are shown. @throws Refusal when it is forgotten */
  changeAfter(type: ResourceType, revision: number): StoredChange | undefined;
  /** Up to which revision the changes of this kind are forgotten. */
  forgotten(type: ResourceType): number;
  /** Resolves at the next event of this kind. */
  next(type: ResourceType): Promise<void>;
  /** Watches of this kind see nothing that happens from now on. */
  hold(type: ResourceType): void;
  release(type: ResourceType): void;
  /** Forgets all changes so far: a watch that continues from one is answered with 410. */
  compact(): void;
  wakeAll(type: ResourceType): void;
  /** All objects as they are now. They never change: a change makes another object. */
  snapshot(): Snapshot;
  /** Called with each change; returns what ends that. */
  follow(each: (change: Changed) => void): () => void;
  /** Called last. */
  onChange: () => void;
}

/** All objects of a server at one moment. */
export interface Snapshot {
  readonly revision: number;
  readonly objects: readonly { readonly type: ResourceType; readonly objects: readonly KubeObject[] }[];
}

interface Shelf {
  readonly type: ResourceType;
  readonly objects: Collection;
  readonly history: History;
  heldAt: number | undefined;
  waiting: PromiseWithResolvers<void> | undefined;
}

/**
 * @param from what it begins with; by default with nothing
 * @param bounds of the history; by default it has none
 */
export function createStorage(from: Snapshot = { revision: 100, objects: [] }, bounds?: HistoryBounds): Storage {
  const shelves = new Map<string, Shelf>();
  const followers = new Set<(change: Changed) => void>();
  let { revision } = from;
  // Older history is forgotten.
  let compacted = revision;

  function shelf(type: ResourceType): Shelf {
    const id = `${type.group}/${type.plural}`;
    let found = shelves.get(id);
    if (!found) {
      found = { type, objects: createCollection(), history: createHistory(compacted, bounds), heldAt: undefined, waiting: undefined };
      shelves.set(id, found);
    }
    return found;
  }
  function wake(at: Shelf): void {
    at.waiting?.resolve();
    at.waiting = undefined;
  }
  function record(at: Shelf, object: KubeObject | undefined, old: KubeObject | undefined): void {
    const change = { revision, object, old };
    at.history.add(change);
    if (at.heldAt === undefined) wake(at);
    for (const follower of followers) follower(change);
    self.onChange();
  }
  const keyOf = ({ metadata: { namespace, name } }: KubeObject) => `${namespace ?? ''}/${name}`;

  for (const { type, objects } of from.objects) for (const object of objects) shelf(type).objects.set(keyOf(object), object);

  const self: Storage = {
    onChange: () => {},
    get compacted() {
      return compacted;
    },
    get revision() {
      return revision;
    },
    get: (type, namespace, name) => shelf(type).objects.get(`${(type.namespaced && namespace) || ''}/${name}`),
    all: (type) => shelf(type).objects.sorted(),
    everything: () => [...shelves.values()].flatMap(({ objects }) => objects.all()),
    put(type, object) {
      const at = shelf(type);
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++revision) } };
      const key = keyOf(object);
      const old = at.objects.get(key);
      at.objects.set(key, stored);
      record(at, stored, old);
      return stored;
    },
    remove(type, object) {
      const at = shelf(type);
      const key = keyOf(object);
      const old = at.objects.get(key) ?? object;
      at.objects.delete(key);
      revision++;
      record(at, undefined, old);
    },
    changeAfter(type, after) {
      const { history, heldAt = revision } = shelf(type);
      const next = history.after(after);
      return next && next.revision <= heldAt ? next : undefined;
    },
    forgotten: (type) => shelf(type).history.forgotten,
    next(type) {
      const at = shelf(type);
      at.waiting ??= Promise.withResolvers();
      return at.waiting.promise;
    },
    hold(type) {
      shelf(type).heldAt ??= revision;
    },
    release(type) {
      const at = shelf(type);
      at.heldAt = undefined;
      wake(at);
    },
    compact() {
      compacted = revision;
      for (const { history } of shelves.values()) history.compact(revision);
    },
    follow(each) {
      followers.add(each);
      return () => void followers.delete(each);
    },
    wakeAll: (type) => wake(shelf(type)),
    snapshot: () => ({ revision, objects: [...shelves.values()].map(({ type, objects }) => ({ type, objects: objects.all() })) }),
  };
  return self;
}

/** The event that a watch with this selection gets for a change: an object that is no longer selected is DELETED for it. */
export function eventOf({ revision, object, old }: StoredChange, isSelected: (object: KubeObject) => boolean): WatchEvent | undefined {
  const was = old !== undefined && isSelected(old);
  const is = object !== undefined && isSelected(object);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was) return undefined;
  return { type: 'DELETED', object: { ...old, metadata: { ...old.metadata, resourceVersion: String(revision) } } };
}
