import { type Dataset, isOwnedBy, runtimeFinalizer } from '../api/index.ts';
import { type Outcome, settled, waiting } from '../kube/turns/queue.ts';
import type { Cluster } from './cluster.ts';
import type { Candidate } from '../planning/choose.ts';
import { isReported, untilNext } from './holds.ts';
import { decideTeardown, type Teardown, type TeardownAction, unboundStatus } from './teardown-steps.ts';
import { orReport, reportOnDataset, reportOnRuntime } from './status/report.ts';
import type { Hold, Key, LiveObject, WriteFailure } from './world.ts';

/** One step of the teardown of a runtime that is being deleted. */
export async function reconcileDeletedRuntime(
  cluster: Cluster,
  key: Key,
  dataset: Dataset | undefined,
  { definition, object }: Candidate,
  reportInMs: number,
): Promise<Outcome> {
  const report = (hold: Hold) => reportOnRuntime(cluster, object, hold, undefined, 'ErrorDeleteRuntime');
  const reported = <T>(reason: WriteFailure, effect: () => Promise<T>) => orReport(effect, reason, reportInMs, report);

  await reported('DeleteFailed', () => cluster.withdraw(key, definition, object));
  const left = await reported('LookupFailed', () => cluster.observeTeardown(key, dataset, definition, object));
  const { action, hold } = decideTeardown(left);
  if (action) await reported(failureReason(action), () => take(cluster, left, action));
  // Once every deletion has been requested, the wait is worth a report if it lasts.
  const isUnderWay = action !== undefined || left.cleaning.running;
  if (hold && isReported(hold, isUnderWay ? Infinity : reportInMs)) await report(hold);
  if (action && 'unmark' in action) return settled();
  const afterMs = hold && !isReported(hold, reportInMs) ? reportInMs : hold?.afterMs;
  return action ? waiting(afterMs ?? 0) : untilNext(afterMs);
}

async function take(cluster: Cluster, left: Teardown, action: TeardownAction): Promise<void> {
  if ('delete' in action) await cluster.delete(action.delete, [left.object], action.andPods);
  else if ('clean' in action) await cluster.clean(left);
  else if ('unlabelNodes' in action) await cluster.unlabelNodes(left);
  else if ('unbind' in action) await cluster.writeDatasetStatus(left.dataset as Dataset, unboundStatus);
  else await cluster.unmark(left.definition, left.object);
}
const failureReason = (action: TeardownAction): WriteFailure => ('delete' in action ? 'DeleteFailed' : 'UpdateFailed');

/**
 * The Dataset is being deleted. Garbage collection would delete its runtime after it, but then the plan, which knows what to clean, could
 * not be made any more. So the runtime is deleted first. With `--cascade=orphan` it stays.
 */
export async function reconcileDeletedDataset(
  cluster: Cluster,
  key: Key,
  dataset: Dataset,
  runtimes: readonly Candidate[],
  reportInMs: number,
): Promise<Outcome> {
  const report = (hold: Hold) => reportOnDataset(cluster, dataset, hold, 'ErrorDeleteDataset');
  const reported = <T>(reason: WriteFailure, effect: () => Promise<T>) => orReport(effect, reason, reportInMs, report);

  const helpers = cluster.idleHelpers(key).filter(({ metadata }) => !metadata.deletionTimestamp);
  await reported('DeleteFailed', () => cluster.delete(helpers, [dataset]));
  // The deletion waits for pods that mount the claim, and others may start until then.
  for (const { definition, object } of runtimes) await reported('DeleteFailed', () => cluster.withdraw(key, definition, object));
  const hold = await reported('LookupFailed', () => cluster.usersOf(key, dataset));
  if (hold) {
    if (isReported(hold, reportInMs)) await report(hold);
    return waiting(hold.afterMs ?? 2000);
  }
  const isOurs = ({ definition, object }: Candidate) =>
    isOwnedBy(object, dataset.metadata.uid) && object.metadata.finalizers?.includes(runtimeFinalizer(definition.type));
  const ours = dataset.metadata.finalizers?.includes('orphan') ? [] : runtimes.filter(isOurs).map(({ object }) => object);
  const alive = ours.filter(({ metadata }) => !metadata.deletionTimestamp);
  // The cast: what was read from the API server has a UID and a version.
  await reported('DeleteFailed', () => cluster.delete(alive as unknown as readonly LiveObject[], [dataset, ...alive]));
  if (ours.length === 0) await reported('UpdateFailed', () => cluster.unmarkDataset(dataset));
  return settled();
}
