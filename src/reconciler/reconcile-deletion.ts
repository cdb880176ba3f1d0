import { type Dataset, isOwnedBy, runtimeFinalizer } from '../api/index.ts';
import { type Outcome, settled } from '../kube/turns/queue.ts';
import type { Cluster } from './cluster.ts';
import type { RuntimeCandidate } from '../planning/choose.ts';
import { held, orReport } from './holds.ts';
import { carryOut, firstOf, taker } from './steps.ts';
import { type Teardown, type TeardownAction, teardownSteps, unboundStatus } from './teardown-steps.ts';
import { reportOnDataset, reportOnRuntime } from './status/report.ts';
import { isPassing } from '../planning/reasons.ts';
import type { Hold, Key, LiveObject, WriteFailure } from './world.ts';

/** One step of the teardown of a runtime that is being deleted. */
export async function reconcileDeletedRuntime(
  cluster: Cluster,
  key: Key,
  dataset: Dataset | undefined,
  { definition, object }: RuntimeCandidate,
  reportInMs: number,
): Promise<Outcome> {
  const report = (hold: Hold) => reportOnRuntime(cluster, object, hold, undefined, 'ErrorDeleteRuntime');
  const reported = <T>(reason: WriteFailure, effect: () => Promise<T>) => orReport(effect, reason, reportInMs, report);

  await reported('DeleteFailed', () => cluster.withdraw(key, definition, object));
  const left = await reported('LookupFailed', () => cluster.observeTeardown(key, dataset, definition, object));
  const asked = firstOf(left, teardownSteps);
  // Once every deletion has been requested, the wait is worth a report if it lasts.
  const isUnderWay = asked.actions !== undefined || left.cleaning.running;
  return carryOut(
    asked,
    (action) => reported(action.do === 'delete' ? 'DeleteFailed' : 'UpdateFailed', () => take({ cluster, left }, action)),
    async (hold) => {
      if (!isUnderWay || !isPassing(hold)) await report(hold);
    },
    reportInMs,
  );
}

const take = taker<TeardownAction, { readonly cluster: Cluster; readonly left: Teardown }, void>({
  delete: ({ cluster, left }, { objects, andPods }) => cluster.delete(objects, [left.object], andPods),
  clean: ({ cluster, left }) => cluster.clean(left),
  unlabelNodes: ({ cluster, left }) => cluster.unlabelNodes(left),
  // The cast: the step asks for it only if there is one.
  unbind: async ({ cluster, left }) => void (await cluster.writeDatasetStatus(left.dataset as Dataset, unboundStatus(cluster.now()))),
  unmark: ({ cluster, left }) => cluster.unmark(left.definition, left.object),
});

/**
 * The Dataset is being deleted. Garbage collection would delete its runtime after it, but then the plan, which knows what to clean, could
 * not be made any more. So the runtime is deleted first. With `--cascade=orphan` it stays.
 */
export async function reconcileDeletedDataset(
  cluster: Cluster,
  key: Key,
  dataset: Dataset,
  runtimes: readonly RuntimeCandidate[],
  reportInMs: number,
): Promise<Outcome> {
  const report = (hold: Hold) => reportOnDataset(cluster, dataset, hold, 'ErrorDeleteDataset');
  const reported = <T>(reason: WriteFailure, effect: () => Promise<T>) => orReport(effect, reason, reportInMs, report);

  const helpers = cluster.idleHelpers(key).filter(({ metadata }) => !metadata.deletionTimestamp);
  await reported('DeleteFailed', () => cluster.delete(helpers, [dataset]));
  // The deletion waits for pods that mount the claim, and others may start until then.
  for (const { definition, object } of runtimes) await reported('DeleteFailed', () => cluster.withdraw(key, definition, object));
  const hold = await reported('LookupFailed', () => cluster.usersOf(key, dataset));
  if (hold) return held(hold, reportInMs, () => report(hold));
  const isOurs = ({ definition, object }: RuntimeCandidate) =>
    isOwnedBy(object, dataset.metadata.uid) && object.metadata.finalizers?.includes(runtimeFinalizer(definition.type));
  const ours = dataset.metadata.finalizers?.includes('orphan') ? [] : runtimes.filter(isOurs).map(({ object }) => object);
  const alive = ours.filter(({ metadata }) => !metadata.deletionTimestamp);
  // The cast: what was read from the API server has a UID and a version.
  await reported('DeleteFailed', () => cluster.delete(alive as unknown as readonly LiveObject[], [dataset, ...alive]));
  if (ours.length === 0) await reported('UpdateFailed', () => cluster.unmarkDataset(dataset));
  return settled();
}
