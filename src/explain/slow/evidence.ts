import type { CacheSetting, OptionCost, PodCounters, Role } from '../../constructs/index.ts';

/** All that a diagnosis of slow reads is drawn from. Texts of users in it are as they were written. */
export interface SlowEvidence {
  /** `Dataset ml/images`. */
  readonly object: string;
  /** `JuiceFSRuntime ml/images`. */
  readonly runtime: string;
  /** Seconds between the two readings of each pod. */
  readonly seconds: number;
  /** Absent: the runtime does not say whose cache answers readers. */
  readonly cache?: CacheSetting;
  /** Pods of the runtime that exist, by role and name. */
  readonly pods: readonly SampledPod[];
  readonly workers?: { readonly ready: number; readonly wanted: number };
  readonly levels: readonly CacheLevel[];
  /** Options of the client that cost time. */
  readonly options: readonly CostlyOption[];
  /** Bytes of all data of the Dataset, as its status says. */
  readonly dataBytes?: number;
  /** Figures of the Dataset's status, which the controller writes once a minute: what is known if no pod prints counters. */
  readonly status?: StatusFigures;
  /** Names of the Dataset's DataLoads that are complete. */
  readonly loaded: readonly string[];
  /** Whether options of the client were looked at. */
  readonly knowsOptions: boolean;
  /** Why something is not known: a right that is missing, a pod that does not answer. */
  readonly notes: readonly string[];
}

/** Shares of reads, 0 to 1, and bytes. */
export interface StatusFigures {
  readonly hits: number;
  /** Hits that did not leave the reader's node, if the engine tells them apart. */
  readonly localHits?: number;
  readonly cachedBytes?: number;
  readonly capacityBytes?: number;
}

export interface SampledPod {
  readonly name: string;
  readonly role: Role;
  /** Absent while the pod has no node. */
  readonly node?: string;
  readonly isReady: boolean;
  /** Counters at the beginning and at the end; absent if the pod was not asked or did not answer. */
  readonly counters?: Sampled<PodCounters>;
  readonly cpu?: Sampled<CpuPeriods>;
  /** Limits of the container that serves: cores and bytes. */
  readonly limits: { readonly cpu?: number; readonly memory?: number };
}
export interface Sampled<T> {
  readonly before: T;
  readonly after: T;
}
/** Periods of the kernel's scheduler, by default of 100 ms each, in which the container wanted to run, and in which its limit stopped it. */
export interface CpuPeriods {
  readonly periods: number;
  readonly throttled: number;
}

/** A level of `spec.tieredstore`. */
export interface CacheLevel {
  /** `spec.tieredstore.levels[0]`. */
  readonly field: string;
  readonly medium: string;
  readonly quotaBytes?: number;
}
export interface CostlyOption {
  readonly field: string;
  readonly value: string;
  readonly cost: OptionCost;
}
