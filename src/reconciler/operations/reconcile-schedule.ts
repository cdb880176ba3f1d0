import { annotation, type Dataset } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import { type Outcome, settled } from '../../kube/turns/queue.ts';
import { attempt } from '../failures.ts';
import { failing } from '../holds.ts';
import type { OperationCluster } from './cluster.ts';
import { endIdle } from './end-run.ts';
import { PROGRESS_MS, scheduledStatus } from './status.ts';
import { announce, fail, noticeOf, reportRun, runTroubleOf } from './report.ts';
import { provide } from './provide.ts';
import { hasReported, retryOf, waitingSince } from './state.ts';
import type { OperationWorld } from './world.ts';

/** Keeps its CronJob as its spec and its runtime say, and shows the latest Job. */
export async function reconcileSchedule(
  cluster: OperationCluster,
  world: OperationWorld,
  dataset: Dataset,
  reportInMs: number,
): Promise<Outcome> {
  await unsuspend(cluster, world, reportInMs);
  const { obstacle, manifests, hold } = await provide(cluster, world, dataset, reportInMs);
  if (obstacle) return obstacle;
  const { operation, key, latest } = world;
  const infos = latest && !latest.end ? cluster.progress(world, latest) : undefined;
  const isNews = latest?.end !== undefined && !hasReported(operation, latest.end);
  const pod = isNews ? await cluster.lastPod(key, latest).catch(() => undefined) : undefined;
  const status = scheduledStatus(world, { infos, pod });
  const { hold: trouble, afterMs } = runTroubleOf(cluster, world, latest);
  const wrote = await reportRun(cluster, world, status, trouble);
  // One that ended before a pause, or before its CronJob could not be written, was announced then.
  if (wrote && isNews && waitingSince(operation) <= Date.parse(latest.end.at)) announce(cluster, world, latest, latest.end, status);
  const retry = retryOf(operation);
  if (retry !== undefined && retry !== operation.status?.observedRetry) {
    const note = `annotation ${annotation.retry} has no effect with spec.policy Cron: the next run is that of the schedule`;
    cluster.notice(operation, { type: 'Warning', reason: 'SpecPartlyIgnored', note });
  }
  await endIdle(cluster, world, manifests, reportInMs);
  if (hold?.fails) return failing(hold.message, reportInMs <= 0 ? noticeOf(cluster, world, hold.reason, hold.message) : undefined);
  return settled(afterMs ?? (latest && !latest.end && latest.progressFile !== undefined ? PROGRESS_MS : undefined));
}

/** Resumes the work that a pause suspended. */
export async function unsuspend(cluster: OperationCluster, world: OperationWorld, reportInMs: number): Promise<void> {
  const those = world.works.filter(({ state }) => state !== 'goes');
  const failed = await attempt('UpdateFailed', operationNames(world.key).job, () => cluster.suspend(world.key, those, false));
  if (failed.length > 0) await fail(cluster, world, failed, reportInMs);
}
