import type { KubeObject } from '../kube/types.ts';
import { phaseOf } from '../planning/views.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Conditions that are True when something is wrong. */
const TROUBLES: ReadonlySet<string> = new Set([
  'NotReady',
  'Failed',
  'DatasetTaken',
  'MountsDiffer',
  'PodsCrashing',
  'PodsRefused',
  'PodsPending',
  'DataUnavailable',
  'ImmutableFieldChanged',
]);
/** Conditions that are True when something is worth knowing: the object counts as healthy all the same. */
const NOTES: ReadonlySet<string> = new Set(['SpecWarning', 'PodsOutdated', 'PlacementWaiting']);
/** Conditions that are False when something is wrong. */
const GOALS: ReadonlySet<string> = new Set(['Synced', 'Complete']);
const GOALS_OF_DATASETS: ReadonlySet<string> = new Set([...GOALS, 'Ready']);
/** `Ready` of a runtime or an operation repeats its other conditions; `Reconciling` and `Stalled` do so everywhere. */
const goalsOf = ({ kind }: KubeObject): ReadonlySet<string> => (kind === 'Dataset' ? GOALS_OF_DATASETS : GOALS);
const WELL: ReadonlySet<string> = new Set(['Bound', 'DataMigrating', 'Complete', 'Executing']);

export const conditionsOf = (object: KubeObject): readonly Condition[] =>
  ((object['status'] ?? {}) as { conditions?: readonly Condition[] }).conditions ?? [];

/** Conditions that say that something is wrong. */
export const wrongOf = (object: KubeObject): readonly Condition[] =>
  conditionsOf(object).filter(
    ({ type, status }) => (TROUBLES.has(type) && status === 'True') || (goalsOf(object).has(type) && status === 'False'),
  );

/** Conditions that are worth knowing, of an object that may be healthy all the same. */
export const notesOf = (object: KubeObject): readonly Condition[] =>
  conditionsOf(object).filter(({ type, status }) => NOTES.has(type) && status === 'True');

/** Whether a Dataset or an operation in this phase is where it should be. Before its first time, an operation with a schedule waits for nothing else. */
export function isWellPhase({ spec }: KubeObject, phase: string): boolean {
  const { policy } = (spec ?? {}) as { policy?: string };
  return WELL.has(phase) || (policy === 'Cron' && phase === 'Pending');
}

/** Whether `explain` would call a Dataset or a runtime healthy, as far as its own conditions and its phase say. */
export function looksHealthy(object: KubeObject): boolean {
  const isSeen = object.kind === 'Dataset' ? isWellPhase(object, String(phaseOf(object) ?? '')) : conditionsOf(object).length > 0;
  return isSeen && wrongOf(object).length === 0;
}
