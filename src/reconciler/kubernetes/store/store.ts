/**
 * The cluster as last seen: one watch for each kind, and over it what the controller wrote itself until the watch shows it.
 *
 * Invariants:
 * S1. After a write of ours is remembered, every read by name, and the inventory, has it or a newer version, however late the watch is.
 * S2. An object that a read found to be deleted is not returned, by name or in the inventory, though the watch shows it; its successor is.
 * S3. What the watch has passed is never hidden by an answer or a finding that comes later.
 * S4. The event of our own newest write of an object wakes no key, with four exceptions: a Dataset whose phase the write changed, runtimes that refer to it, the Dataset of an operation that starts or ends, and the Dataset that a volume begins or ends to refer to. What a read found is news. So is what may hide versions of others: what a list shows, and an object of another writer that has its label by our write. So is what was deleted before any event showed it.
 * S5. The watch of a kind gets as far as each remembered version that it selects, or is begun again.
 * S6. Nothing is kept of an object whose kind is not watched: no Secret stays in memory.
 * S7. When a key is woken, every read already shows the change that woke it.
 * S8. An object that carries a runtime's UID in another namespace is not in that runtime's inventory, and wakes no key.
 * S9. An object is in the inventory of the one runtime whose UID its label says now; when that changes, both keys are woken.
 * S10. A pod counts for the workload that is its controller now, if that is in the pod's namespace, and for no other.
 * S11. A profile, or a Dataset that others refer to, wakes the runtimes that asked for it, and no others.
 * S12. A change of nothing that a pass reads wakes no key.
 * S13. When a runtime is deleted, `onGone` comes before `onKey`; its ports are free then, and its subscriptions have ended.
 * S14. A spec that was not edited is the same JavaScript object in all versions of a Dataset or runtime.
 * S15. With namespaces, nothing of another namespace is watched, and no key of another one is woken.
 */
import { Dataset, type InvalidSpec, operationKinds } from '../../../api/index.ts';
import type { Runtime } from '../../../constructs/index.ts';
import { type Clock, systemClock } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import type { Reflector } from '../../../kube/watch/reflector.ts';
import type { KubeObject, Log, ResourceType } from '../../../kube/types.ts';
import type { RuntimeCandidate } from '../../../planning/choose.ts';
import { type Key, keyText, type LiveObject, type OperationKey } from '../../world.ts';
import { Node } from '../../../planning/kinds.ts';
import { type Datasets, watchDatasets } from './datasets.ts';
import { createInventories, type Inventories } from './inventories.ts';
import { newestInventory } from './inventories.ts';
import { type OperationStore, watchOperations } from './operations.ts';
import { watchOwned } from './owned.ts';
import { type Pods, watchPods } from './pods.ts';
import { createPortTable, type PortTable } from '../../../planning/port-table.ts';
import { createProjection } from './projection.ts';
import { createReferrers, type Referrers } from './referrers.ts';
import { faultOf } from './resources.ts';
import { type Companions, watchCompanions, watchRuntimes } from './runtimes.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createWatches, type Watches } from './watches.ts';

export interface Store {
  /** Resolves when every watch has its first list. Kinds of runtimes that are not installed do not count: they are served once their CRD is. */
  readonly synced: Promise<unknown>;
  /** The state of each watch, by plural, or by `<namespace>/<plural>`; for /readyz and metrics. */
  readonly reflectors: ReadonlyMap<string, Reflector<KubeObject>>;
  /** Whether this namespace is watched. */
  serves(namespace: string): boolean;
  dataset(key: Key): Dataset | undefined;
  /** The fault of a Dataset's spec that does not parse. */
  faultOf(dataset: Dataset): InvalidSpec | undefined;
  datasets(): Iterable<Dataset>;
  runtimes(key: Key): readonly RuntimeCandidate[];
  allRuntimes(): Iterable<RuntimeCandidate>;
  /** Whether a runtime or an operation with this UID exists: a watch shows it, or the controller has created or read the runtime. */
  isOwner(uid: string): boolean;
  readonly operations: OperationStore;
  /** Other Datasets that would go by the same names or node labels. */
  namesakes: Datasets['namesakes'];
  /** A profile or the like, whose changes wake this user from now on. Throws InvalidSpec where it does not parse. */
  companion: Companions;
  /** Changes of another Dataset, of what serves it and of its volume wake this user from now on. */
  refers(user: Key, to: Key): void;
  /** Datasets whose volume leads to this one. */
  referrersOf: Referrers['of'];
  /** The kind of runtime that the controller creates for a Dataset that refers to another one. */
  readonly forReferences?: Runtime;
  /** Any object of a kind that is watched, as last seen. */
  seen(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** Grows whenever a read of this kind may return something else; of operations, something that their line depends on. */
  editionOf: Watches['editionOf'];
  /** The type of a watched kind; throws for any other. */
  typeOf(kind: string): ResourceType;
  /** An object of a kind that the controller creates for runtimes. */
  live(kind: string, namespace: string | undefined, name: string): LiveObject | undefined;
  /** Everything that carries the inventory label of this owner. A copy in another namespace belongs to whoever created it. */
  inventory: Inventories['of'];
  copies: Inventories['copies'];
  leftVolumes: Inventories['left'];
  datasetsOfLeftVolumes: Inventories['datasetsOfLeft'];
  pods: Pods['of'];
  strays: Pods['strays'];
  adopted: Pods['adopted'];
  awaitFuse: Pods['awaitFuse'];
  /** Host ports of all runtimes. */
  readonly ports: PortTable;
  nodes(): Iterable<KubeObject>;
  node(name: string): KubeObject | undefined;
  /** The kept part of an object that was read. */
  project(object: KubeObject): LiveObject;
  /** The answer to a write, until the watch shows it. */
  remember: Watches['remember'];
  /** The answer to a creation. */
  created: Watches['created'];
  /** Keeps an object that was read, until the watch shows it. */
  found: Watches['found'];
  /** Records that a read found an object deleted, until the watch shows that. */
  forget: Watches['forget'];
  stop(): void;
}

export interface StoreOptions {
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  /** The only namespaces that are watched and served. Absent: all. */
  readonly namespaces?: readonly string[];
  /** Wakes a key: its Dataset or runtime, or something that belongs to it, changed. */
  readonly onKey: (key: Key | OperationKey, because: string) => void;
  /** A runtime or an operation was deleted, whether or not it was ever set up. `onKey` follows, and no pass over its key begins in between. */
  readonly onGone: (key: Key | OperationKey, uid: string) => void;
  readonly onPlacement: (change: PlacementChange) => void;
  readonly log: Log;
  /** Default: the system's. */
  readonly clock?: Clock;
}
/** A pod of a workload came, went, ended or was scheduled; or a node came, went or got other labels. */
export type PlacementChange = { readonly workload: string; readonly namespace: string | undefined } | { readonly node: string };

/** Begins all watches. Throws if two definitions have one kind. */
export function createStore(options: StoreOptions): Store {
  const { client, runtimes: definitions, namespaces, onGone, onPlacement, log, clock = systemClock } = options;
  // Two would both claim each object, and write its status in turn for ever.
  const twin = definitions.find(({ resource }, i) => definitions.findIndex((other) => other.resource.kind === resource.kind) < i);
  if (twin) throw new Error(`runtimes: expected one definition for each kind, found a second for ${twin.resource.kind}, ${twin.type}`);

  const project = createProjection([
    Dataset,
    ...operationKinds,
    ...definitions.flatMap(({ resource, companions }) => [resource, ...companions]),
  ]);
  const serves = (namespace: string): boolean => namespaces?.includes(namespace) ?? true;
  // Volumes belong to the cluster, and their watch shows those of other namespaces.
  const onKey: StoreOptions['onKey'] = (key, because) => {
    if (serves(key.namespace)) options.onKey(key, because);
  };
  const watches = createWatches(client, project, log, clock, namespaces);
  const inventories = createInventories();
  const subscriptions = createSubscriptions(onKey);
  const referrers = createReferrers(onKey);
  const ports = createPortTable();
  const forReferences = definitions.find((definition) => definition.forReferences);

  const engines = definitions.flatMap((definition) => definition.engines);
  const datasets = watchDatasets(watches, { engines, subscriptions, onKey });
  const runtimes = watchRuntimes(watches, definitions, {
    inventories,
    ports,
    subscriptions,
    onKey,
    onGone(key, uid) {
      pods.awaitFuse(uid, false);
      onGone(key, uid);
    },
  });
  const operations = watchOperations(watches, { kinds: operationKinds, inventories, subscriptions, onKey, onGone });
  const companion = watchCompanions(watches, definitions, subscriptions);
  const runtimeKinds = new Set(definitions.map(({ resource }) => resource.kind));
  const owned = watchOwned(watches, {
    inventories,
    runtimeKinds,
    operationKinds: new Set(operationKinds.map(({ kind }) => kind)),
    subscriptions,
    referrers,
    onKey,
  });
  const pods = watchPods(watches, { inventories, owned, onKey, onPlacement });
  const nodes = watches.watch(
    Node,
    (change) => {
      const { name, labels, annotations } = change.object.metadata;
      const old = change.type === 'changed' ? change.old.metadata : undefined;
      if (!old || old.labels !== labels || old.annotations !== annotations) onPlacement({ node: name });
    },
    { metadataOnly: true },
  );

  /** A runtime owns objects before any watch shows it; what a watch shows later ends that, too. */
  function known({ kind, metadata: { namespace = '', name, uid = '' } }: KubeObject): void {
    if (runtimeKinds.has(kind) && watches.newest(kind, namespace, name)?.metadata.uid === uid) inventories.seen(uid, { namespace, name });
  }

  return {
    // Without Datasets nothing can be served, and an API server that knows none of our kinds is one that is still starting.
    synced: watches.synced(),
    reflectors: watches.reflectors,
    ports,
    serves,
    dataset: datasets.get,
    faultOf,
    datasets: datasets.values,
    runtimes: runtimes.of,
    allRuntimes: runtimes.all,
    isOwner: inventories.isOwner,
    operations,
    namesakes: datasets.namesakes,
    companion,
    refers: (user, to) => subscriptions.add(Dataset.kind, keyText(to), user),
    referrersOf: referrers.of,
    ...(forReferences && { forReferences }),
    seen: watches.newest,
    editionOf: watches.editionOf,
    typeOf: watches.typeOf,
    // The cast: objects of these kinds are kept with UID and version.
    live: (kind, namespace, name) => owned.get(kind)?.newest(namespace, name) as LiveObject | undefined,
    inventory: newestInventory(watches, inventories),
    copies: inventories.copies,
    leftVolumes: inventories.left,
    datasetsOfLeftVolumes: () => inventories.datasetsOfLeft().filter(({ namespace }) => serves(namespace)),
    pods: pods.of,
    strays: pods.strays,
    adopted: pods.adopted,
    awaitFuse: pods.awaitFuse,
    nodes: nodes.values,
    node: (name) => nodes.newest(undefined, name),
    project: (object) => watches.read(object) as LiveObject,
    remember: watches.remember,
    created(object) {
      watches.created(object);
      known(object);
    },
    found(object) {
      watches.found(object);
      known(object);
    },
    forget: watches.forget,
    stop: watches.stop,
  };
}
