import type { Role } from './input.ts';

/** Something to run inside a pod. It is data, so a plan containing it can be printed, diffed and tested. */
export interface Command {
  readonly in: Role;
  /** `first` is the pod with ordinal 0; `one` any ready pod; `every` all ready pods. */
  readonly on: 'first' | 'one' | 'every';
  readonly argv: readonly string[];
  /** Default 20. */
  readonly timeoutSeconds?: number;
}

/** Questions to running pods. `parse` gets, for each command, the standard output of each pod that ran it. */
export interface Probe<P, T> {
  readonly commands: (plan: P) => readonly Command[];
  readonly parse: (answers: readonly (readonly string[])[], plan: P) => T;
}

/** Mounting is one table to converge. */
export interface MountTable<P> {
  /** The paths that are mounted now. */
  readonly list: Probe<P, readonly string[]>;
  readonly wanted: (plan: P) => readonly { readonly path: string; readonly mount: Command }[];
  readonly unmount: (plan: P, path: string) => Command;
}

/**
 * What is to be deleted from the caches when the runtime goes. `ask` finds out what (a volume's UUID) where the plan cannot know;
 * where it has no commands it is not asked, and `found` is undefined.
 */
export interface Cleanup<P, T = unknown> {
  readonly ask?: Probe<P, T>;
  /** In masters and workers: fuse pods, which would fill a cache again, are gone by then. A method, so that a runtime whose `ask` finds a string is still a `Cleanup<P>`. */
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
/** What `cacheStates` may tell the user about. */
export interface Seen {
  readonly readyWorkers: number;
  readonly cache?: CacheUse;
  readonly ufs?: UfsUsage;
}
