import { isDeepStrictEqual } from 'node:util';
import { Dataset, type InvalidSpec, joinedName, label, type Resource, rivalNames } from '../../../api/index.ts';
import type { Runtime } from '../../../constructs/index.ts';
import { systemClock } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { createLimiter } from '../../../kube/limiter.ts';
import { type Change, type Reflector, reflect } from '../../../kube/reflector.ts';
import type { KubeObject, Log, ResourceType } from '../../../kube/types.ts';
import type { Candidate } from '../../cluster.ts';
import { type Key, keyText, type LiveObject, type RuntimeObject } from '../../world.ts';
import { createGroups } from './groups.ts';
import { Node, ownedKinds, Pod, typeOf } from '../kinds.ts';
import { isElsewhere, isNews } from './pod-news.ts';
import { createOwnWrites } from './own-writes.ts';
import { createPortTable, type PortTable } from './port-table.ts';
import { createProjection, metadataOnly, nodeProjection, podProjection } from './projection.ts';
import { faultOf, isNoNews, isSame, readResource, whatMatters } from './resources.ts';
import { createSharing } from './sharing.ts';
import { createSubscriptions } from './subscriptions.ts';

/** The cluster as last seen: one watch per kind, and what we ourselves wrote a moment ago. */
export interface Store {
  /** Every watch has its first list, but for kinds of runtimes that are not installed: they are served as soon as their CRD comes. */
  readonly synced: Promise<unknown>;
  /** What the watches are worth, by plural; for /readyz and metrics. */
  readonly reflectors: ReadonlyMap<string, Reflector<KubeObject>>;
  dataset(key: Key): Dataset | undefined;
  /** What is wrong with its spec, where that does not even parse. */
  faultOf(dataset: Dataset): InvalidSpec | undefined;
  datasets(): Iterable<Dataset>;
  runtimes(key: Key): readonly Candidate[];
  allRuntimes(): Iterable<Candidate>;
  /** Whether a runtime that we know has this UID. */
  isRuntime(uid: string): boolean;
  /** Datasets that would go by the same names or node labels. */
  namesakes(key: Key): readonly Dataset[];
  /** A profile or the like, for a runtime of this key: it is told of changes from then on. Throws InvalidSpec where it does not parse. */
  companion(kind: string, name: string, user: Key): Resource | undefined;
  /** The runtime of this key is told from then on of changes of another Dataset, of what serves it and of its volume. */
  refers(user: Key, to: Key): void;
  /** Any object of a kind that is watched, as last seen. */
  seen(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** Of a kind that is watched. */
  typeOf(kind: string): ResourceType;
  live(kind: string, namespace: string | undefined, name: string): LiveObject | undefined;
  /** Everything that carries the inventory label of this owner; a copy that somebody made in another namespace is theirs. */
  inventory(owner: { readonly uid: string; readonly namespace: string }): readonly LiveObject[];
  pods(workload: { readonly uid: string; readonly namespace?: string | undefined }): readonly KubeObject[];
  /** Whether a runtime is to be told when a fuse pod of its can be asked something. They come and go with their users, mostly unasked. */
  awaitFuse(uid: string, isAwaited: boolean): void;
  /** Host ports of all runtimes. */
  readonly ports: PortTable;
  nodes(): Iterable<KubeObject>;
  node(name: string): KubeObject | undefined;
  /** What would be kept of an object that was read. */
  project(object: KubeObject): LiveObject;
  /** Our own write, until its event comes. */
  remember(object: KubeObject): void;
  /** What we found to be deleted, until its event comes. */
  forget(object: KubeObject): void;
  stop(): void;
}

export interface StoreOptions {
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  /** A dataset or runtime of this key, or something that belongs to it, changed. */
  readonly onKey: (key: Key, because: string) => void;
  /** A runtime is gone, whether or not it was ever set up. `onKey` follows, and no pass over its key begins in between. */
  readonly onGone: (key: Key, uid: string) => void;
  readonly onPlacement: (moved: Moved) => void;
  readonly log: Log;
}
/** A pod of a workload came, went, ended or found its node; or a node came, went or got other labels. */
export type Moved = { readonly workload: string } | { readonly node: string };

/** When all watches expire at once, whole lists of thousands are read: two at a time keep this one thread as busy as all would. */
const LISTS_AT_A_TIME = 2;

export function createStore({ client, runtimes, onKey, onGone, onPlacement, log }: StoreOptions): Store {
  // Two would both claim each object, and write its status in turn for ever.
  const twin = runtimes.find(({ resource }, i) => runtimes.findIndex((other) => other.resource.kind === resource.kind) < i);
  if (twin) throw new Error(`runtimes: expected one definition for each kind, found a second for ${twin.resource.kind}, ${twin.type}`);
  const reflectors = new Map<string, Reflector<KubeObject>>();
  const listing = createLimiter(LISTS_AT_A_TIME, systemClock);
  const watched = new Map<string, { readonly type: ResourceType; readonly reflector: Reflector<KubeObject> }>();
  const expecting = new Map<string, (object: KubeObject) => void>();
  const own = createOwnWrites(project);
  const { newest } = own;
  const keyOfOwner = new Map<string, Key>();
  const inventories = createGroups<LiveObject>();
  const podsOf = createGroups<KubeObject>();
  const byJoinedName = new Map<string, readonly Key[]>();
  const engines = runtimes.flatMap((runtime) => runtime.engines);
  const runtimeKinds = new Set(runtimes.map(({ resource }) => resource.kind));
  const ports = createPortTable();
  const sharing = createSharing();
  const projected = createProjection(sharing);
  const resources = new Map(
    [Dataset, ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])].map((each) => [each.kind, each]),
  );
  const subscriptions = createSubscriptions();
  const fuseAwaited = new Set<string>();

  function watch(
    type: ResourceType,
    onChange: (change: Change<KubeObject>, isEcho: boolean) => void,
    options: { labelSelector?: string; metadataOnly?: boolean } = {},
  ) {
    const reflector = reflect<KubeObject>(client, type, {
      ...options,
      listing,
      log,
      onChange(change) {
        onChange(change, own.settle(change, type.kind));
      },
      project: read,
    });
    reflectors.set(type.plural, reflector);
    watched.set(type.kind, { type, reflector });
    const { labelSelector } = options;
    expecting.set(type.kind, ({ metadata: { labels, resourceVersion = '' } }) => {
      if (labelSelector === undefined || labels?.[labelSelector] !== undefined) reflector.expect(resourceVersion);
    });
    return reflector;
  }

  const datasets = watch(typeOf(Dataset), (change, isEcho) => {
    const { object } = change;
    const key = keyOf(object);
    if (change.type !== 'changed') {
      const joined = joinedName(key);
      const others = byJoinedName.get(joined)?.filter((other) => keyText(other) !== keyText(key)) ?? [];
      const all = change.type === 'added' ? [...others, key] : others;
      if (all.length > 0) byJoinedName.set(joined, all);
      else byJoinedName.delete(joined);
    }
    // That it is Bound by our own word is news all the same: more is done for it from then on.
    const isReckonedWith = isEcho && change.type === 'changed' && phaseOf(change.old) === phaseOf(object);
    const isNew = isEcho || change.type !== 'changed' || !isNoNews(change.old, object);
    if (isNew) wakeReferring(key, change);
    if (isNew && !isReckonedWith) onKey(key, `Dataset ${change.type}`);
  });

  const runtimesByKind = new Map(
    runtimes.map((runtime) => [
      runtime,
      watch(typeOf(runtime.resource), (change, isEcho) => {
        const { object } = change;
        const { uid = '' } = object.metadata;
        if (change.type === 'deleted') {
          keyOfOwner.delete(uid);
          ports.gone(uid);
          subscriptions.forget(keyOf(object));
          fuseAwaited.delete(uid);
          onGone(keyOf(object), uid);
        } else {
          keyOfOwner.set(uid, keyOf(object));
          // What came before it.
          for (const each of inventories.of(uid)) if (!isIn(each, keyOf(object))) inventories.delete(uid, each);
          ports.seen(object, runtime);
        }
        const isNew = isEcho || change.type !== 'changed' || !isNoNews(change.old, object);
        if (isNew) wakeReferring(keyOf(object), change);
        if (isNew && !isEcho) onKey(keyOf(object), `${object.kind} ${change.type}`);
      }),
    ]),
  );

  const companions = new Map(
    runtimes.flatMap((runtime) =>
      runtime.companions.map((companion) => [
        companion.kind,
        watch(typeOf(companion), (change) => {
          const { name } = change.object.metadata;
          if (change.type === 'changed' && isSame(change.old, change.object)) return;
          for (const key of subscriptions.of(companion.kind, name)) onKey(key, `${companion.kind} ${name} ${change.type}`);
        }),
      ]),
    ),
  );

  const owned = new Map(
    Object.values(ownedKinds).map((type) => [
      type.kind,
      watch(
        type,
        (change, isEcho) => {
          const object = change.object as LiveObject;
          const uid = object.metadata.labels?.[label.owner] ?? '';
          // An object whose owner changed hands was in the old owner's inventory, and is missed there.
          const oldUid = change.type === 'changed' ? (change.old.metadata.labels?.[label.owner] ?? '') : uid;
          const key = keyOfOwner.get(uid);
          if (change.type === 'deleted' || oldUid !== uid) inventories.delete(oldUid, object);
          if (change.type !== 'deleted' && (!key || isIn(object, key))) inventories.set(uid, object);
          if (type.kind === 'PersistentVolume') wakeReferring(claimedBy(object), change);
          // Its status is written by others, and so is what waits for it.
          if (isEcho || isOthersNews(change)) return;
          const keys = [uid, oldUid].map((owner) => keyFor(owner, object) ?? keyOfPredecessor(object));
          for (const key of new Map(keys.flatMap((key) => (key ? [[keyText(key), key] as const] : []))).values())
            onKey(key, `${type.kind} ${object.metadata.name} ${change.type}`);
        },
        { labelSelector: label.owner, metadataOnly: metadataOnly(type.kind) },
      ),
    ]),
  );

  /** Who reads what we ourselves write here has not reckoned with it. */
  function wakeReferring(to: Key, { type, object }: Change<KubeObject>): void {
    for (const user of subscriptions.of(Dataset.kind, keyText(to))) onKey(user, `${object.kind} ${object.metadata.name} ${type}`);
  }

  /** Whose an object is that carries this owner's UID; anybody may write that on something of his own. */
  function keyFor(owner: string, object: KubeObject): Key | undefined {
    const key = keyOfOwner.get(owner);
    return key && isIn(object, key) ? key : undefined;
  }

  /** What a runtime that is gone left in the way of its successor: the garbage collector takes it sooner or later. */
  function keyOfPredecessor(object: KubeObject): Key | undefined {
    const ref = controllerOf(object);
    return ref && runtimeKinds.has(ref.kind) ? { namespace: object.metadata.namespace ?? '', name: ref.name } : undefined;
  }

  function onPod(change: Change<KubeObject>): void {
    const { object } = change;
    const workload = controllerOf(object);
    if (!workload) return;
    if (change.type === 'deleted') podsOf.delete(workload.uid, object);
    else podsOf.set(workload.uid, object);
    if (change.type !== 'changed' || isElsewhere(change.old, object)) onPlacement({ workload: workload.uid });
    const live = owned.get(workload.kind)?.get(object.metadata.namespace, workload.name) as LiveObject | undefined;
    const owner = live?.metadata.labels?.[label.owner];
    const key = owner && keyFor(owner, object);
    if (key && isNews(change, live, fuseAwaited.has(owner))) onKey(key, `Pod ${object.metadata.name} ${change.type}`);
  }
  watch(
    Pod,
    (change) => {
      if (change.type !== 'changed' || controllerOf(change.old)?.uid === controllerOf(change.object)?.uid) return onPod(change);
      // Its workload has let it go, or another has taken it on.
      onPod({ type: 'deleted', object: change.old });
      onPod({ type: 'added', object: change.object });
    },
    { labelSelector: label.datasetId },
  );
  const nodes = watch(
    Node,
    (change) => {
      const { name, labels } = change.object.metadata;
      if (change.type !== 'changed' || change.old.metadata.labels !== labels) onPlacement({ node: name });
    },
    { metadataOnly: true },
  );

  const optional = new Set([...runtimesByKind.values(), ...companions.values()]);

  /** What we wrote ourselves was read when it was answered. */
  function read(object: KubeObject, before?: KubeObject): KubeObject {
    return own.kept(object) ?? project(object, before);
  }
  function project(object: KubeObject, before?: KubeObject): KubeObject {
    const { kind } = object;
    const resource = resources.get(kind);
    if (resource) return readResource(resource, object, sharing, before);
    if (kind === 'Pod') return podProjection(object, sharing);
    return kind === 'Node' ? nodeProjection(object, before) : projected(object);
  }

  // The casts: what is kept of our kinds has been parsed.
  const candidate = (runtime: Runtime, object: KubeObject): Candidate => {
    const invalid = faultOf(object);
    return { runtime, object: object as unknown as RuntimeObject, ...(invalid && { invalid }) };
  };

  function* candidates(runtime: Runtime): Iterable<Candidate> {
    for (const object of runtimesByKind.get(runtime)?.values() ?? []) yield candidate(runtime, object);
  }

  return {
    // Nothing can be served without Datasets, and a server that knows none of our kinds is one that is still starting.
    synced: Promise.all([...reflectors.values()].map((reflector) => (optional.has(reflector) ? reflector.answered : reflector.synced))),
    reflectors,
    ports,
    dataset: ({ namespace, name }) => newest('Dataset', datasets, namespace, name) as unknown as Dataset | undefined,
    faultOf,
    datasets: () => datasets.values() as unknown as Iterable<Dataset>,
    runtimes: ({ namespace, name }) =>
      runtimes.flatMap((runtime) => {
        const object = newest(runtime.resource.kind, runtimesByKind.get(runtime), namespace, name);
        return object ? [candidate(runtime, object)] : [];
      }),
    *allRuntimes() {
      for (const runtime of runtimes) yield* candidates(runtime);
    },
    isRuntime: (uid) => keyOfOwner.has(uid),
    namesakes: (key) =>
      rivalNames(key, engines)
        .flatMap((name) => byJoinedName.get(name) ?? [])
        .flatMap((other) => {
          const object = keyText(other) === keyText(key) ? undefined : newest('Dataset', datasets, other.namespace, other.name);
          return object ? [object as unknown as Dataset] : [];
        }),
    companion(kind, name, user) {
      subscriptions.add(kind, name, user);
      const object = newest(kind, companions.get(kind), undefined, name);
      const invalid = object && faultOf(object);
      if (invalid) throw invalid;
      return object && (whatMatters(object) as unknown as Resource);
    },
    refers: (user, to) => subscriptions.add(Dataset.kind, keyText(to), user),
    seen: (kind, namespace, name) => newest(kind, watched.get(kind)?.reflector, namespace, name),
    typeOf(kind) {
      const found = watched.get(kind);
      if (!found) throw new Error(`expected a kind that is watched, found ${kind}`);
      return found.type;
    },
    live: (kind, namespace, name) => newest(kind, owned.get(kind), namespace, name) as LiveObject | undefined,
    inventory: ({ uid, namespace }) => inventories.of(uid).filter((object) => isIn(object, { namespace })),
    awaitFuse: (uid, isAwaited) => void (isAwaited ? fuseAwaited.add(uid) : fuseAwaited.delete(uid)),
    pods: ({ uid, namespace }) => podsOf.of(uid).filter(({ metadata }) => metadata.namespace === namespace),
    nodes: () => nodes.values(),
    node: (name) => newest('Node', nodes, undefined, name),
    project: (object) => read(object) as LiveObject,
    remember: (object) => {
      const reflector = watched.get(object.kind)?.reflector;
      // Without a watch it would be remembered for ever, and Secrets are to be forgotten at once.
      if (!reflector) return;
      own.remember(object, reflector);
      expecting.get(object.kind)?.(object);
    },
    forget: (object) => {
      const reflector = watched.get(object.kind)?.reflector;
      if (reflector) own.forget(object, reflector);
    },
    stop: () => {
      for (const reflector of reflectors.values()) reflector.stop();
    },
  };
}

/** A claim that became Bound, or a DaemonSet without pods that was seen by its controller, and nothing else: nothing here waits for that. */
function isOthersNews(change: Change<KubeObject>): boolean {
  if (change.type !== 'changed') return false;
  const { old, object } = change;
  const isOf =
    object.kind === 'PersistentVolumeClaim' ? phaseOf(object) === 'Bound' : object.kind === 'DaemonSet' && isIdle(old) && isIdle(object);
  if (!isOf) return false;
  const but = (each: KubeObject) => ({ ...each, status: undefined, metadata: { ...each.metadata, resourceVersion: undefined } });
  return isDeepStrictEqual(but(old), but(object));
}
const isIdle = ({ status }: KubeObject): boolean =>
  Object.entries((status ?? {}) as object).every(([field, value]) => field === 'observedGeneration' || !value);
const phaseOf = ({ status }: KubeObject): unknown => (status as { readonly phase?: unknown } | undefined)?.phase;

/** Whether it may belong to something in that namespace. */
const isIn = ({ metadata }: KubeObject, { namespace }: Pick<Key, 'namespace'>): boolean => (metadata.namespace ?? namespace) === namespace;

export const keyOf = ({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name: string } }): Key => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** The Dataset of a volume has the claim's name. */
function claimedBy(volume: KubeObject): Key {
  const { claimRef } = (volume['spec'] ?? {}) as { readonly claimRef?: Partial<Key> };
  return { namespace: claimRef?.namespace ?? '', name: claimRef?.name ?? '' };
}

function controllerOf({ metadata }: KubeObject) {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}
