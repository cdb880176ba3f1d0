import { annotation, type DatasetPhase, durationText, type OperationStatus, type RuntimeCondition } from '../../api/index.ts';
import { redactedText } from '../../api/redact.ts';
import { withCondition } from '../status/conditions.ts';
import type { Hold } from '../world.ts';
import { affinityTo } from './affinity.ts';
import { lastWords } from '../../planning/last-words.ts';
import { runAfterText } from './references.ts';
import { hasNoPods, hasReported, isRunning, pauseOf, retryOf } from './state.ts';
import type { EndedPod, Infos, JobEnd, OperationObject, OperationWorld, Refusal, ScheduleView } from './world.ts';

/** The statuses of an operation. */

const UNFINISHED = 'Unfinished';

type Status = OperationStatus;
const before = ({ status }: OperationObject): Partial<Status> => status ?? {};

/** The operations that run on a Dataset, for its status, by kind. null removes the field: as in Fluid, a Dataset on which none runs lacks it. */
export function operationRef(running: readonly OperationObject[]): Readonly<Record<string, string>> | null {
  const names = (kind: string) => running.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
  const kinds = [...new Set(running.map(({ kind }) => kind))];
  return kinds.length > 0 ? Object.fromEntries(kinds.map((kind) => [kind, names(kind).toSorted().join(',')])) : null;
}

/** The phase of a Dataset that is bound says whether its data are being migrated: a projection, so that no one has to reset it. */
export function datasetPhase(phase: DatasetPhase, running: readonly OperationObject[]): DatasetPhase {
  if (phase !== 'Bound' && phase !== 'DataMigrating') return phase;
  return running.some(({ kind }) => kind === 'DataMigrate') ? 'DataMigrating' : 'Bound';
}

/** The operation cannot start yet. `Complete` is False with the reason, which Fluid reports in events only. */
export const waitingStatus = (world: OperationWorld, { reason, message }: Hold): Status => ({
  ...common(world),
  phase: isRunning(world.operation) && !isAtRest(world) ? 'Executing' : 'Pending',
  conditions: conditions(world.operation, { type: 'Complete', status: 'False', reason, message }, world.now),
});

/** The operation runs once more: nothing of the run before is left. */
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

/** The operation runs, but its Job gets no pod. */
export function withoutPods(world: OperationWorld, status: Status, hold: Hold | 'asking' | undefined): Status {
  const { operation, now } = world;
  if (hold === 'asking') return hasNoPods(operation) ? { ...status, conditions: before(operation).conditions ?? [] } : status;
  if (hold === undefined) return status;
  const { reason, message } = hold;
  return { ...status, conditions: conditions(operation, { type: 'Complete', status: 'False', reason, message }, now) };
}

/** The operation's Job runs. */
export const runningStatus = (world: OperationWorld, infos?: Infos): Status => ({
  ...common(world),
  phase: 'Executing',
  conditions: [],
  ...(infos && { infos }),
});

/**
 * The operation's Job has ended.
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

/** The operation's CronJob exists. The phase is that of the latest Job; before the first it is Pending, as it waits for its time. */
export function scheduledStatus(
  world: OperationWorld,
  { infos, pod }: { readonly infos?: Infos | undefined; readonly pod?: EndedPod | undefined },
): Status {
  const { latest, schedule = {} } = world;
  const { lastScheduleTime, lastSuccessfulTime } = schedule as Partial<ScheduleView>;
  const times = { ...(lastScheduleTime && { lastScheduleTime }), ...(lastSuccessfulTime && { lastSuccessfulTime }) };
  // The pod's message was read once.
  const retry = retryOf(world.operation);
  if (latest?.end && hasReported(world.operation, latest.end))
    return { ...(world.operation.status as Status), ...times, ...(retry && { observedRetry: retry }) };
  if (latest?.end) return { ...endedStatus(world, latest.end, pod, latest.createdAt), ...times };
  return { ...runningStatus(world, infos), duration: UNFINISHED, phase: latest ? 'Executing' : 'Pending', ...times };
}

/** The operation fails without having run. */
export const refusedStatus = (world: OperationWorld, { reason, message }: Refusal): Status => ({
  ...common(world),
  ...(world.mounts && { observedMounts: world.mounts.digest }),
  phase: 'Failed',
  // Fluid leaves it empty too.
  duration: durationOf(world.operation, ''),
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
  const first = runAfterText(operation);
  const waitingFor = first === undefined ? {} : { operationComplete: predecessor.is !== 'done' };
  const retry = run ? run.retry : retryOf(operation);
  const seen = {
    ...(first !== undefined && { observedRunAfter: first }),
    ...(retry && { observedRetry: retry }),
    ...(run?.mounts !== undefined && { observedMounts: run.mounts }),
  };
  return { duration: durationOf(operation, UNFINISHED), waitingFor, ...seen };
}

/** The duration of a run that has ended, or `without` one. */
function durationOf(operation: OperationObject, without: string): string {
  const { duration = '' } = before(operation);
  return duration === UNFINISHED || duration === '' ? without : duration;
}

/** The failure of an earlier run is no news while this one waits. */
const conditions = (operation: OperationObject, said: Parameters<typeof withCondition>[1], now: number): RuntimeCondition[] => [
  ...withCondition(before(operation).conditions?.filter(({ type }) => type === said.type) ?? [], said, now, 'lastProbeTime'),
];

/** How often a pod is asked how far it is; each answer that differs is a write. */
export const PROGRESS_MS = 10_000;

/** More than these, and longer ones, are dropped: a pod's user decides what is in the file. */
const MOST = 16;
const LINE = /^([A-Za-z][\w ]{0,62})=(.{1,256})$/;

/** The values of a progress file: lines `name=value`. Other lines are skipped. */
export function infosOf(text: string): Infos {
  const lines = text.slice(0, 16_384).split('\n');
  const pairs = lines.flatMap((line) => {
    const [, name = '', value = ''] = LINE.exec(line.trimEnd()) ?? [];
    return name === '' ? [] : [[name, redactedText(value)] as const];
  });
  return Object.fromEntries(pairs.slice(0, MOST));
}
