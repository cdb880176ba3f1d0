import type { Role } from './input.ts';

/** Something to run inside a pod. It is data, so a plan containing it can be printed, diffed and tested. */
export interface Command {
  readonly in: Role;
  /** `first` is the pod with ordinal 0; `leader` the one that the engine's own `leader` names; `one` any ready pod; `every` all ready pods: of clients perhaps none, where nobody reads. */
  readonly on: 'first' | 'leader' | 'one' | 'every';
  /** Default: the pod's first. */
  readonly container?: string;
  readonly argv: readonly string[];
  /** Default 20. */
  readonly timeoutSeconds?: number;
  /** A pod in which it fails gives no answer, and nothing waits for it: for a word to clients, of which any may hang. */
  readonly mayFail?: true;
}

/** For each command, the standard output of each pod that ran it. */
export type Answers = readonly (readonly string[])[];

/** Questions to running pods. */
export interface Probe<P, T> {
  readonly commands: (plan: P) => readonly Command[];
  /**
   * `before` is the last answer, where there was one since the controller started: rates are differences of counters. A method, so that a
   * probe that finds a string is still one that finds something.
   */
  parse(answers: Answers, plan: P, before?: Answered<T>): T;
}
export interface Answered<T> {
  readonly value: T;
  readonly ageMs: number;
}

/** Mounting is one table to converge. */
export interface MountTable<P, R extends MountRow = MountRow> {
  /** What is mounted now, with as much of each row as the engine tells in the words in which it was told. */
  readonly list: Probe<P, readonly MountRow[]>;
  readonly wanted: (plan: P) => readonly R[];
  /** What makes one into the other, as few commands as will do. A method, so that rows may have more than all rows have. */
  change(plan: P, change: MountChange<R>): readonly Command[];
}
/** Two rows of a path differ where both say something and not the same. */
export interface MountRow {
  readonly path: string;
  readonly source?: string;
  readonly options?: Readonly<Record<string, string>>;
}
/** What is unmounted goes first: a row that has changed is in both. */
export interface MountChange<R = MountRow> {
  readonly unmount: readonly string[];
  readonly mount: readonly R[];
}

/**
 * What is to be deleted from the caches when the runtime goes. `ask` finds out what (a volume's UUID) where the plan cannot know;
 * where it has no commands it is not asked, and `found` is undefined.
 */
export interface Cleanup<P, T = unknown> {
  readonly ask?: Probe<P, T>;
  /**
   * In masters and workers: fuse pods, which would fill a cache again, are gone by then. Each may take as long as `plan.cleaning` says. A
   * method, so that a runtime whose `ask` finds a string is still a `Cleanup<P>`.
   */
  commands(plan: P, found: T | undefined): readonly (Command & { readonly in: 'master' | 'worker' })[];
}

export interface CacheUse {
  readonly cachedBytes: number;
  /** 0 to 1; absent while nothing was read. */
  readonly hitRatio?: number;
  readonly throughputRatio?: number;
  /** Size of all the data, of which this is cached; absent where only `ufs` tells. */
  readonly totalBytes?: number;
}
export interface UfsUsage {
  readonly totalBytes: number;
  readonly files?: number;
}
/** What was found out of a runtime; `cache` is what its own probe found. */
export interface Seen<C = CacheUse> {
  readonly readyWorkers: number;
  readonly cache?: C;
  readonly ufs?: UfsUsage;
}
/** What users are told of it, besides what its pods show. */
export interface EngineStatus {
  /** Of Dataset and runtime, as texts. */
  readonly cacheStates?: Readonly<Record<string, string>>;
  /** Of the Dataset: how the Hadoop file system API reaches the data. */
  readonly hcfs?: { readonly endpoint?: string; readonly underlayerFileSystemVersion?: string };
  /** Of the runtime. */
  readonly apiGateway?: { readonly endpoint?: string };
}
