import { annotation, type OperationStatus } from '../../api/index.ts';
import type { Warning } from '../../constructs/index.ts';
import { type Outcome, settled } from '../../kube/turns/queue.ts';
import { causeOf, isPassing, refusalEventOf } from '../../planning/reasons.ts';
import { attempt } from '../failures.ts';
import { failing, failingOn } from '../holds.ts';
import { keptText } from '../status/kept.ts';
import type { Failure, Hold } from '../world.ts';
import type { OperationPass } from './cluster.ts';
import { hasReported, retryOf, waitingSince } from './state.ts';
import { endedStatus, PROGRESS_MS, refusedStatus, runningStatus, scheduledStatus, waitingStatus, withoutPods } from './status.ts';
import type { JobEnd, JobView, Refusal } from './world.ts';

/** Reports of a pass over an operation: statuses with their events. */

/** Why it waits. One event for each reason. */
export async function report({ cluster, world }: OperationPass, hold: Hold, status = waitingStatus(world, hold)): Promise<void> {
  const { reason, message: note } = hold;
  if (!(await cluster.writeStatus(world.operation, status))) return;
  // The message may change as often as the line moves.
  if (world.operation.status?.conditions?.some((before) => before.type === 'Complete' && before.reason === reason)) return;
  const isWarning = (!isPassing(hold) && !causeOf(reason).isWanted) || causeOf(reason).hasEvent;
  cluster.notice(world.operation, { type: isWarning ? 'Warning' : 'Normal', reason, note });
}

/** Reports by an event what the status has no field for. */
export const notice = ({ cluster, world }: OperationPass, reason: string, note: string): void =>
  cluster.notice(world.operation, { type: 'Warning', reason, note });

/** Warns of fields without effect on the engine. */
export function warn(pass: OperationPass, warnings: readonly Warning[] = []): void {
  for (const { reason, message } of warnings) notice(pass, reason, message);
}

/** Reports failed writes. */
export function fail(pass: OperationPass, failed: readonly Failure[]): Promise<never> {
  const { reason } = failed[0] as Failure;
  return failingOn(failed, pass.reportInMs, (message) => report(pass, { reason, message }));
}

/** Runs `effect`, a write on `object`. */
export async function updated(pass: OperationPass, object: string, effect: () => Promise<void>): Promise<void> {
  const failed = await attempt('UpdateFailed', object, effect);
  if (failed.length > 0) await fail(pass, failed);
}

/** The same of a deletion. The status is about the run that has ended, or the operation is being deleted: only an event can report a failure. */
export async function removed(pass: OperationPass, object: string, effect: () => Promise<void>): Promise<void> {
  const [failure] = await attempt('DeleteFailed', object, effect);
  if (!failure) return;
  const note = `${failure.object}: ${failure.message}`;
  await failing(new Error(note), pass.reportInMs <= 0 ? async () => notice(pass, failure.reason, note) : undefined);
}

/** Reports that the newest spec was seen: the rest of the status stays. */
export async function reportObserved({ cluster, world: { operation } }: OperationPass): Promise<void> {
  if (operation.status) await cluster.writeStatus(operation, operation.status);
}

/** Reports that the operation fails without having run. True when that is news. */
export async function reportRefusal(pass: OperationPass, refusal: Refusal): Promise<boolean> {
  const isNews = await pass.cluster.writeStatus(pass.world.operation, refusedStatus(pass.world, refusal));
  if (isNews) notice(pass, refusalEventOf(refusal.reason), refusal.message);
  return isNews;
}

/** Reports how the Job ended. The pod's output and place help; the end of the Job counts. */
export async function reportEnd(pass: OperationPass, job: JobView, end: JobEnd): Promise<void> {
  const { cluster, world } = pass;
  const pod = await cluster.lastPod(world.key, job).catch(() => undefined);
  const status = endedStatus(world, end, pod);
  if (await cluster.writeStatus(world.operation, status)) announce(pass, job, end, status);
}

function announce({ cluster, world: { operation } }: OperationPass, job: JobView, end: JobEnd, status: OperationStatus): void {
  cluster.ended(operation, job, end);
  if (end.type === 'Complete') {
    const note = `Job ${job.name} is complete after ${status.duration}`;
    cluster.notice(operation, { type: 'Normal', reason: 'DataOperationSucceed', note });
  } else cluster.notice(operation, { type: 'Warning', reason: 'DataOperationFailed', note: status.conditions[0]?.message ?? '' });
}

/** Reports how far the Job is, or why the Job gets no pod. */
export async function reportRun(pass: OperationPass, job: JobView): Promise<Outcome> {
  const trouble = runTroubleOf(pass, job);
  await reportWith(pass, runningStatus(pass.world, pass.cluster.progress(pass.world, job)), trouble);
  return settled(trouble.afterMs ?? (job.progressFile === undefined ? undefined : PROGRESS_MS));
}

/** Reports the latest Job of the CronJob. */
export async function reportSchedule(pass: OperationPass): Promise<Outcome> {
  const { cluster, world } = pass;
  const { operation, key, latest } = world;
  const infos = latest && !latest.end ? cluster.progress(world, latest) : undefined;
  const isNews = latest?.end !== undefined && !hasReported(operation, latest.end);
  const pod = isNews ? await cluster.lastPod(key, latest).catch(() => undefined) : undefined;
  const status = scheduledStatus(world, { infos, pod });
  const trouble = runTroubleOf(pass, latest);
  const wrote = await reportWith(pass, status, trouble);
  // One that ended before a pause, or before its CronJob could not be written, was announced then.
  if (wrote && isNews && waitingSince(operation) <= Date.parse(latest.end.at)) announce(pass, latest, latest.end, status);
  const retry = retryOf(operation);
  if (retry !== undefined && retry !== operation.status?.observedRetry) {
    const note = `annotation ${annotation.retry} has no effect with spec.policy Cron: the next run is that of the schedule`;
    notice(pass, 'SpecPartlyIgnored', note);
  }
  return settled(trouble.afterMs ?? (latest && !latest.end && latest.progressFile !== undefined ? PROGRESS_MS : undefined));
}

/** Reports that the operation runs, or why its Job gets no pod. True when something may have been written. */
async function reportWith(pass: OperationPass, running: OperationStatus, { hold }: RunTrouble): Promise<boolean> {
  const { cluster, world } = pass;
  const status = withoutPods(world, running, hold);
  if (hold === undefined || hold === 'asking') return cluster.writeStatus(world.operation, status);
  await report(pass, hold, status);
  return true;
}

/** How long Kubernetes may take to create the pods of an object, and how often the reason is asked for. */
export const NO_PODS_MS = 60_000;

interface RunTrouble {
  /** The fault; `asking`: the former report holds until the answer comes. */
  readonly hold?: Hold | 'asking';
  /** Nothing else may wake the operation until then. */
  readonly afterMs?: number;
}

/**
 * Whether a Job, or a workload that helps it, lacks pods for longer than Kubernetes takes, and what Kubernetes says of that; or whether one of
 * them, or the CronJob, is being deleted.
 */
function runTroubleOf({ cluster, world }: OperationPass, job: JobView | undefined): RunTrouble {
  const going = [world.schedule, ...(job && !job.end ? [job, ...(world.helpers ?? [])] : [])];
  const kept = going.flatMap((each) => each?.kept ?? []);
  if (kept.length > 0) return { afterMs: NO_PODS_MS, hold: { reason: 'Deleting', message: keptText(kept) ?? '' } };
  if (!job || job.end) return {};
  const lacking = job.noPods ? { ...job, kind: 'Job', lacks: 'no pod' } : world.helpers?.find(({ lacks }) => lacks !== undefined);
  if (!lacking) return {};
  // A schedule keeps its helpers, and scales them from 0 for each Job.
  const since = Math.max(Date.parse(job.createdAt), Date.parse(lacking.createdAt));
  const leftMs = NO_PODS_MS - (world.now - since);
  if (leftMs > 0) return { afterMs: Math.min(leftMs, NO_PODS_MS) };
  const again = { afterMs: NO_PODS_MS };
  const refusal = cluster.podRefusal(world, lacking);
  if (refusal === 'asking') return { ...again, hold: refusal };
  // Kubernetes waits for minutes before it replaces a pod that failed.
  if (refusal === undefined && job.noPods === 'now') return again;
  const { kind, name, lacks } = lacking;
  const why = refusal ?? `no event says why: is kube-controller-manager running? See \`kubectl describe ${kind.toLowerCase()} ${name}\``;
  return { ...again, hold: { reason: 'NoPods', message: `${kind} ${name} has ${lacks}: ${why}` } };
}
