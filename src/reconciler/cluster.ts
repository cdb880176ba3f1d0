import type { RuntimeCandidate } from '../planning/choose.ts';
import type { Dataset, DatasetStatus, Identity, InvalidSpec, RuntimeStatus } from '../api/index.ts';
import type { Command, MountChange, Runtime } from '../constructs/index.ts';
import type { Teardown } from './teardown-steps.ts';
import type { Applied, Failure, Hold, Key, LiveObject, DesiredObject, Pruned, RuntimeObject, World } from './world.ts';

/** The Dataset of one name, and the runtimes of that name. */
export interface Scene {
  readonly key: Key;
  readonly dataset?: Dataset;
  /** The fault of the Dataset's spec, if it does not parse. */
  readonly invalid?: InvalidSpec;
  readonly runtimes: readonly RuntimeCandidate[];
}

/** A reading with a plan, or why there is none. */
export type Reading = Planned | Unplanned;
export interface Planned {
  readonly world: World;
  readonly identity: Identity;
  readonly marks: Marking;
}
/** Why there is no plan. The workloads that run are reported all the same. */
export interface Unplanned {
  readonly hold: Hold;
  readonly bound: boolean;
  readonly workloads: World['workloads'];
}

/** Records on users' objects that are written before any object is created for them. */
export interface Marking {
  /** Allocated host ports by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Claims of users that the runtime reads. */
  readonly claims: readonly { readonly name: string; readonly uid: string }[];
}

export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Every effect of a pass. The one implementation is kubernetes/kubernetes-cluster.ts; tests run it on an API server in memory. */
export interface Cluster {
  /** Milliseconds since the epoch. */
  now(): number;
  scene(key: Key): Scene;
  /**
   * Plans from the newest specs. A bound dataset whose newest specs cannot be planned gets its last valid plan.
   *
   * @param invalid present when the specs do not parse
   */
  observe(key: Key, dataset: Dataset, definition: Runtime, object: RuntimeObject, invalid?: InvalidSpec): Promise<Reading>;
  observeTeardown(key: Key, dataset: Dataset | undefined, definition: Runtime, object: RuntimeObject): Promise<Teardown>;
  /** Workloads that mount the Dataset, or may, and help no Job that runs. */
  idleHelpers(key: Key): readonly LiveObject[];
  /** Why the Dataset may not be deleted yet. */
  usersOf(key: Key, dataset: Dataset): Promise<Hold | undefined>;

  /** Writes finalizers, labels, owner references and allocated ports. Without a difference there is no write. */
  mark(observation: Planned): Promise<void>;
  markDataset(key: Key, dataset: Dataset): Promise<void>;
  /** Creates the runtime of a Dataset that refers to another one. False if no kind of runtime is for that. */
  provide(key: Key, dataset: Dataset): Promise<boolean>;
  /** Deletes the claim of a runtime whose consent was withdrawn, then its volume: pods that mount the claim keep it until they end. */
  revoke(key: Key, definition: Runtime, object: RuntimeObject): Promise<void>;
  /** The same if the consent was withdrawn; for a runtime that is not planned, because it or its Dataset is deleted. */
  withdraw(key: Key, definition: Runtime, object: RuntimeObject): Promise<void>;
  /** Deletes volumes of a runtime that is gone without its teardown, once their claim has gone. */
  removeLeft(key: Key): Promise<void>;
  apply(world: World, desiredObjects: readonly DesiredObject[]): Promise<Applied>;
  prune(world: World, keep: readonly DesiredObject[]): Promise<Pruned>;
  /** Deletes what was restored from another cluster and nothing here wants. Returns what was refused. */
  removeRestored(world: World): Promise<readonly Failure[]>;
  /** Has running pods reload their configuration when it changed in this pass, or in an earlier one whose patch failed. */
  refresh(world: World, changed: boolean): Promise<void>;
  /** Starts the commands and returns at once; their end requeues the key. */
  run(world: World, commands: readonly Command[], change: MountChange): void;
  /** Sets `to` as the claim that the volume names, or clears it; `seen` is the claim that exists. */
  release(world: World, volume: LiveObject, seen: LiveObject, to?: LiveObject): Promise<void>;
  /** Deletes the claim if no pod mounts it. */
  vacate(world: World, claim: LiveObject): Promise<void>;
  /** Records on the claim that it and its volume name each other. */
  complete(claim: LiveObject): Promise<void>;
  /** After `afterMs`, changes a claim that is still not bound, so that the volume controller reconciles it. Throws the last try's error. */
  nudge(claim: LiveObject, afterMs: number): void;
  /** Labels the nodes of the workers, in batches. */
  place(world: World): void;

  /**
   * @param because the objects that this decision follows from. They are read again first: if one has changed, nothing is deleted and a
   *   conflict is thrown, as in every method that deletes
   */
  delete(objects: readonly LiveObject[], because: readonly (Dataset | RuntimeObject)[], andPods?: boolean): Promise<void>;
  clean(teardown: Teardown): Promise<void>;
  unlabelNodes(teardown: Teardown): Promise<void>;
  unmark(definition: Runtime, object: RuntimeObject): Promise<void>;
  unmarkDataset(dataset: Dataset): Promise<void>;

  /** One merge patch each, of what differs from the observed status; 409 when another writer was first. True when something was written. */
  writeRuntimeStatus(object: RuntimeObject, status: RuntimeStatus): Promise<boolean>;
  writeDatasetStatus(dataset: Dataset, status: Partial<DatasetStatus> | Readonly<Record<string, unknown>>): Promise<boolean>;
  notice(object: Dataset | RuntimeObject, notice: Notice): void;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}
