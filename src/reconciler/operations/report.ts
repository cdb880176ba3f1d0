import type { OperationStatus } from '../../api/index.ts';
import type { Warning } from '../../constructs/index.ts';
import { attempt } from '../failures.ts';
import { failing, failingOn } from '../holds.ts';
import { causeOf, isPassing } from '../../planning/reasons.ts';
import type { Failure, Hold } from '../world.ts';
import type { OperationCluster } from './cluster.ts';
import { waitingStatus, withoutPods } from './status.ts';
import type { JobEnd, JobView, OperationWorld } from './world.ts';
import { keptText } from '../status/kept.ts';

/** Reports of a pass over an operation: statuses with their events. */

/** Why it waits. One event for each reason. */
export async function report(
  cluster: OperationCluster,
  world: OperationWorld,
  hold: Hold,
  status = waitingStatus(world, hold),
): Promise<void> {
  const { reason, message: note } = hold;
  if (!(await cluster.writeStatus(world.operation, status))) return;
  // The message may change as often as the line moves.
  if (world.operation.status?.conditions?.some((before) => before.type === 'Complete' && before.reason === reason)) return;
  if ((!isPassing(hold) && !causeOf(reason).isWanted) || causeOf(reason).hasEvent)
    cluster.notice(world.operation, { type: 'Warning', reason, note });
  else cluster.notice(world.operation, { type: 'Normal', reason, note });
}

/** Reports that the operation runs, or why its Job gets no pod. True when something may have been written. */
export async function reportRun(
  cluster: OperationCluster,
  world: OperationWorld,
  running: OperationStatus,
  hold: Hold | 'asking' | undefined,
): Promise<boolean> {
  const status = withoutPods(world, running, hold);
  if (hold === undefined || hold === 'asking') return cluster.writeStatus(world.operation, status);
  await report(cluster, world, hold, status);
  return true;
}

/** Reports failed writes. */
export function fail(cluster: OperationCluster, world: OperationWorld, failed: readonly Failure[], reportInMs: number): Promise<never> {
  const { reason } = failed[0] as Failure;
  return failingOn(failed, reportInMs, (message) => report(cluster, world, { reason, message }));
}

/** The status is about the run that has ended, or the operation is being deleted, so that only an event can report a failure. */
export async function remove(
  cluster: OperationCluster,
  world: OperationWorld,
  object: string,
  reportInMs: number,
  effect: () => Promise<void>,
): Promise<void> {
  const [failure] = await attempt('DeleteFailed', object, effect);
  if (!failure) return;
  const note = `${failure.object}: ${failure.message}`;
  await failing(note, reportInMs <= 0 ? noticeOf(cluster, world, failure.reason, note) : undefined);
}
/** An event about what its status cannot say. */
export const noticeOf =
  (cluster: OperationCluster, { operation }: OperationWorld, reason: Hold['reason'], note: string) =>
  async (): Promise<void> =>
    cluster.notice(operation, { type: 'Warning', reason, note });

/** How its Job ended. */
export function announce(
  cluster: OperationCluster,
  { operation }: OperationWorld,
  job: JobView,
  end: JobEnd,
  status: OperationStatus,
): void {
  cluster.ended(operation, job, end);
  if (end.type === 'Complete') {
    const note = `Job ${job.name} is complete after ${status.duration}`;
    cluster.notice(operation, { type: 'Normal', reason: 'DataOperationSucceed', note });
  } else cluster.notice(operation, { type: 'Warning', reason: 'DataOperationFailed', note: status.conditions[0]?.message ?? '' });
}

/** Warns of fields without effect on the engine. */
export function warn(cluster: OperationCluster, { operation }: OperationWorld, warnings: readonly Warning[] = []): void {
  for (const { reason, message: note } of warnings) cluster.notice(operation, { type: 'Warning', reason, note });
}

/** How long Kubernetes may take to create the pods of an object, and how often the reason is asked for. */
export const NO_PODS_MS = 60_000;

export interface RunTrouble {
  /** The fault; `asking`: the former report holds until the answer comes. */
  readonly hold?: Hold | 'asking';
  /** Nothing else may wake the operation until then. */
  readonly afterMs?: number;
}

/**
 * Whether a Job, or a workload that helps it, lacks pods for longer than Kubernetes takes, and what Kubernetes says of that; or whether one of
 * them, or the CronJob, is being deleted.
 */
export function runTroubleOf(cluster: Pick<OperationCluster, 'podRefusal'>, world: OperationWorld, job: JobView | undefined): RunTrouble {
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
