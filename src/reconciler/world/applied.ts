import type { ImmutableChange } from '../../planning/diff/retain.ts';

/** The results of applying and pruning manifests. Objects are named `<Kind>/<name>`. */
export interface Applied {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  /** ConfigMaps and Secrets among them whose data changed. An adoption changes labels alone. */
  readonly newData: readonly string[];
  readonly pruned: readonly string[];
  /** Objects that could not be written; all others were. */
  readonly failed: readonly Failure[];
  /** Changes of existing objects that Kubernetes does not allow. */
  readonly immutable: readonly ImmutableChange[];
  /** Changes of the fuse pods' placement that wait, since they would delete the client of a pod that reads. */
  readonly waiting: readonly WaitingPlacement[];
  /** Objects that are being deleted, and that finalizers keep. Of volume and claim the lifecycle says that. */
  readonly kept: readonly Kept[];
}
/** The results of one part of it: what is absent is empty. */
export type PartlyApplied = { readonly [K in keyof Applied]?: Applied[K] };

export const nothingApplied: Applied = {
  created: [],
  changed: [],
  newData: [],
  pruned: [],
  failed: [],
  immutable: [],
  waiting: [],
  kept: [],
};

/** The results of all parts, in their order. */
export const appliedIn = (parts: readonly PartlyApplied[]): Applied => ({
  created: parts.flatMap(({ created = [] }) => created),
  changed: parts.flatMap(({ changed = [] }) => changed),
  newData: parts.flatMap(({ newData = [] }) => newData),
  pruned: parts.flatMap(({ pruned = [] }) => pruned),
  failed: parts.flatMap(({ failed = [] }) => failed),
  immutable: parts.flatMap(({ immutable = [] }) => immutable),
  waiting: parts.flatMap(({ waiting = [] }) => waiting),
  kept: parts.flatMap(({ kept = [] }) => kept),
});

/** The results of deleting the objects that no manifest names any more. */
export type Pruned = Pick<Applied, 'pruned' | 'failed' | 'kept'>;

/** A write of one object that failed, or a lookup that a write needs. */
export interface Failure {
  readonly reason: WriteFailure;
  readonly object: string;
  readonly message: string;
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

/** An object that is being deleted, and the finalizers that keep it. */
export interface Kept {
  readonly object: string;
  readonly finalizers: readonly string[];
}

/** An object that keeps nodes which its spec no longer selects, until these pods have left them. */
export interface WaitingPlacement {
  readonly object: string;
  readonly nodes: readonly { readonly name: string; readonly pods: readonly string[] }[];
}
