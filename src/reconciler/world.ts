import type { Dataset, Manifest, Resource, RuntimeStatus } from '../api/index.ts';
import type {
  BasePlan,
  BoundProbe,
  BoundRuntime,
  Command,
  MountChange,
  MountRow,
  OperationKind,
  Part,
  Role,
  UfsUsage,
  WorkloadNames,
} from '../constructs/index.ts';
import type { KubeObject, ObjectMeta } from '../kube/types.ts';
import type { Reason } from './reasons.ts';

/** In the order of set-up. */
export const PARTS: readonly Part[] = ['master', 'fuse', 'worker', 'claim', 'volume'];

export const ROLES = ['master', 'worker', 'fuse'] as const satisfies readonly Role[];

/** A dataset and the runtimes of its name are one thing to reconcile. */
export interface Key {
  readonly namespace: string;
  readonly name: string;
}
/** An operation is one by itself; a dataset and others may have the same name. */
export interface OperationKey extends Key {
  readonly kind: OperationKind;
}
/** The namespace comes first: namespaces take turns in the queue. */
export const keyText = (key: Key | OperationKey): string =>
  'kind' in key ? `${key.namespace}/${key.name}/${key.kind}` : `${key.namespace}/${key.name}`;
export function keyOfText(text: string): Key | OperationKey {
  const [namespace = '', name = '', kind] = text.split('/');
  // The cast: a text was made of a key.
  return kind === undefined ? { namespace, name } : { namespace, name, kind: kind as OperationKind };
}

/** A custom resource of one of the runtimes; what its spec holds is between the runtime and its plan. */
export type RuntimeObject = Resource<object, RuntimeStatus>;

/** An object as the cluster has it; of those that are watched, what projection.ts keeps. */
export interface LiveObject extends KubeObject {
  readonly metadata: ObjectMeta & { readonly uid: string; readonly resourceVersion: string };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Pods of one workload, counted by the API server. */
export interface WorkloadView {
  readonly desired: number;
  readonly current: number;
  readonly ready: number;
  readonly available: number;
  /** Pods that still run an older template; they restart when their user deletes them. */
  readonly outdated: readonly string[];
}

/** An object as it should be, known by the hash of its manifest, which is rendered when somebody has to look at it. */
export interface Outline {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
  /** The same for one plan. */
  readonly finding: Finding;
  manifest(): Manifest;
}

/** What was found out about an object, for whoever looks at it next. */
export interface Finding {
  found: unknown;
  /** We made it, and nothing else was found out yet. */
  made?: boolean;
}

/** A probe of which is known, without its plan, which pods it would ask. */
export interface Question<T> extends BoundProbe<T> {
  readonly where?: readonly Where[];
}
/** A table of mounts of which may be known, without its plan, how a list differs that was compared with it before. */
export interface MountsInForce extends NonNullable<BoundRuntime['mounts']> {
  readonly list: Question<readonly MountRow[]>;
  differences?(mounted: readonly MountRow[]): MountChange;
}
export type Where = Pick<Command, 'in' | 'on'>;

/** A runtime bound to its plan, as far as anybody but its components needs to know it. */
export interface PlanInForce extends Pick<BoundRuntime, 'roles' | 'synth' | 'status'> {
  readonly plan: Pick<
    BasePlan,
    | 'type'
    | 'engine'
    | 'app'
    | 'name'
    | 'namespace'
    | 'dataset'
    | 'placement'
    | 'replicas'
    | 'cacheOnNode'
    | 'cleaning'
    | 'config'
    | 'warnings'
  >;
  readonly leader?: Question<string | undefined> | undefined;
  readonly mounts?: MountsInForce | undefined;
  readonly probes: { readonly cache?: Question<unknown> | undefined; readonly ufs?: Question<UfsUsage> | undefined };
  readonly cleanup?: BoundRuntime['cleanup'] | undefined;
}

/** A Secret that is not there, or not with these keys. */
export interface MissingSecret {
  /** `<name>`, or `<namespace>/<name>` where it is not in the dataset's own namespace. */
  readonly name: string;
  readonly keys?: readonly string[];
}

/** One consistent reading of the cluster. Steps may look at nothing else. */
export interface World {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly key: Key;
  readonly dataset: Dataset;
  readonly runtime: RuntimeObject;
  readonly plan: PlanInForce;
  /** What else the plan was made from, such as a profile. */
  readonly companions?: readonly KubeObject[];
  /** What the plan renders. Throws InvalidSpec where it cannot be rendered. */
  readonly outlines: (part: Part) => readonly Outline[];
  /** Where cache can be, for pods that want to be near it. */
  readonly cacheAffinity?: object | undefined;
  /** The Dataset was bound before: a hold no longer stops what comes after it. */
  readonly bound: boolean;
  readonly workloads: Readonly<Partial<Record<Role, WorkloadView>>>;
  /** What its workloads are called, whether or not they are there. */
  readonly names: WorkloadNames;
  readonly volume?: LiveObject;
  readonly claim?: LiveObject;
  readonly missingSecrets: readonly MissingSecret[];
  readonly secretRetryMs?: number;
  /** Something is asked by the clock: look again after so long even when nothing happens. */
  readonly againMs?: number;
  readonly probes: { readonly cache?: unknown; readonly cacheRunning?: boolean; readonly ufs?: UfsUsage; readonly ufsRunning?: boolean };
  /** The first answers of its probes may come within so long: worth waiting for before it is told that it is bound. */
  readonly answersInMs?: number;
  /** Absent while no pod could be asked. */
  readonly mounted?: readonly MountRow[];
  /** One is being asked, or will be once it is this runtime's turn. */
  readonly listing?: boolean;
  /** When rows that are not as they are wanted were last changed, by path: milliseconds since the epoch. */
  readonly mountsTriedAt?: ReadonlyMap<string, number>;
  /** Rows that were changed in vain. */
  readonly mountTroubles?: readonly MountTrouble[];
  /** All of them in words. */
  readonly mountsDiffer?: Hold | undefined;
  /** Masters are there, and none of them says that it leads. */
  readonly leaderless?: boolean;
  /** Why the last command failed. */
  readonly execError?: string;
  /** That was a change of mounts, which is listed meanwhile. */
  readonly changeFailed?: boolean;
  /** Why the newest specs cannot be followed: the plan is that of the last ones that could be. */
  readonly obstacle?: Hold;
}

/** A row that was mounted or unmounted without an error, and is listed otherwise. */
export interface MountTrouble {
  readonly path: string;
  readonly text: string;
  /** Whoever reads there does not find what the spec promises. */
  readonly isLack: boolean;
  /** It is to be tried again now. */
  readonly isDue: boolean;
}

export interface Hold {
  readonly reason: Reason;
  readonly message: string;
  /** An error stands behind it: it is no matter of moments, whatever its reason. */
  readonly isError?: boolean;
  /** Nobody needs to read of it, since what serves goes on; its end wakes us. */
  readonly silent?: boolean;
  /** Look again after so many milliseconds; otherwise an event will wake us. */
  readonly retryMs?: number;
  /** The pass counts as failed: it is made again with back-off. */
  readonly fails?: true;
  /** Reason of the event, where it is not the usual one. */
  readonly event?: string;
}
/** What one step asks for. Actions are taken in order. */
export type Action =
  | { readonly ensure: Part }
  /** What changes the mounts so. */
  | { readonly run: readonly Command[]; readonly change: MountChange }
  /** Gives a volume that remembers another claim, or none, to this one; without `to` it is freed first. */
  | { readonly release: LiveObject; readonly seen: LiveObject; readonly to?: LiveObject }
  /** Says on a claim that it and its volume name each other, and has the volume controller look at it. */
  | { readonly complete: LiveObject }
  /** A claim that the volume controller should have bound in `afterMs` from now on. */
  | { readonly nudge: LiveObject; readonly afterMs: number };
export interface Contribution {
  readonly action?: Action;
  readonly hold?: Hold;
}
export type Step = (world: World) => Contribution;
export interface Decision {
  readonly actions: readonly Action[];
  readonly hold?: Hold;
  readonly mayPrune: boolean;
}

/** What became of the manifests. */
export interface Applied {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly pruned: readonly string[];
  /** An object that could not be written, and why; all others were. */
  readonly failed: readonly Failure[];
  /** Changes that Kubernetes does not allow on what exists. */
  readonly immutable: readonly ImmutableChange[];
  /** Edits of the fuse pods' placement that would take a client from under somebody who reads. */
  readonly waiting: readonly Waiting[];
}
/** What became of the objects that nothing asks for any more. */
export type Pruned = Pick<Applied, 'pruned' | 'failed'>;
/** An object that keeps these nodes, which its spec no longer selects, until these pods are gone from them. */
export interface Waiting {
  readonly object: string;
  readonly nodes: readonly { readonly name: string; readonly pods: readonly string[] }[];
}
export type WriteFailure =
  | 'NameTaken'
  | 'FieldConflict'
  | 'Conflict'
  | 'ApplyFailed'
  | 'UpdateFailed'
  | 'DeleteFailed'
  | 'LookupFailed'
  | 'InternalError';
export interface Failure {
  readonly reason: WriteFailure;
  readonly object: string;
  readonly message: string;
}
export interface ImmutableChange {
  readonly object: string;
  readonly path: string;
  readonly live: unknown;
  readonly desired: unknown;
}
export const nothingApplied: Applied = { created: [], changed: [], pruned: [], failed: [], immutable: [], waiting: [] };

/** When to look again: on the next event; `after` so many milliseconds because something is under way; `again` although all is well. */
export type Next = 'on-change' | { readonly after: number } | { readonly again: number };
