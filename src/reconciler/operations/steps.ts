import { annotation } from '../../api/index.ts';
import { keptText } from '../status/kept.ts';
import type { Contribution, Step } from '../steps.ts';
import type { Hold } from '../world.ts';
import type { OperationAction } from './effects.ts';
import { turnAgainMs, turnHold } from './line.ts';
import { expiresInMs, hasReported, isDone, isOver, isRetried, lacksOwner, pauseOf, retryOf, untilExpiry } from './state.ts';
import { refusalOf } from './validate.ts';
import type { JobView, OperationWorld } from './world.ts';

type OperationStep = Step<OperationWorld, OperationAction>;

const isCron = ({ operation }: OperationWorld): boolean => operation.spec.policy === 'Cron';
const helpersEnd = ({ hasHelpers }: OperationWorld): readonly OperationAction[] => (hasHelpers ? [{ do: 'endRun' }] : []);

/** The garbage collector would delete the Job too: of a kind that is new to the cluster, only after half a minute in which the Job goes on. */
const deleted: OperationStep = (world) =>
  world.operation.metadata.deletionTimestamp ? { actions: [{ do: 'deleteJobs', those: world }, { do: 'unmark' }] } : undefined;

/** A CronJob from before an edit of the policy would create Jobs, also when its last Job was complete. */
const scheduleCleared: OperationStep = (world) => {
  const { schedule } = world;
  if (!schedule || isCron(world)) return undefined;
  return clearing(schedule, [{ do: 'deleteJobs', those: { schedule } }, ...helpersEnd(world)]);
};

/** Helpers go before the Job of an earlier run: it says that they are of that run. */
const runCleared = (world: OperationWorld, run: JobView) => clearing(run, [...helpersEnd(world), { do: 'deleteJobs', those: { run } }]);

const KEPT_AGAIN_MS = 60_000;
/** The status says how that run ended, so that only an event can say what keeps its Job or CronJob. */
function clearing({ kept }: Pick<JobView, 'kept'>, actions: readonly OperationAction[]): Contribution<OperationAction> {
  const note = kept && keptText([kept]);
  if (note === undefined) return { actions };
  return { actions: [...actions, { do: 'notice', reason: 'Deleting', note }], afterMs: KEPT_AGAIN_MS };
}

const over: OperationStep = (world) => {
  if (!isOver(world.operation)) return undefined;
  const inMs = expiresInMs(world);
  if (inMs === 0) return { actions: [{ do: 'expire' }, ...helpersEnd(world)] };
  return { actions: [...specSeen(world), ...helpersEnd(world), ...ownedAgain(world)], ...untilExpiry(inMs) };
};

const ownedAgain = ({ operation, dataset }: OperationWorld): readonly OperationAction[] =>
  dataset && lacksOwner(operation) ? [{ do: 'mark' }] : [];

/** An edit of one that has ended changes nothing, but a status about an older generation would count as one that is about to change. */
const specSeen = ({ operation: { metadata, status } }: OperationWorld): readonly OperationAction[] =>
  status?.observedGeneration === undefined || status.observedGeneration === metadata.generation ? [] : [{ do: 'observe' }];

const suspended: OperationStep = ({ operation, works }) => {
  const hold = pauseOf(operation);
  const going = works.filter(({ state }) => state === 'goes');
  return hold && going.length > 0 ? waits(hold, [{ do: 'suspend', works: going, isPaused: true }]) : undefined;
};

/** Without the finalizer nothing would delete its Job with it at once. */
const waits = (hold: Hold, first: readonly OperationAction[] = []): Contribution<OperationAction> => ({
  actions: [...first, { do: 'mark' }],
  hold,
});

/** The Job is from before the policy became Cron. */
const runOfOldPolicyCleared: OperationStep = (world) => (world.run?.end && isCron(world) ? runCleared(world, world.run) : undefined);

const endReported: OperationStep = (world) => {
  const { operation, run: job, mounts } = world;
  if (!job?.end || hasReported(operation, job.end)) return undefined;
  // Helpers last: nobody waits for that. Should this process die first, the next one finds what is left.
  const actions: readonly OperationAction[] = [{ do: 'end', job, end: job.end }, { do: 'endRun' }];
  // The user may have retried the operation while its Job ran, or mounts may have changed.
  return isRetried(operation) || mounts ? { actions, again: true } : { actions, ...untilExpiry(expiresInMs(world, job.end.at)) };
};

/** The latest run has ended. For another one its Job is deleted, then the status is reset. */
const runsAgain: OperationStep = (world) => {
  const { operation, run } = world;
  const hasEnded = run ? run.end !== undefined : isDone(operation) && !isCron(world);
  if (!hasEnded) return undefined;
  const hold = anotherRun(world);
  if (!hold) return { actions: [...specSeen(world), ...helpersEnd(world)] };
  return run ? runCleared(world, run) : { actions: [{ do: 'reset', hold }], again: true };
};

/** Why an operation that has ended runs once more. Its Job says best which run it was. */
function anotherRun(world: OperationWorld): Hold | undefined {
  const { operation, run, mounts } = world;
  if (!isDone(operation)) return undefined;
  if (isRetried(operation) && !(run && run.retry === retryOf(operation)))
    return { reason: 'Retried', message: `the annotation ${annotation.retry} asks for another run` };
  if (!mounts || mounts.digest === operation.status?.observedMounts || mounts.digest === run?.mounts) return undefined;
  return changed(world);
}

/** A Job that was suspended takes its turn again: meanwhile others may have started. */
const followed: OperationStep = (world) => {
  const { operation, run: job, works } = world;
  if (!job || pauseOf(operation)) return undefined;
  if (works.some(({ uid, state }) => uid === job.uid && state === 'goes')) return { actions: [{ do: 'follow', job }] };
  return itsTurn(world) ?? { actions: [{ do: 'resume', works: resting(world) }] };
};

const refused: OperationStep = (world) => {
  const { run, predecessor } = world;
  const refusal = refusalOf(world) ?? (predecessor.is === 'failed' ? predecessor.refusal : undefined);
  return refusal && !run ? { actions: [{ do: 'refuse', refusal }] } : undefined;
};

const paused: OperationStep = ({ operation }) => {
  const hold = pauseOf(operation);
  return hold && waits(hold);
};

const datasetsExist: OperationStep = ({ target, dataset, other }) => {
  const missing = dataset ? other && !other.dataset && other.key : target;
  if (!missing) return undefined;
  const { name, namespace } = missing;
  return waits({ reason: 'TargetDatasetNotFound', message: `no Dataset is called ${name} in namespace ${namespace}` });
};

const predecessorDone: OperationStep = ({ predecessor }) => (predecessor.is === 'awaited' ? waits(predecessor.hold) : undefined);

/** How long mounts have to stay as they are before an operation with policy OnEvent runs again. */
const SETTLED_MS = 30_000;
/** The first run waits for nothing, nor does one without mounts. */
const mountsSettled: OperationStep = (world) => {
  const { operation, mounts } = world;
  if (!mounts?.digest || operation.status?.observedMounts === undefined) return undefined;
  const leftMs = SETTLED_MS - mounts.unchangedMs;
  return leftMs > 0 ? waits({ ...changed(world), afterMs: leftMs }) : undefined;
};
const changed = ({ target, other }: OperationWorld): Hold => ({
  reason: 'MountsChanged',
  message: `mounts of ${other ? `Datasets ${target.name} and ${other.key.name}` : `Dataset ${target.name}`} have changed: it runs again ${SETTLED_MS / 1000} s after the last change`,
});

/** Resumes the work that a pause suspended. The schedule starts its Jobs, whoever runs. */
const scheduled: OperationStep = (world) => {
  const { dataset } = world;
  if (!dataset || !isCron(world)) return undefined;
  return {
    actions: [
      { do: 'suspend', works: resting(world), isPaused: false },
      { do: 'schedule', dataset },
    ],
  };
};
const resting = ({ works }: OperationWorld) => works.filter(({ state }) => state !== 'goes');

const itsTurn: OperationStep = (world) => {
  const hold = turnHold(world);
  return hold && { ...waits(hold), afterMs: turnAgainMs(world) };
};

const started: OperationStep = ({ dataset }) => (dataset ? { actions: [{ do: 'start', dataset }] } : undefined);

/**
 * The order of an operation:
 *
 *   Pending ──its turn has come, its Dataset is bound, its runtime is ready──▶ Executing ──its Job ends──▶ Complete or Failed
 *      ▲                                                                                                              │
 *      └─────────────── its user retries it, or mounts of its Dataset change: its Job is deleted ────────────────────┘
 */
export const operationSteps: readonly OperationStep[] = [
  deleted,
  scheduleCleared,
  over,
  suspended,
  runOfOldPolicyCleared,
  endReported,
  runsAgain,
  followed,
  refused, // not while its Job runs, whatever is wrong with its spec by now
  paused,
  datasetsExist,
  predecessorDone,
  mountsSettled,
  scheduled,
  itsTurn,
  started,
];
