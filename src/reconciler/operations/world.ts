import type { Dataset, InvalidSpec, Manifest, NodeAffinity, OperationStatus, Resource } from '../../api/index.ts';
import type { OperationKind, OperationSpec, Warning } from '../../constructs/index.ts';
import type { Hold, Kept, Key, OperationKey } from '../world.ts';

/** An operation on a Dataset, as its user wrote it. */
export interface OperationObject extends Resource<OperationSpec & TargetSpec, OperationStatus> {
  readonly kind: OperationKind;
}
/** A DataBackup names its Dataset plainly, a DataMigrate one or two. */
export interface TargetSpec {
  readonly dataset?: string | TargetRef;
  readonly to?: { readonly dataset?: TargetRef };
  readonly from?: { readonly dataset?: TargetRef };
}
export interface TargetRef {
  readonly name?: string;
  readonly namespace?: string;
}

/** One consistent reading of what concerns an operation. Times are milliseconds since the epoch. */
export interface OperationWorld {
  readonly now: number;
  readonly key: OperationKey;
  readonly operation: OperationObject;
  /** The fault of its spec, if it does not parse. */
  readonly invalid?: InvalidSpec;
  /** The Dataset that it is about; of a DataMigrate, the one whose runtime does the work. */
  readonly target: Key;
  readonly dataset?: Dataset;
  /** Another Dataset that it reads or writes. */
  readonly other?: { readonly key: Key; readonly dataset?: Dataset };
  readonly predecessor: Predecessor;
  /** Those of its kind on its Datasets that run or could run, itself among them; the one that runs, or is next, comes first. */
  readonly line: readonly LinePosition[];
  /** So many wait that only the first of them counts. */
  readonly isLongLine?: true;
  /** Others run after it, and have not seen that it is over. */
  readonly isAwaited: boolean;
  /** The Job of its own name, which does the work; with policy Cron, one from before an edit of its policy. */
  readonly run?: JobView;
  /** The CronJob that creates its Jobs. */
  readonly schedule?: ScheduleView;
  /** With policy Cron: the newest Job of the CronJob. */
  readonly latest?: JobView;
  /** With policy OnEvent: the mounts in effect, empty while there are none, and for how long this process has seen them so. */
  readonly mounts?: { readonly digest: string; readonly unchangedMs: number };
  /** The operation's Jobs that have not ended, and its CronJob. */
  readonly works: readonly Work[];
  /** Something is left that serves a run only: helping pods. */
  readonly hasHelpers?: boolean;
  /** The workloads of these pods. */
  readonly helpers?: readonly HelperView[];
}

/** A workload that helps a Job. */
export interface HelperView {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly kept?: Kept;
  /** How many pods it has, if it is to have more: `0 of 2 pods`. */
  readonly lacks?: string;
}

/** A Job or CronJob that a pause suspends. */
export interface Work {
  readonly kind: 'Job' | 'CronJob';
  readonly name: string;
  readonly uid: string;
  /** A suspended Job `stops` until its pods have ended, and then `rests`. What others suspend `goes`. */
  readonly state: 'goes' | 'stops' | 'rests';
}

/** One place in a line. */
export interface LinePosition {
  readonly key: OperationKey;
  readonly isRunning: boolean;
  /** The operation's Job gets no pod, as its status says. */
  readonly hasNoPods?: boolean;
  /** The API server refuses its Job: those behind it go first. */
  readonly isStuck: boolean;
  /** When it could have started, in milliseconds since the epoch: it was created, and what it runs after was complete. */
  readonly since: number;
}

/** The state of `spec.runAfter`; `done` also if there is none. `at`: when it was complete, RFC 3339. `near`: where this one has to run. */
export type Predecessor =
  | { readonly is: 'done'; readonly at?: string | undefined; readonly near?: NodeAffinity | undefined }
  | { readonly is: 'awaited'; readonly key: OperationKey; readonly hold: Hold }
  | { readonly is: 'failed'; readonly refusal: Refusal };

/** How far a Job is. */
export interface JobView {
  readonly name: string;
  readonly uid: string;
  /** The file of its pod that says how far it is; absent if the engine cannot say. */
  readonly progressFile?: string;
  /** The text by which its user had asked for a run when the Job was created. */
  readonly retry?: string;
  /** The mounts in effect at that time, with policy OnEvent. */
  readonly mounts?: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Finalizers keep the Job, which is being deleted. */
  readonly kept?: Kept;
  /** No pod of it was created `yet`; or those that it had have ended, and `now` it has none. */
  readonly noPods?: 'yet' | 'now';
  /** Why the Job ended: its condition Complete or Failed. */
  readonly end?: JobEnd;
}
/** A CronJob as its operation sees it. */
export interface ScheduleView {
  readonly name: string;
  readonly uid: string;
  readonly kept?: Kept;
  /** RFC 3339. */
  readonly lastScheduleTime?: string;
  /** RFC 3339. */
  readonly lastSuccessfulTime?: string;
}
export interface JobEnd {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The manifests of an operation's Job and its other objects, or why there are none. */
export type Prepared =
  | { readonly manifests: readonly Manifest[]; readonly warnings?: readonly Warning[] }
  | { readonly hold: Hold }
  | { readonly refused: Refusal };

/** Why an operation fails without having run. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** `status.infos`: what an operation says of its progress and results, by name. */
export type Infos = Readonly<Record<string, string>>;

/** How a pod of a Job ended. */
export interface EndedPod {
  readonly name: string;
  readonly exitCode: number;
  /** Labels of the node that it ran on. */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** The termination message of the pod; for a failed one without that, the end of its output. */
  readonly message: string;
}
