import type { Manifest } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import type { OperationCluster } from './cluster.ts';
import { remove } from './report.ts';
import type { OperationWorld } from './world.ts';

/** Deletes the pods that helped a run, and their keys. */
export const endRun = (cluster: OperationCluster, world: OperationWorld, reportInMs: number, kept?: readonly Manifest[]): Promise<void> =>
  remove(cluster, world, `${operationNames(world.key).release}-workers`, reportInMs, () => cluster.endRun(world, kept));

/** A schedule keeps what its next Job needs; while it cannot be rendered, no Job can use it. */
export async function endIdle(
  cluster: OperationCluster,
  world: OperationWorld,
  kept: readonly Manifest[],
  reportInMs: number,
): Promise<void> {
  if (world.schedule && world.hasHelpers && !hasJob(world)) await endRun(cluster, world, reportInMs, kept);
}
/** Whether a Job of it has not ended. */
export const hasJob = ({ works }: OperationWorld): boolean => works.some(({ kind }) => kind === 'Job');
