import type { Dataset, Manifest } from '../../api/index.ts';
import type { Outcome } from '../../kube/turns/queue.ts';
import { attempt, obstacleOf } from '../failures.ts';
import { held } from '../holds.ts';
import { refusalEventOf } from '../../planning/reasons.ts';
import type { Failure, Hold } from '../world.ts';
import type { OperationCluster } from './cluster.ts';
import { expiresInMs, untilExpiry } from './state.ts';
import { endRun, hasJob } from './end-run.ts';
import { fail, report, warn } from './report.ts';
import { refusedStatus } from './status.ts';
import type { OperationWorld, Prepared, Refusal } from './world.ts';

interface Provided {
  /** The outcome instead, if the manifests cannot be provided. */
  readonly obstacle?: Outcome;
  /** Why its CronJob goes on as it is. */
  readonly hold?: Hold;
  readonly manifests: readonly Manifest[];
}
/** Writes its Job or CronJob, and what that needs. */
export async function provide(cluster: OperationCluster, world: OperationWorld, dataset: Dataset, reportInMs: number): Promise<Provided> {
  const manifests: readonly Manifest[] = [];
  const unmarked = await mark(cluster, world);
  if (unmarked.length > 0) return fail(cluster, world, unmarked, reportInMs);
  const prepared = await cluster.prepare(world, dataset).catch((error: unknown): Prepared => ({ hold: obstacleOf(error) }));
  if ('refused' in prepared) return { obstacle: await refuse(cluster, world, prepared.refused, reportInMs), manifests };
  if ('hold' in prepared) {
    const { hold } = prepared;
    if (world.schedule) return { hold, manifests };
    return { obstacle: await held(hold, reportInMs, () => report(cluster, world, hold)), manifests };
  }
  const { created, failed } = await cluster.apply(world, dataset, prepared.manifests);
  if (failed.length > 0) return fail(cluster, world, failed, reportInMs);
  // A repeated pass creates nothing, and reports nothing again.
  if (created.length > 0) warn(cluster, world, prepared.warnings);
  return { manifests: prepared.manifests };
}

/** Without the finalizer nothing would delete its Job with it at once. */
export async function mark(cluster: OperationCluster, { key, operation, dataset }: OperationWorld): Promise<readonly Failure[]> {
  return dataset ? attempt('UpdateFailed', `${key.kind}/${key.name}`, () => cluster.mark(operation, dataset)) : [];
}

/** The operation fails without having run. */
export async function refuse(cluster: OperationCluster, world: OperationWorld, refused: Refusal, reportInMs: number): Promise<Outcome> {
  const { reason, message: note } = refused;
  const isNews = await cluster.writeStatus(world.operation, refusedStatus(world, refused));
  if (isNews) cluster.notice(world.operation, { type: 'Warning', reason: refusalEventOf(reason), note });
  // The operation may have been started before its spec was edited.
  if ((isNews || world.hasHelpers) && !hasJob(world)) await endRun(cluster, world, reportInMs);
  return untilExpiry(expiresInMs(world, new Date(world.now).toISOString()));
}
