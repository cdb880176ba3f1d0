import { againAfterConflict, attempt } from '../failures.ts';
import { failing, held } from '../holds.ts';
import { causeOf, isPassing } from '../reasons.ts';
import { type Failure, type Hold, type Next, type OperationKey } from '../world.ts';
import type { OperationCluster } from './cluster.ts';
import { PROGRESS_MS } from './infos.ts';
import { endedStatus, isOver, refusedStatus, runningStatus, waitingStatus } from './status.ts';
import { holdOf, refusalOf } from './validate.ts';
import type { JobEnd, JobView, OperationWorld, Refusal } from './world.ts';

/**
 * One pass over an operation: it waits for its Dataset, creates its Job, follows the Job, and reports how it ended.
 *
 *   Pending ──its Dataset is bound, its runtime is ready──▶ Executing ──its Job ends──▶ Complete or Failed
 *
 * @param reportInMs how much longer a passing hold may go unreported
 */
export const reconcileOperation = (cluster: OperationCluster, key: OperationKey, reportInMs = 0): Promise<Next> =>
  againAfterConflict(() => pass(cluster, key, reportInMs));

async function pass(cluster: OperationCluster, key: OperationKey, reportInMs: number): Promise<Next> {
  const world = cluster.observe(key);
  if (!world) return 'on-change';
  const { operation, job } = world;
  // Only its start waits for the Dataset, whose status changes with each operation that starts or ends.
  if (operation.metadata.deletionTimestamp || isOver(operation) || job) cluster.rest(key);
  if (operation.metadata.deletionTimestamp) {
    // The garbage collector would: of a kind that is new to the cluster, after half a minute in which the Job goes on.
    if (job) await cluster.deleteJob(key, job);
    await cluster.unmark(operation);
  } else if (isOver(operation)) return 'on-change';
  else if (job?.end) await end(cluster, world, job, job.end);
  else if (job) return follow(cluster, world, job);
  else return begin(cluster, world, reportInMs);
  return 'on-change';
}

async function begin(cluster: OperationCluster, world: OperationWorld, reportInMs: number): Promise<Next> {
  const { operation, key, target } = world;
  const refused = refusalOf(world);
  if (refused) return refuse(cluster, world, refused);
  const dataset = cluster.datasetOf(world);
  const wait = (hold: Hold) => held(hold, reportInMs, () => report(cluster, world, hold));
  if (!dataset)
    return wait({ reason: 'TargetDatasetNotFound', message: `no Dataset is called ${target.name} in namespace ${target.namespace}` });
  const me = `${operation.kind}/${key.name}`;
  const unmarked = await attempt('UpdateFailed', me, () => cluster.mark(operation, dataset));
  if (unmarked.length > 0) return fail(cluster, world, unmarked, reportInMs);
  const hold = holdOf(world);
  if (hold) return wait(hold);
  const prepared = await cluster.prepare(world, dataset);
  if ('hold' in prepared) return wait(prepared.hold);
  if ('refused' in prepared) return refuse(cluster, world, prepared.refused);
  const { created, failed } = await cluster.apply(world, dataset, prepared.manifests);
  if (failed.length > 0) return fail(cluster, world, failed, reportInMs);
  // A repeated pass creates nothing, and reports nothing again.
  const warnings = created.length > 0 ? (prepared.warnings ?? []) : [];
  for (const { reason, message: note } of warnings) cluster.notice(operation, { type: 'Warning', reason, note });
  await cluster.writeStatus(operation, runningStatus(world));
  return 'on-change';
}

async function follow(cluster: OperationCluster, world: OperationWorld, job: JobView): Promise<Next> {
  await cluster.writeStatus(world.operation, runningStatus(world, cluster.progress(world, job)));
  return job.progressFile === undefined ? 'on-change' : { again: PROGRESS_MS };
}

async function end(cluster: OperationCluster, world: OperationWorld, job: JobView, ended: JobEnd): Promise<void> {
  const { operation, key } = world;
  const hasFailed = ended.type === 'Failed';
  // What the pod printed helps; that the Job has ended is what counts.
  const pod = hasFailed || job.progressFile !== undefined ? await cluster.lastPod(key, job).catch(() => undefined) : undefined;
  const status = endedStatus(world, ended, pod);
  if (!(await cluster.writeStatus(operation, status))) return;
  const note = hasFailed ? (status.conditions[0]?.message ?? '') : `Job ${job.name} is complete after ${status.duration}`;
  cluster.notice(operation, {
    type: hasFailed ? 'Warning' : 'Normal',
    reason: hasFailed ? 'DataOperationFailed' : 'DataOperationSucceed',
    note,
  });
}

async function refuse(cluster: OperationCluster, world: OperationWorld, refused: Refusal): Promise<Next> {
  const { event: reason = 'DataOperationNotValid', message: note } = refused;
  if (await cluster.writeStatus(world.operation, refusedStatus(world, refused)))
    cluster.notice(world.operation, { type: 'Warning', reason, note });
  return 'on-change';
}

async function report(cluster: OperationCluster, world: OperationWorld, hold: Hold): Promise<void> {
  const { reason, message: note } = hold;
  if (!(await cluster.writeStatus(world.operation, waitingStatus(world, hold)))) return;
  if (!isPassing(hold) || causeOf(reason).hasEvent) cluster.notice(world.operation, { type: 'Warning', reason, note });
  else cluster.notice(world.operation, { type: 'Normal', reason, note });
}

function fail(cluster: OperationCluster, world: OperationWorld, failed: readonly Failure[], reportInMs: number): Promise<Next> {
  const message = failed.map(({ object, message: why }) => `${object}: ${why}`).join('; ');
  // A retry settles a race with another writer; it is reported only once it lasts.
  const isReported = reportInMs <= 0 || !failed.every(({ reason }) => causeOf(reason).isRace);
  const { reason } = failed[0] as Failure;
  return failing(message, isReported ? () => report(cluster, world, { reason, message }) : undefined);
}
