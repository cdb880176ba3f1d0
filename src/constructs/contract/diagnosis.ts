import type { DatasetSpec } from '../../api/index.ts';
import type { Role } from './input.ts';

/**
 * How `sluice explain --slow` learns why reads are slow: from pods that run, without a plan. All of it is pure.
 * @example
 * const diagnosis: Diagnosis<object> = {
 *   cache: () => ({ in: 'fuse', field: 'spec.cacheSize' }),
 *   counters: {
 *     command: ({ role }) => (role === 'fuse' ? { argv: ['acme', 'stats'] } : undefined),
 *     parse: (answer) => ({ bytes: { local: Number(/^hits (\d{1,15})$/m.exec(answer)?.[1] ?? 0) } }),
 *   },
 * };
 */
export interface Diagnosis<Spec> {
  /** Whose cache answers readers, and which field says how large it is. */
  readonly cache: (input: DiagnosedSpecs<Spec>) => CacheSetting;
  /** Counters of pods. Absent: no command prints any. */
  readonly counters?: CounterProbe;
  /** Options of clients that cost time, as facts with their sources. */
  readonly costs?: readonly OptionCost[];
  /** The options of clients that users have set, a later one of a name instead of an earlier one. Without it no option is looked at. */
  readonly chosen?: (input: DiagnosedSpecs<Spec>) => readonly ChosenOption[];
}

/** A runtime and its Dataset, as the API server stores them. */
export interface DiagnosedSpecs<Spec> {
  /** `spec` of the runtime. */
  readonly spec: Spec;
  /** `spec` of the Dataset. */
  readonly dataset: DatasetSpec;
}

/** The cache that answers readers. */
export interface CacheSetting {
  /** Pods that keep it: workers for all readers, or each client for its own node. */
  readonly in: 'worker' | 'fuse';
  /** Bytes that one of these pods may keep. Absent if the specs do not say it. */
  readonly bytes?: number;
  /** Path of the field that says so: `spec.tieredstore.levels[0].quota`. */
  readonly field: string;
  /** The value of that field for so many bytes. Default: a quantity, `20Gi`. */
  readonly valueFor?: (bytes: number) => string;
}

/** The counters of a pod, read twice to see what happens meanwhile. */
export interface CounterProbe {
  /** The command that prints them; undefined for a pod that has none. */
  readonly command: (pod: CountingPod) => CounterCommand | undefined;
  /**
   * Reads what the command printed, at most 64 KiB, in time in proportion to it. The pod runs an image of a user.
   * @throws Error if it has none of the counters.
   */
  readonly parse: (answer: string, pod: CountingPod) => PodCounters;
}
/** A pod that is ready. */
export interface CountingPod {
  readonly role: Role;
  /** Ports of its containers, by name. */
  readonly ports: Readonly<Record<string, number>>;
}
/** A program to run in a pod. */
export interface CounterCommand {
  /** Default: the first container of the pod. */
  readonly container?: string;
  /** Program and arguments; no text of a user is joined into a script. */
  readonly argv: readonly string[];
}

/** Counts of one pod since its process began. A field is absent if the pod does not count it. */
export interface PodCounters {
  /** Another text for another process, whose counters began anew. */
  readonly process?: string;
  /** Bytes that readers got through this pod, by their source. */
  readonly bytes?: { readonly local?: number; readonly remote?: number; readonly store?: number };
  /** Number of blocks that left the cache to make room. */
  readonly evictions?: number;
  /** Number of blocks that the cache was too slow to take. */
  readonly drops?: number;
  /** The cache of this pod, in bytes. */
  readonly cache?: { readonly usedBytes: number; readonly capacityBytes?: number };
  /** Requests to the store. */
  readonly store?: Requests;
  /** Reads from the cache's own disk or memory. */
  readonly cacheReads?: Requests;
  /** Reads of programs on the node. */
  readonly reads?: Requests;
  /** All other requests of programs on the node, such as look-ups, but for writes. */
  readonly metadata?: Requests;
}
/** Requests of one sort. */
export interface Requests {
  /** How many. */
  readonly count: number;
  /** Seconds that all of them took together. */
  readonly seconds?: number;
  /** Bytes that all of them got. */
  readonly bytes?: number;
  /** Number of those that failed. */
  readonly errors?: number;
}

/** An option of a client that costs time. */
export interface OptionCost {
  /** The client, as in tables: `JuiceFS`. */
  readonly client: string;
  /** The option's name, as `chosen` has it: `cache-size`. */
  readonly name: string;
  /** The values that cost, as in tables: `0`. Empty: any. */
  readonly values: string;
  /** Whether a value is one of these. */
  readonly isCostly: (value: string) => boolean;
  /** The cost: `nothing is cached`. */
  readonly costs: string;
  /** With it nothing is cached, so that no load and no larger cache helps. */
  readonly turnsCacheOff?: true;
  /** The remedy: `leave it out`. */
  readonly instead: string;
  /** Where the fact is from: `juicefs mount --help`. */
  readonly source: string;
}
/** An option that a user has set. */
export interface ChosenOption {
  /** The field that has it: `spec.fuse.options.cache-size`, or `Dataset spec.mounts[0].options.cache-size`. */
  readonly field: string;
  /** Name of the option, without dashes. */
  readonly name: string;
  /** Value of the option; empty if it has none. */
  readonly value: string;
}
