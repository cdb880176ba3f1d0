import type { Dataset } from '../api/index.ts';
import type { MountRow, Role, ReadAnswer, UfsUsage, WorkloadNames } from '../constructs/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { Binding } from '../planning/bindings.ts';
import type { MountTrouble } from '../planning/diff/mount-trouble.ts';
import type { Hold } from '../planning/hold.ts';
import type { Key } from '../planning/key.ts';
import type { LiveObject, MissingSecret, RuntimeObject, WorkloadView } from '../planning/objects.ts';

/** The vocabulary of a pass: it observes a World, decides, applies, and returns when the next pass is due. */
export * from './world/applied.ts';
export type * from './world/decision.ts';
export type { Hold } from '../planning/hold.ts';
export * from '../planning/key.ts';
export type * from '../planning/objects.ts';
export type * from '../planning/plan-in-force.ts';

export const ROLES = ['master', 'worker', 'fuse'] as const satisfies readonly Role[];

/** One consistent reading of the cluster, which decides a pass. Times are milliseconds since the epoch. */
export interface World extends Binding {
  readonly now: number;
  readonly key: Key;
  readonly dataset: Dataset;
  readonly runtime: RuntimeObject;
  /** Further objects that the plan was made from, such as a profile. */
  readonly companions?: readonly KubeObject[];
  /** The Dataset was bound before: a hold no longer stops the steps after it. */
  readonly bound: boolean;
  readonly workloads: Readonly<Partial<Record<Role, WorkloadView>>>;
  /** Why Kubernetes creates no pods of these, in its words. Without `why` they lack pods, and it is not known yet. */
  readonly refusals?: Readonly<Partial<Record<Role, { readonly why?: string }>>>;
  /** UID of the StatefulSet of the workers, also of one that no watch shows. */
  readonly workerSet?: string;
  /** Nodes that do not get its labels, each with the reason. */
  readonly nodesRefused?: string;
  /** Names of the workloads, whether or not they exist. */
  readonly names: WorkloadNames;
  readonly volume?: LiveObject;
  readonly claim?: LiveObject;
  /** The claim names a volume of a runtime that is gone, or of another cluster. */
  readonly claimIsLeft?: true;
  readonly missingSecrets: readonly MissingSecret[];
  readonly secretRetryMs?: number;
  /** Milliseconds until the next pass, even without an event: something is read by the clock. */
  readonly afterMs?: number;
  readonly probes: { readonly cache?: unknown; readonly cacheRunning?: boolean; readonly ufs?: UfsUsage; readonly ufsRunning?: boolean };
  /** The reads of a user; `unknown` until a pod has been asked, absent while none can be. */
  readonly reads?: ReadAnswer | 'unknown';
  /** The first answers of its probes may come within so many ms: `Bound` is reported together with them. */
  readonly answersInMs?: number;
  /** The mounts of an engine that has a table of them. */
  readonly mounts?: MountsObserved;
  /** Why the newest specs cannot be followed: the plan is that of the last valid ones. */
  readonly obstacle?: Hold;
}

/** The engine's table of mounts, as far as it is known. */
export type MountsObserved = {
  /** Rows that were changed in vain. */
  readonly troubles: readonly MountTrouble[];
} & (
  | { /** Masters are ready, and none of them reports that it leads. */ readonly is: 'leaderless' }
  | {
      /** No pod has answered since the specs or the masters changed, or since the last change of rows. */
      readonly is: 'unlisted';
      /** The rows are being listed, or will be in this runtime's turn. */
      readonly isListing: boolean;
      readonly failed?: MountsFailure;
    }
  | {
      readonly is: 'listed';
      readonly rows: readonly MountRow[];
      /** How many milliseconds ago rows that differ from the wanted ones were last changed, by path. */
      readonly triedMs?: ReadonlyMap<string, number>;
      readonly failed?: MountsFailure;
    }
);
/** The last command failed: a list of the mounts, or a change after which they are listed again. */
export interface MountsFailure {
  readonly message: string;
  readonly isChange: boolean;
}
