import type { Dataset } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import { type Outcome, settled } from '../../kube/turns/queue.ts';
import { againAfterConflict, attempt } from '../failures.ts';
import { held, orAgain } from '../holds.ts';
import { keptText } from '../status/kept.ts';
import type { Key, OperationKey } from '../world.ts';
import type { OperationCluster } from './cluster.ts';
import { decideOperation, type Verdict } from './decide.ts';
import { endIdle, endRun } from './end-run.ts';
import { expiresInMs, isRetried, isRunning, untilExpiry } from './state.ts';
import { endedStatus, PROGRESS_MS, resetStatus, runningStatus } from './status.ts';
import { announce, fail, noticeOf, remove, report, reportRun, runTroubleOf } from './report.ts';
import { mark, provide, refuse } from './provide.ts';
import { reconcileSchedule, unsuspend } from './reconcile-schedule.ts';
import type { JobEnd, JobView, OperationWorld } from './world.ts';

/**
 * One pass over an operation of any kind: observe, decide, act, report.
 *
 * @param reportInMs how much longer a passing hold may go unreported
 */
export const reconcileOperation = (cluster: OperationCluster, key: OperationKey, reportInMs = 0): Promise<Outcome> =>
  againAfterConflict(() => pass(cluster, key, reportInMs));

async function pass(cluster: OperationCluster, key: OperationKey, reportInMs: number): Promise<Outcome> {
  const seen = cluster.observe(key);
  const isMissed = seen && missesJob(seen);
  if (isMissed) await adopt(cluster, seen, reportInMs);
  // Nothing is awaited between this reading and the start of an operation: two of a line would start at once.
  const world = isMissed ? cluster.observe(key) : seen;
  if (!world) return settled();
  const verdict = decideOperation(world);
  cluster.awaits(key, awaited(world, verdict));
  switch (verdict.is) {
    case 'over': {
      const outcome = await expire(cluster, world, verdict.expiresInMs);
      if (world.hasHelpers) await endRun(cluster, world, reportInMs);
      return outcome;
    }
    case 'leaving':
      // The garbage collector would delete the Job too: of a kind that is new to the cluster, only after half a minute in which the Job goes on.
      await remove(cluster, world, operationNames(key).job, reportInMs, () => cluster.deleteJobs(key, world));
      await cluster.unmark(world.operation);
      return settled();
    case 'refused':
      return refuse(cluster, world, verdict.refusal, reportInMs);
    case 'waiting':
      return wait(cluster, world, verdict, reportInMs);
    case 'starting':
      return cluster.starting(key, () => start(cluster, world, verdict.dataset, reportInMs));
    case 'scheduled':
      return reconcileSchedule(cluster, world, verdict.dataset, reportInMs);
    case 'clearing':
      return clear(cluster, world, verdict.left, reportInMs);
    case 'resetting':
      await report(cluster, world, verdict.hold, resetStatus(world, verdict.hold));
      return pass(cluster, key, reportInMs);
    case 'running':
      return follow(cluster, world, verdict.job);
    case 'resuming':
      return cluster.starting(key, () => resume(cluster, world, reportInMs));
    case 'idle':
      if (world.hasHelpers) await endRun(cluster, world, reportInMs);
      return settled();
    case 'ending':
      await end(cluster, world, verdict.job, verdict.end, reportInMs);
      // The operation may have been retried while its Job ran, or mounts may have changed.
      return isRetried(world.operation) || world.mounts ? pass(cluster, key, reportInMs) : untilExpiry(expiresInMs(world, verdict.end.at));
  }
}

/** An operation that runs has a Job, though the label of the Job may be lost. */
const missesJob = ({ operation, run }: OperationWorld): boolean =>
  !run && isRunning(operation) && operation.spec.policy !== 'Cron' && !operation.metadata.deletionTimestamp;

/** Before any decision: the operation's Job goes on and ends, even if the spec has a fault by now or the operation would wait. */
async function adopt(cluster: OperationCluster, world: OperationWorld, reportInMs: number): Promise<void> {
  const failed = await attempt('UpdateFailed', `Job/${operationNames(world.key).job}`, () => cluster.adoptJob(world));
  if (failed.length > 0) await fail(cluster, world, failed, reportInMs);
}

type Waiting = Extract<Verdict, { is: 'waiting' }>;

/** The message says how many are before it: it is written again at most so often. */
const POSITION_AGAIN_MS = 60_000;
/** One in a long line is woken when it is the first; that it waits says the same all the time. */
const LONG_LINE_AGAIN_MS = 600_000;

/** Only what it waits for wakes an operation: the status of its Dataset changes with each operation that starts or ends. */
function awaited({ target, other, predecessor, mounts }: OperationWorld, verdict: Verdict): readonly (Key | OperationKey)[] {
  const datasets = other ? [target, other.key] : [target];
  const needsThem = verdict.is === 'starting' || verdict.is === 'scheduled' || (verdict.is === 'waiting' && verdict.for === 'Dataset');
  // In every wait, the end of an earlier operation that may expire has to be seen.
  const earlier = verdict.is === 'waiting' && predecessor.is === 'awaited' ? [predecessor.key] : [];
  return [...(needsThem || mounts ? datasets : []), ...earlier];
}

async function wait(cluster: OperationCluster, world: OperationWorld, waiting: Waiting, reportInMs: number): Promise<Outcome> {
  const { hold, for: what, suspends = [] } = waiting;
  const going = await attempt('UpdateFailed', operationNames(world.key).job, () => cluster.suspend(world.key, suspends, true));
  if (going.length > 0) return fail(cluster, world, going, reportInMs);
  const unmarked = await mark(cluster, world);
  if (unmarked.length > 0) return fail(cluster, world, unmarked, reportInMs);
  const outcome = await held(hold, reportInMs, () => report(cluster, world, hold));
  await endIdle(cluster, world, [], reportInMs);
  if (what !== 'turn') return outcome;
  return orAgain(outcome, world.isLongLine ? LONG_LINE_AGAIN_MS : POSITION_AGAIN_MS);
}

async function start(cluster: OperationCluster, world: OperationWorld, dataset: Dataset, reportInMs: number): Promise<Outcome> {
  const { obstacle } = await provide(cluster, world, dataset, reportInMs);
  if (obstacle) return obstacle;
  await cluster.writeStatus(world.operation, runningStatus(world));
  return settled();
}

async function resume(cluster: OperationCluster, world: OperationWorld, reportInMs: number): Promise<Outcome> {
  await unsuspend(cluster, world, reportInMs);
  await cluster.writeStatus(world.operation, runningStatus(world));
  return settled();
}
async function follow(cluster: OperationCluster, world: OperationWorld, job: JobView): Promise<Outcome> {
  const { hold, afterMs } = runTroubleOf(cluster, world, job);
  await reportRun(cluster, world, runningStatus(world, cluster.progress(world, job)), hold);
  return settled(afterMs ?? (job.progressFile === undefined ? undefined : PROGRESS_MS));
}

async function end(cluster: OperationCluster, world: OperationWorld, job: JobView, ended: JobEnd, reportInMs: number): Promise<void> {
  const { operation, key } = world;
  // Output and node of the pod help; only the end of the Job is necessary.
  const pod = await cluster.lastPod(key, job).catch(() => undefined);
  const status = endedStatus(world, ended, pod);
  if (await cluster.writeStatus(operation, status)) announce(cluster, world, job, ended, status);
  // Last: nobody waits for that. Should this process die first, the next one finds what is left.
  await endRun(cluster, world, reportInMs);
}

async function expire(cluster: OperationCluster, { operation }: OperationWorld, inMs: number | undefined): Promise<Outcome> {
  if (inMs === undefined || inMs > 0) return untilExpiry(inMs);
  await cluster.expire(operation);
  return settled();
}

async function clear(cluster: OperationCluster, world: OperationWorld, left: Left, reportInMs: number): Promise<Outcome> {
  const { key } = world;
  const jobs = () => remove(cluster, world, operationNames(key).job, reportInMs, () => cluster.deleteJobs(key, left));
  // A CronJob would go on. A Job says that its helpers are of the run before.
  if (left.schedule) await jobs();
  if (world.hasHelpers) await endRun(cluster, world, reportInMs);
  if (!left.schedule) await jobs();
  const text = keptText([left.schedule, left.run].flatMap((each) => each?.kept ?? []));
  if (text === undefined) return settled();
  // The status says how that run ended, so that only an event can report this.
  await noticeOf(cluster, world, 'Deleting', text)();
  return settled(KEPT_AGAIN_MS);
}
const KEPT_AGAIN_MS = 60_000;

type Left = Extract<Verdict, { is: 'clearing' }>['left'];
