import type { Dataset, RuntimeStatus } from '../../api/index.ts';
import { isConflict, messageOf } from '../../kube/errors.ts';
import type { Cluster, Notice } from '../cluster.ts';
import { withCondition, withoutCondition } from './conditions.ts';
import { notReady } from './dataset.ts';
import { withDatasetHealth } from './health.ts';
import { each, failureOf } from '../failures.ts';
import { logReason } from './log-reason.ts';
import { causeOf, isPassing } from '../../planning/reasons.ts';
import { EMPTY, type Statuses } from './status.ts';
import { UNAVAILABLE } from '../../planning/attention.ts';
import { unavailableOf } from './unavailable.ts';
import { lacksOf } from './unsynced.ts';
import type { Applied, Decision, Failure, Hold, RuntimeObject, World } from '../world.ts';

/**
 * Reports on the Runtime, in `Synced` and in an event, why no more is done for it.
 *
 * @param type a further condition for the same reason, if it has one
 */
export async function reportOnRuntime(
  cluster: Cluster,
  object: RuntimeObject,
  hold: Hold,
  type?: string,
  event = 'ErrorProcessRuntime',
): Promise<void> {
  const { reason, message } = hold;
  const before = object.status ?? EMPTY;
  const set = (list: NonNullable<RuntimeStatus['conditions']>, of: string, status: 'True' | 'False') =>
    withCondition(list, { type: of, status, reason, message }, cluster.now(), 'lastProbeTime') as typeof list;
  const unsynced = set(before.conditions ?? [], 'Synced', 'False');
  const conditions = type ? set(unsynced, type, 'True') : withoutCondition(unsynced, 'DatasetTaken');
  const wrote = await cluster.writeRuntimeStatus(object, {
    ...EMPTY,
    ...before,
    observedGeneration: object.metadata.generation ?? 0,
    conditions: [...conditions] as NonNullable<RuntimeStatus['conditions']>,
  });
  if (wrote) logReason(cluster, object, 'Synced', conditions);
  if (wrote && (!isPassing(hold) || event !== 'ErrorProcessRuntime' || causeOf(reason).hasEvent))
    cluster.notice(object, { type: 'Warning', reason: event, note: message });
}

/** The same on the Dataset. A Dataset that was bound keeps its phase: it serves its pods while it is being deleted. */
export async function reportOnDataset(cluster: Cluster, dataset: Dataset, hold: Hold, event = 'ErrorProcessDataset'): Promise<void> {
  const { reason, message } = hold;
  const passing = isPassing(hold);
  const phase = dataset.status?.phase || 'NotBound';
  const isSetUp = event === 'ErrorProcessDataset';
  const now = cluster.now();
  const failed = notReady(dataset.status?.conditions ?? [], passing || !isSetUp ? reason : 'DatasetFailedToSetup', message, now);
  const conditions = withDatasetHealth(failed, hold, now);
  const wrote = await cluster.writeDatasetStatus(dataset, { phase, conditions });
  if (wrote) logReason(cluster, dataset, 'NotReady', conditions);
  if (wrote && !passing) cluster.notice(dataset, { type: 'Warning', reason: event, note: message });
}

/**
 * Writes into a Dataset that its runtime is being deleted. The phase stays until the runtime no longer exists.
 *
 * @param serves pods still mount the Dataset, and the deletion waits for them
 */
export async function reportOnLeaving(cluster: Cluster, dataset: Dataset, hold: Hold, serves: boolean): Promise<void> {
  const { phase = 'Bound', conditions = [] } = dataset.status ?? {};
  const { reason, message } = hold;
  const now = cluster.now();
  const ready = { type: 'Ready', status: serves ? 'True' : 'False', reason, message } as const;
  const said = withCondition(conditions, ready, now, 'lastUpdateTime');
  await cluster.writeDatasetStatus(dataset, { phase, conditions: withDatasetHealth(said, hold, now) });
}

/**
 * Writes both statuses, each also when the other cannot be written, and the events of what changed. The Dataset comes first: when its
 * status is refused, the runtime's status and an event report it. When the runtime's status is refused, only an event can report it.
 */
export async function reportOnBoth(
  cluster: Cluster,
  dataset: Dataset,
  object: RuntimeObject,
  statuses: Statuses,
  notices: readonly About[],
  reportInMs: number,
): Promise<void> {
  let wrote = false;
  let runtime = statuses.runtime;
  /** Reports only an error that lasts: a retry ends a race with another writer, and most other first failures. */
  const orFailure = async (effect: () => Promise<boolean>, onLasting: (error: unknown) => void) => {
    try {
      if (await effect()) wrote = true;
    } catch (error) {
      if (reportInMs <= 0 && !isConflict(error)) onLasting(error);
      throw error;
    }
  };
  const refusedDataset = (error: unknown) => {
    const failure = failureOf('UpdateFailed', `Dataset/${dataset.metadata.name}`, error);
    runtime = withFailure(runtime, failure, object.status ?? EMPTY, cluster.now());
    cluster.notice(dataset, { type: 'Warning', reason: 'ErrorProcessDataset', note: failure.message });
  };
  const writeRuntime = async () => {
    const written = await cluster.writeRuntimeStatus(object, runtime);
    if (written) logReason(cluster, object, 'Synced', runtime.conditions);
    return written;
  };
  const refusedRuntime = (error: unknown) =>
    cluster.notice(object, { type: 'Warning', reason: 'ErrorProcessRuntime', note: messageOf(error) });
  try {
    await each([
      () => orFailure(() => cluster.writeDatasetStatus(dataset, statuses.dataset), refusedDataset),
      () => orFailure(writeRuntime, refusedRuntime),
    ]);
  } finally {
    if (wrote) for (const { about, ...notice } of notices) cluster.notice(about === 'dataset' ? dataset : object, notice);
  }
}

/** An earlier reason of `Synced` stays; and a failure that was reported before causes no write. */
function withFailure(status: RuntimeStatus, { object: name, reason, message }: Failure, before: RuntimeStatus, now: number): RuntimeStatus {
  const { conditions = [] } = status;
  if (conditions.some(({ type, status: is }) => type === 'Synced' && is === 'False')) return status;
  const synced = before.conditions?.find(({ type }) => type === 'Synced');
  const kept = conditions.map((condition) => (condition.type === 'Synced' && synced ? synced : condition));
  const claim = { type: 'Synced', status: 'False', reason, message: `${name}: ${message}` } as const;
  return { ...status, conditions: [...withCondition(kept, claim, now, 'lastProbeTime')] };
}

/** An event and the object that it is about. */
export type About = Notice & { readonly about: 'dataset' | 'runtime' };

/** A Warning on the runtime that keeps its Dataset from serving as specified is an event of the Dataset too, whose users read that one. */
const onBoth = (note: string, reason = 'ErrorProcessRuntime'): readonly About[] => [
  { about: 'runtime', type: 'Warning', reason, note },
  { about: 'dataset', type: 'Warning', reason: reason.startsWith('Error') ? 'ErrorProcessDataset' : reason, note },
];

/** Events for a hold: nothing, or only what earlier specs asked for, is done for a dataset and its runtime. */
export const noticesOfHold = (hold: Hold): readonly About[] => (isPassing(hold) ? [] : onBoth(hold.message, hold.event));

/** The events for a change of status. */
export function noticesOf(world: World, decision: Decision, applied: Applied): readonly About[] {
  // The condition of that name or reason has the text that was reported before.
  const known = (text: Hold) =>
    world.runtime.status?.conditions?.some(
      ({ type, reason, message }) => (type === text.reason || reason === text.reason) && message === text.message,
    );
  const news = lacksOf(world, applied).filter((lack) => lack.reason !== decision.hold?.reason && !known(lack));
  return [
    ...noticesOfPass(world, decision, applied),
    ...news.flatMap(({ reason, message }) => onBoth(message, reason)),
    ...noticesOfReaders(world),
  ];
}

/** One event for each time that the data is unavailable, however the errors of readers change meanwhile. */
function noticesOfReaders(world: World): readonly About[] {
  const unavailable = unavailableOf(world);
  const isKnown = world.runtime.status?.conditions?.some(({ type }) => type === UNAVAILABLE);
  return typeof unavailable === 'object' && !isKnown ? onBoth(unavailable.message, UNAVAILABLE) : [];
}

function noticesOfPass(world: World, { hold }: Decision, { failed }: Applied): readonly About[] {
  const { bound, dataset, runtime, workloads, plan } = world;
  if (failed.length > 0) return failed.flatMap(({ object, message }) => onBoth(`${object}: ${message}`));
  if (hold && !isPassing(hold)) return noticesOfHold(hold);
  // Once for each edit of any object: the condition has the text that was reported before.
  const before = runtime.status?.conditions?.find(({ type }) => type === 'SpecWarning')?.message ?? '';
  const isNew = !bound || runtime.status?.observedGeneration !== runtime.metadata.generation;
  const warnings = plan.base.warnings
    .filter(({ message }) => isNew || !before.includes(message))
    .map(({ reason, message }) => ({ about: 'runtime', type: 'Warning', reason, note: message }) as const);
  const [from, to] = [runtime.status?.desiredWorkerNumberScheduled, workloads.worker?.desired];
  if (bound && dataset.status?.phase === 'Bound' && from !== undefined && to !== undefined && from !== to)
    return [
      ...warnings,
      {
        about: 'runtime',
        type: 'Normal',
        reason: 'Succeed',
        note: `Runtime scaled ${to > from ? 'out' : 'in'} from ${from} to ${to} workers`,
      },
    ];
  return hold ? [] : warnings;
}
