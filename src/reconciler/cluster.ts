import type { Dataset, DatasetStatus, Identity, InvalidSpec, RuntimeStatus } from '../api/index.ts';
import type { Command, MountChange, Runtime } from '../constructs/index.ts';
import type { Teardown } from './teardown.ts';
import type { Applied, Hold, Key, LiveObject, Outline, Pruned, RuntimeObject, World } from './world.ts';

/** What stands under one name. */
export interface Scene {
  readonly key: Key;
  readonly dataset?: Dataset;
  /** What is wrong with the Dataset's spec, where that does not even parse. */
  readonly invalid?: InvalidSpec;
  readonly runtimes: readonly Candidate[];
}

/** A runtime object and the definition that understands it. */
export interface Candidate {
  readonly runtime: Runtime;
  readonly object: RuntimeObject;
  /** What is wrong with its spec, where that does not even parse. */
  readonly invalid?: InvalidSpec;
}

/** A reading with a plan, or why there is none. */
export type Observation = Planned | Unplanned;
export interface Planned {
  readonly world: World;
  readonly identity: Identity;
  readonly marks: Marking;
}
/** What runs is told of all the same. */
export interface Unplanned {
  readonly hold: Hold;
  readonly bound: boolean;
  readonly workloads: World['workloads'];
}

/** What is to be noted on the users' objects before anything is made for them. */
export interface Marking {
  readonly ports: Readonly<Record<string, number>>;
  /** Claims of users that the runtime reads. */
  readonly claims: readonly { readonly name: string; readonly uid: string }[];
}

export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Every effect of reconciling. Tests run the one that there is, on an API server in memory. */
export interface Cluster {
  now(): number;
  scene(key: Key): Scene;
  /** With the last plan that was valid, where a dataset is bound and the newest specs cannot be planned; `invalid`: they do not even parse. */
  observe(key: Key, dataset: Dataset, runtime: Runtime, object: RuntimeObject, invalid?: InvalidSpec): Promise<Observation>;
  observeTeardown(key: Key, dataset: Dataset | undefined, runtime: Runtime, object: RuntimeObject): Promise<Teardown>;
  /** Why the Dataset may not go yet. */
  usersOf(key: Key, dataset: Dataset): Promise<Hold | undefined>;

  /** Finalizers, labels, owner references and allocated ports. No write when they are there. */
  mark(observation: Planned): Promise<void>;
  markDataset(key: Key, dataset: Dataset): Promise<void>;
  apply(world: World, outlines: readonly Outline[]): Promise<Applied>;
  prune(world: World, keep: readonly Outline[]): Promise<Pruned>;
  /** Makes running pods see a configuration at once that changed in this pass, or earlier if they could not be told then. */
  refresh(world: World, changed: boolean): Promise<void>;
  /** Runs beside the loop; the key is looked at again when it has ended. */
  run(world: World, commands: readonly Command[], change: MountChange): void;
  /** The volume remembers `to` as its claim, or none; `seen` is the claim that is there. */
  release(world: World, volume: LiveObject, seen: LiveObject, to?: LiveObject): Promise<void>;
  /** Says that a claim and its volume name each other. */
  complete(claim: LiveObject): Promise<void>;
  /** A moment later, and only if the claim is still not bound. Throws what refused the last one. */
  nudge(claim: LiveObject, afterMs: number): void;
  /** Where the workers are is written on their nodes, in batches. */
  place(world: World): void;

  /**
   * @param because what this follows from. As for all that deletes, it is read afresh: when it is not as it was seen, nothing is deleted,
   *   and a conflict thrown
   */
  delete(objects: readonly LiveObject[], because: readonly (Dataset | RuntimeObject)[], andPods?: boolean): Promise<void>;
  clean(teardown: Teardown): Promise<void>;
  unlabelNodes(teardown: Teardown): Promise<void>;
  unmark(runtime: Runtime, object: RuntimeObject): Promise<void>;
  unmarkDataset(dataset: Dataset): Promise<void>;

  /** One merge patch each, only for what differs, and only on what was observed: 409 when somebody else wrote since. True when something was written. */
  writeRuntimeStatus(object: RuntimeObject, status: RuntimeStatus): Promise<boolean>;
  writeDatasetStatus(dataset: Dataset, status: Partial<DatasetStatus> | Readonly<Record<string, unknown>>): Promise<boolean>;
  notice(object: Dataset | RuntimeObject, notice: Notice): void;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}
