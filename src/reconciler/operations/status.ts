import { annotation, type DatasetPhase, durationText, type OperationStatus, type RuntimeCondition } from '../../api/index.ts';
import { redactedText } from '../../api/redact.ts';
import type { Reason } from '../../planning/reasons.ts';
import { withCondition } from '../status/conditions.ts';
import type { Hold } from '../world.ts';
import { affinityTo } from './affinity.ts';
import { infosOf } from './infos.ts';
import { lastWords } from '../../planning/last-words.ts';
import { runAfterText } from './references.ts';
import { isRetried, pauseOf, retryOf } from './requests.ts';
import type { EndedPod, Infos, JobEnd, OperationObject, OperationWorld, Refusal, ScheduleView } from './world.ts';

/** The statuses of an operation. */

const UNFINISHED = 'Unfinished';

type Status = OperationStatus;
const before = ({ status }: OperationObject): Partial<Status> => status ?? {};
const phaseOf = ({ status }: OperationObject): Status['phase'] => status?.phase ?? '';

/** Its latest run has ended, and its status says so. */
export const isDone = (operation: OperationObject): boolean => phaseOf(operation) === 'Complete' || phaseOf(operation) === 'Failed';
/** Whether it runs again and again: then the phase is that of the latest run, and there will be others. */
export const repeats = ({ spec: { policy } }: OperationObject): boolean => policy === 'Cron' || policy === 'OnEvent';
/** It does not run again. */
export const isOver = (operation: OperationObject): boolean => isDone(operation) && !repeats(operation) && !isRetried(operation);
export const isComplete = (operation: OperationObject): boolean => phaseOf(operation) === 'Complete' && !isRetried(operation);
/** Whether a controller that starts has nothing to do for it. One that waits to be deleted has a finalizer; one that had a schedule may still have its CronJob. */
export const isSettled = (operation: OperationObject): boolean =>
  isOver(operation) &&
  !operation.metadata.deletionTimestamp &&
  operation.spec.ttlSecondsAfterFinished === undefined &&
  operation.status?.lastScheduleTime === undefined;
export const isRunning = (operation: OperationObject): boolean => phaseOf(operation) === 'Executing';

/** Whether its status says that its Job, or what helps it, gets no pod. */
export const hasNoPods = ({ status }: OperationObject): boolean =>
  status?.conditions?.some(({ reason }) => reason === ('NoPods' satisfies Reason)) ?? false;

/** What those that wait for such an operation say of it. */
export const LACKS_PODS = 'runs, but Kubernetes does not create its pods: see its condition Complete';

/** When it was complete or failed, RFC 3339. */
export const endOf = (operation: OperationObject | undefined): string | undefined =>
  operation?.status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')
    ?.lastTransitionTime;

/** Since when it waits, in milliseconds since the epoch; 0 if it does not wait, or has not reported that. */
export function waitingSince({ status }: OperationObject): number {
  const waiting = status?.conditions?.find(({ type, status: is }) => type === 'Complete' && is === 'False');
  return Date.parse(waiting?.lastTransitionTime ?? '') || 0;
}

/** Whether its status says how its Job ended, and nothing newer. */
export const hasReported = (operation: OperationObject, { type, at }: JobEnd): boolean =>
  phaseOf(operation) === type && endOf(operation) === at;

/** Which operations run, for the status of their Dataset, by kind. null removes the field: as in Fluid, a Dataset on which none runs lacks it. */
export function operationRef(operations: readonly OperationObject[]): Readonly<Record<string, string>> | null {
  const running = operations.filter(isRunning);
  const names = (kind: string) => running.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
  const kinds = [...new Set(running.map(({ kind }) => kind))];
  return kinds.length > 0 ? Object.fromEntries(kinds.map((kind) => [kind, names(kind).toSorted().join(',')])) : null;
}

/** The phase of a Dataset that is bound says whether its data are being migrated: a projection, so that no one has to reset it. */
export function datasetPhase(phase: DatasetPhase, operations: readonly OperationObject[]): DatasetPhase {
  if (phase !== 'Bound' && phase !== 'DataMigrating') return phase;
  return operations.some((each) => each.kind === 'DataMigrate' && isRunning(each)) ? 'DataMigrating' : 'Bound';
}

/** It cannot start yet. `Complete` is False with the reason, which Fluid reports in events only. */
export const waitingStatus = (world: OperationWorld, { reason, message }: Hold): Status => ({
  ...common(world),
  phase: isRunning(world.operation) && !isAtRest(world) ? 'Executing' : 'Pending',
  conditions: conditions(world.operation, { type: 'Complete', status: 'False', reason, message }, world.now),
});

/** It runs once more: nothing of the run before is left. */
export const resetStatus = (world: OperationWorld, hold: Hold): Status => ({
  ...waitingStatus(world, hold),
  duration: UNFINISHED,
  // The cast: null removes a field.
  ...({ infos: null, nodeAffinity: null } as object),
});

/** Whether it is paused, or was, and no pod of it is left. */
const isAtRest = ({ operation, works }: OperationWorld): boolean => {
  const jobs = works.filter(({ kind }) => kind === 'Job');
  return (pauseOf(operation) !== undefined || jobs.length > 0) && jobs.every(({ state }) => state === 'rests');
};

/** It runs, but its Job gets no pod. */
export function withoutPods(world: OperationWorld, status: Status, hold: Hold | 'asking' | undefined): Status {
  const { operation, now } = world;
  if (hold === 'asking') return hasNoPods(operation) ? { ...status, conditions: before(operation).conditions ?? [] } : status;
  if (hold === undefined) return status;
  const { reason, message } = hold;
  return { ...status, conditions: conditions(operation, { type: 'Complete', status: 'False', reason, message }, now) };
}

/** Its Job runs. */
export const runningStatus = (world: OperationWorld, infos?: Infos): Status => ({
  ...common(world),
  phase: 'Executing',
  conditions: [],
  ...(infos && { infos }),
});

/**
 * Its Job has ended.
 *
 * @param pod the last pod of the Job, if it is left
 * @param since from when its duration counts. Default: the creation of the operation, or of its Job if it may have run before
 * threat-model: R-operation-request
 */
export function endedStatus(
  world: OperationWorld,
  { type, reason, message: why, at }: JobEnd,
  pod?: EndedPod,
  since = (world.run?.retry ?? world.run?.mounts) === undefined ? world.operation.metadata.creationTimestamp : world.run?.createdAt,
): Status {
  const { annotations } = world.operation.metadata;
  const nodeAffinity = type === 'Complete' ? affinityTo(pod?.nodeLabels, annotations?.[annotation.placeLabels]) : undefined;
  const message = redactedText(type === 'Failed' && pod ? `${why}: ${lastWords(pod)}` : why);
  const infos = type === 'Complete' && pod ? infosOf(pod.message) : {};
  return {
    ...common(world),
    phase: type,
    duration: durationText(Date.parse(at) - Date.parse(since ?? at)),
    conditions: [{ type, status: 'True', reason, message, lastProbeTime: at, lastTransitionTime: at }],
    ...(Object.keys(infos).length > 0 && { infos }),
    ...(nodeAffinity && { nodeAffinity }),
  };
}

/** Its CronJob exists. The phase is that of the latest Job; before the first it is Pending, as it waits for its time. */
export function scheduledStatus(
  world: OperationWorld,
  { infos, pod }: { readonly infos?: Infos | undefined; readonly pod?: EndedPod | undefined },
): Status {
  const { latest, schedule = {} } = world;
  const { lastScheduleTime, lastSuccessfulTime } = schedule as Partial<ScheduleView>;
  const times = { ...(lastScheduleTime && { lastScheduleTime }), ...(lastSuccessfulTime && { lastSuccessfulTime }) };
  // What its pod said was read once.
  const retry = retryOf(world.operation);
  if (latest?.end && hasReported(world.operation, latest.end))
    return { ...(world.operation.status as Status), ...times, ...(retry && { observedRetry: retry }) };
  if (latest?.end) return { ...endedStatus(world, latest.end, pod, latest.createdAt), ...times };
  return { ...runningStatus(world, infos), duration: UNFINISHED, phase: latest ? 'Executing' : 'Pending', ...times };
}

/** It fails without having run. */
export const refusedStatus = (world: OperationWorld, { reason, message }: Refusal): Status => ({
  ...common(world),
  ...(world.mounts && { observedMounts: world.mounts.digest }),
  phase: 'Failed',
  // One that repeats is refused at each pass over it: what its status says already is no news.
  conditions: withCondition<RuntimeCondition>(
    before(world.operation).conditions?.filter(({ type }) => type === 'Failed') ?? [],
    { type: 'Failed', status: 'True', reason, message },
    world.now,
    'lastProbeTime',
  ) as RuntimeCondition[],
});

function common({
  operation,
  predecessor,
  run,
}: OperationWorld): Pick<Status, 'duration' | 'waitingFor' | 'observedRunAfter' | 'observedRetry' | 'observedMounts'> {
  const { duration } = before(operation);
  const first = runAfterText(operation);
  const waitingFor = first === undefined ? {} : { operationComplete: predecessor.is !== 'done' };
  const retry = run ? run.retry : retryOf(operation);
  const seen = {
    ...(first !== undefined && { observedRunAfter: first }),
    ...(retry && { observedRetry: retry }),
    ...(run?.mounts !== undefined && { observedMounts: run.mounts }),
  };
  return { duration: duration || UNFINISHED, waitingFor, ...seen };
}

/** That an earlier run failed is no news while this one waits. */
const conditions = (operation: OperationObject, said: Parameters<typeof withCondition>[1], now: number): RuntimeCondition[] => [
  ...withCondition(before(operation).conditions?.filter(({ type }) => type === said.type) ?? [], said, now, 'lastProbeTime'),
];
