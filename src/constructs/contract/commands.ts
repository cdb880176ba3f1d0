import type { DatasetStatus, RuntimeStatus } from '../../api/index.ts';
import type { Role, Unavailable } from './input.ts';

/** A program to run in a container of a pod. A command is data: a plan that contains it can be printed, compared and tested. */
export interface Command {
  /** The workload whose pods run the command. */
  readonly in: Role;
  /**
   * Which pods of the workload run it:
   * - `first`: the pod with ordinal 0,
   * - `leader`: the pod that the engine's `leader` probe names,
   * - `one`: any ready pod,
   * - `every`: all ready pods. Of fuse pods none may exist, when no pod mounts the Dataset.
   */
  readonly on: 'first' | 'leader' | 'one' | 'every';
  /** Name of the container. Default: the first container of the pod. */
  readonly container?: string;
  /** Program and arguments. No shell reads them, unless the program is a shell. */
  readonly argv: readonly string[];
  /** After so many seconds the command counts as failed. Default: 20 seconds. */
  readonly timeoutSeconds?: number;
  /** If the command fails in a pod, the controller goes on without that pod's answer. For notices to clients, of which any may hang. */
  readonly mayFail?: true;
}

/** Standard output of commands: for each command, in order, one text for each pod that ran it. */
export type Answers = readonly (readonly string[])[];

/**
 * A question to running pods: the commands to run, and a pure function that reads what they print.
 * @example
 * const size: Probe<BasePlan, UfsUsage> = {
 *   commands: ({ mountPath }) => [{ in: 'fuse', on: 'one', argv: ['acme', 'du', mountPath], timeoutSeconds: 60 }],
 *   parse: ([answers]) => ({ totalBytes: Number(answers?.[0]) }),
 * };
 */
export interface Probe<P, T> {
  /** The commands that ask. An empty list asks nothing, and `parse` then gets no answers. */
  readonly commands: (plan: P) => readonly Command[];
  /**
   * Reads the answers. `before` is the previous result since the controller started, if one exists: a rate is the difference of two
   * counters. The controller retries a probe that throws.
   */
  // A method, so that a Probe<P, string> is also a Probe<P, unknown>.
  parse(answers: Answers, plan: P, before?: Answered<T>): T;
  /**
   * Bytes that one pod may print for one command; the command of a pod that prints more fails. Default: 64 KiB, many pages of figures. A table
   * of mounts may have 1 MiB. All answers together have at most 4 MiB. Pods run images of users, so `parse` takes time in proportion to them.
   */
  readonly mostBytes?: number;
}
/** A previous result of a probe. */
export interface Answered<T> {
  /** The result of `parse`. */
  readonly value: T;
  /** How long ago it was returned, in milliseconds. */
  readonly ageMs: number;
}

/**
 * The mounts of an engine, as a table that the controller converges: it lists, compares, changes, and lists again.
 * @example
 * const mounts: MountTable<BasePlan> = {
 *   list: {
 *     commands: () => [{ in: 'master', on: 'first', argv: ['acme', 'mounts', '--json'] }],
 *     parse: ([answers]) => JSON.parse(answers?.[0] ?? '[]') as readonly MountRow[],
 *   },
 *   wanted: () => [{ path: '/images', source: 's3://bucket/images' }],
 *   change: (_, { unmount, mount }) => [
 *     ...unmount.map((path): Command => ({ in: 'master', on: 'first', argv: ['acme', 'unmount', path] })),
 *     ...mount.map(({ path, source = '' }): Command => ({ in: 'master', on: 'first', argv: ['acme', 'mount', path, source] })),
 *   ],
 * };
 */
export interface MountTable<P, R extends MountRow = MountRow> {
  /**
   * The mounts that exist, in the engine's own spelling. A row leaves out what the engine does not report. A plan for which it has no
   * commands has no table: nothing of it runs that could keep one. More than 4096 rows are an error.
   */
  readonly list: Probe<P, readonly MountRow[]>;
  /** The mounts that the plan asks for. */
  readonly wanted: (plan: P) => readonly R[];
  /** The commands that change the one into the other, as few as possible. */
  // A method, so that rows may have more fields than MountRow.
  change(plan: P, change: MountChange<R>): readonly Command[];
}
/** One mount. Two rows of one path differ if both have a field and its values differ; a field that one of them lacks is not compared. */
export interface MountRow {
  /** Path in the engine's namespace: `/images`. */
  readonly path: string;
  /** The mounted source: `s3://bucket/images`. */
  readonly source?: string;
  /** Options of the mount, by name. */
  readonly options?: Readonly<Record<string, string>>;
}
/** Changes of a table of mounts. A row whose source or options differ is in both lists; unmounting comes first. */
export interface MountChange<R = MountRow> {
  /** Paths. */
  readonly unmount: readonly string[];
  /** Rows of `wanted`. */
  readonly mount: readonly R[];
}

/**
 * How caches are cleaned when the runtime is deleted. Without it nothing is cleaned.
 * @example
 * const cleanup: Cleanup<BasePlan> = {
 *   commands: ({ namespace, name }) => [{ in: 'worker', on: 'every', argv: ['rm', '-rf', `/cache/${namespace}/${name}`] }],
 * };
 */
export interface Cleanup<P, T = unknown> {
  /** Finds out what the plan cannot know, such as the UUID of a file system. If it has no commands, `found` is undefined. */
  readonly ask?: Probe<P, T>;
  /**
   * Commands for masters and workers; fuse pods, which could fill a cache again, are deleted by then. Each may take as long as
   * `plan.cleaning` says, unless it has a `timeoutSeconds`.
   */
  // A method, so that a Cleanup<P, string> is also a Cleanup<P>.
  commands(plan: P, found: T | undefined): readonly (Command & { readonly in: 'master' | 'worker' })[];
}

/** How much of a Dataset is cached. */
export interface CacheUse {
  /** Cached data on all nodes, in bytes. */
  readonly cachedBytes: number;
  /** Share of reads that the cache answered, 0 to 1. Absent if nothing was read. */
  readonly hitRatio?: number;
  /** Share of bytes that the cache answered, 0 to 1. Absent if nothing was read. */
  readonly throughputRatio?: number;
  /** Size of all the data, in bytes. Absent if only the probe `ufs` knows it. */
  readonly totalBytes?: number;
  /**
   * Another text whenever the data may have another size. Then the probe `ufs` runs again: after five minutes at the earliest, and for at most
   * a twentieth of the time. Absent: it runs once.
   */
  readonly dataMark?: string;
}
/** The size of a Dataset in its store. */
export interface UfsUsage {
  /** Size of all files, in bytes. */
  readonly totalBytes: number;
  /** Number of files. */
  readonly files?: number;
}
/**
 * Bytes that readers got since a client started, or since the cache did which counts for all of them. The controller exports how they grow
 * from one probe to the next.
 */
export interface BytesRead {
  /** Another text for each client, and for a client that was started again. */
  readonly client: string;
  /** Bytes that the cache answered. */
  readonly cacheBytes: number;
  /** Bytes that came from the store. */
  readonly storeBytes: number;
}
/** The controller's observations of a runtime. */
export interface Observation<C = CacheUse> {
  /** Number of worker pods that are ready. */
  readonly readyWorkers: number;
  /** Result of the probe `cache`, if it has one. */
  readonly cache?: C;
  /** Result of the probe `ufs`, if it has one. */
  readonly ufs?: UfsUsage;
}
/** Status fields that only the engine knows. The controller derives all others from pods. */
export interface EngineStatus {
  /** `status.cacheStates` of the runtime: texts by name, such as `cached: 1.50GiB`. If the engine has a probe `cache`, the Dataset has them too. */
  readonly cacheStates?: Readonly<Record<string, string>>;
  /** `status.cacheStates` of the Dataset, for an engine without such a probe. Default: none. */
  readonly datasetCacheStates?: Readonly<Record<string, string>>;
  /** Bytes that readers got, by client. Absent if the engine does not count them. */
  readonly read?: readonly BytesRead[];
  /** Size and number of files of the Dataset as the engine says them itself: `100GiB`, `1000`. One that the probe `ufs` counted wins. */
  readonly data?: Pick<DatasetStatus, 'ufsTotal' | 'fileNum'>;
  /** `status.hcfs` of the Dataset: how the Hadoop file system API reaches the data. */
  readonly hcfs?: { readonly endpoint?: string; readonly underlayerFileSystemVersion?: string };
  /** `status.apiGateway` of the runtime: `<host>:<port>`. */
  readonly apiGateway?: { readonly endpoint?: string };
  /**
   * Data that readers do not get, and why, by the engine's own figures. The text must stay the same while the same holds. Null: not known
   * yet, and the text of an earlier process stays.
   */
  readonly unavailable?: Unavailable | null;
  /** For a runtime without pods that shows another Dataset: values from the statuses of that Dataset, in place of counts. */
  readonly mirrored?: {
    readonly dataset: Partial<Pick<DatasetStatus, 'mounts' | 'ufsTotal' | 'fileNum' | 'cacheStates' | 'hcfs'>>;
    readonly runtime: Partial<RuntimeStatus>;
  };
}
