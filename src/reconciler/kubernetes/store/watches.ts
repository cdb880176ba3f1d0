import type { Clock } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { createLimiter } from '../../../kube/turns/limiter.ts';
import { type ObjectChange, reflect, type Reflector } from '../../../kube/watch/reflector.ts';
import type { KubeObject, Log, ResourceType } from '../../../kube/types.ts';
import { createOwnWrites } from './own-writes.ts';
import type { Projection } from './projection.ts';

/** One watch for each kind, and over it what the controller wrote itself until the watch shows it. */
export interface Watches {
  /** Begins a watch at once. `onChange` is called for each change, in order, after `shown` and `newest` have it. */
  watch(type: ResourceType, onChange: OnChange, options?: WatchSelection): Watched;
  /** As `newest` of the watch of this kind; undefined if the kind is not watched. */
  newest(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /**
   * The controller's writes for the owner with this UID, which the watches may not show yet; undefined if they show all that it wrote or
   * found.
   */
  ownWrites(uid: string): readonly KubeObject[] | undefined;
  /** Throws if the kind is not watched. */
  typeOf(kind: string): ResourceType;
  /** Grows whenever `newest` of this kind may return something else, other than versions that the selection calls the same. */
  editionOf(kind: string): number;
  /** The kept part of an object: for a version that is kept already, the same object. */
  read(object: KubeObject, before?: KubeObject): KubeObject;
  /** The answer to a write: `newest` has it until the watch shows it. */
  remember(object: KubeObject): void;
  /** The answer to a creation. */
  created(object: KubeObject): void;
  /** Keeps an object that was read; its event is still news to all others. */
  found(object: KubeObject): void;
  /** A read found that this object does not exist: `newest` does not have it, though the watch shows it. */
  forget(object: KubeObject): void;
  /** By plural; with namespaces by `<namespace>/<plural>`, but for kinds of the cluster. */
  readonly reflectors: ReadonlyMap<string, Reflector<KubeObject>>;
  /** Resolves when each watch has its first list; an optional one also when the API server does not know its kind. */
  synced(): Promise<unknown>;
  stop(): void;
}

export interface Watched {
  /** As the watch shows it. */
  shown(namespace: string | undefined, name: string): KubeObject | undefined;
  /** As the controller knows it to be: as the watch shows it, or as its own last write was answered. */
  newest(namespace: string | undefined, name: string): KubeObject | undefined;
  /** As the watch shows them. */
  values(): Iterable<KubeObject>;
}

export interface WatchSelection {
  /** The key of a label that objects must have. */
  readonly label?: string;
  /** The API server sends nothing but metadata. */
  readonly metadataOnly?: boolean;
  /** The kind's CRD may not be installed. */
  readonly optional?: boolean;
  /** Versions that make no new edition of the kind. Default: none. */
  readonly isSame?: (old: KubeObject, now: KubeObject) => boolean;
}

/** @param isEcho it is the version that a write of ours was answered with */
export type OnChange = (change: ObjectChange<KubeObject>, isEcho: boolean) => void;

/** When all watches expire at once, whole lists of thousands are read: two at a time keep this one thread as busy as all would. */
const LISTS_AT_A_TIME = 2;

interface Running {
  readonly type: ResourceType;
  readonly selection: WatchSelection;
  /** By namespace; by undefined, where one watch is of all. */
  readonly reflectors: ReadonlyMap<string | undefined, Reflector<KubeObject>>;
}

/** @param namespaces the only ones that are watched; absent: all, in one watch of each kind */
export function createWatches(client: KubeClient, project: Projection, log: Log, clock: Clock, namespaces?: readonly string[]): Watches {
  const listing = createLimiter(LISTS_AT_A_TIME, clock);
  const own = createOwnWrites(project);
  const byKind = new Map<string, Running>();
  const reflectors = new Map<string, Reflector<KubeObject>>();
  const editions = new Map<string, number>();
  const editionOf = (kind: string): number => editions.get(kind) ?? 0;
  const changed = (kind: string) => editions.set(kind, editionOf(kind) + 1);

  const read: Projection = (object, before) => own.kept(object) ?? project(object, before);

  const reflectorOf = (running: Running | undefined, namespace: string | undefined) =>
    running?.reflectors.get(undefined) ?? running?.reflectors.get(namespace);

  function know(object: KubeObject, how: 'remember' | 'created' | 'found'): void {
    const { namespace, name, labels, resourceVersion = '' } = object.metadata;
    const found = byKind.get(object.kind);
    const reflector = reflectorOf(found, namespace);
    // No watch would ever replace it, and the value of a Secret must not stay in memory.
    if (!found || !reflector) return;
    const { selection } = found;
    const before = own.newest(object.kind, reflector, namespace, name);
    own[how](object, reflector);
    const after = own.newest(object.kind, reflector, namespace, name);
    if (!before || !after || !selection.isSame?.(before, after)) changed(object.kind);
    if (selection.label === undefined || labels?.[selection.label] !== undefined) reflector.expect(resourceVersion);
  }

  /** Begins the watch of one namespace, or of all. */
  function begin(type: ResourceType, onChange: OnChange, selection: WatchSelection, namespace: string | undefined) {
    const { label, metadataOnly } = selection;
    const reflector: Reflector<KubeObject> = reflect<KubeObject>(client, type, {
      ...(namespace !== undefined && { namespace }),
      ...(label !== undefined && { labelSelector: label }),
      ...(metadataOnly !== undefined && { metadataOnly }),
      listing,
      log,
      clock,
      onChange(change) {
        if (change.type !== 'changed' || !selection.isSame?.(change.old, change.object)) changed(type.kind);
        const { isEcho, missed } = own.settle(change, type.kind, reflector);
        if (missed) onChange({ type: 'deleted', object: missed }, false);
        onChange(change, isEcho);
      },
      onListed() {
        for (const object of own.unlisted(type.kind, reflector, namespace)) {
          changed(type.kind);
          onChange({ type: 'deleted', object }, false);
        }
      },
      project: read,
    });
    reflectors.set(namespace === undefined ? type.plural : `${namespace}/${type.plural}`, reflector);
    return reflector;
  }

  return {
    watch(type, onChange, selection = {}) {
      const scopes = type.namespaced && namespaces ? namespaces : [undefined];
      const running = {
        type,
        selection,
        reflectors: new Map(scopes.map((namespace) => [namespace, begin(type, onChange, selection, namespace)] as const)),
      };
      byKind.set(type.kind, running);
      return {
        shown: (namespace, name) => reflectorOf(running, namespace)?.get(namespace, name),
        newest: (namespace, name) => own.newest(type.kind, reflectorOf(running, namespace), namespace, name),
        *values() {
          for (const reflector of running.reflectors.values()) yield* reflector.values();
        },
      };
    },
    newest: (kind, namespace, name) => own.newest(kind, reflectorOf(byKind.get(kind), namespace), namespace, name),
    ownWrites: (uid) => (own.size === 0 ? undefined : own.of(uid)),
    typeOf(kind) {
      const found = byKind.get(kind);
      if (!found) throw new Error(`expected a kind that is watched, found ${kind}`);
      return found.type;
    },
    editionOf,
    read,
    remember: (object) => know(object, 'remember'),
    created: (object) => know(object, 'created'),
    found: (object) => know(object, 'found'),
    forget(object) {
      const reflector = reflectorOf(byKind.get(object.kind), object.metadata.namespace);
      if (reflector) own.forget(object, reflector);
      changed(object.kind);
    },
    reflectors,
    synced: () =>
      Promise.all(
        [...byKind.values()].flatMap(({ reflectors: all, selection }) =>
          [...all.values()].map(({ answered, synced }) => (selection.optional ? answered : synced)),
        ),
      ),
    stop() {
      for (const reflector of reflectors.values()) reflector.stop();
    },
  };
}
