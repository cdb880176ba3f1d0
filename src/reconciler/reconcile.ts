import { type Dataset, referenceIn } from '../api/index.ts';
import { type Outcome, settled, waiting } from '../kube/turns/queue.ts';
import { choose } from '../planning/choose.ts';
import { act } from './act.ts';
import type { Cluster, Scene, Unplanned } from './cluster.ts';
import type { RuntimeCandidate } from '../planning/choose.ts';
import { decide } from './decide.ts';
import { againAfterConflict, attempt, each, obstacleOf } from './failures.ts';
import { failingOn, held, orAgain, orReport } from './holds.ts';
import { causeOf, type Reason } from '../planning/reasons.ts';
import { statusOf, unplannedStatusOf } from './status/status.ts';
import { reconcileDeletedDataset, reconcileDeletedRuntime } from './reconcile-deletion.ts';
import { noticesOf, noticesOfHold, reportOnBoth, reportOnDataset, reportOnLeaving, reportOnRuntime } from './status/report.ts';
import { type Hold, type Key, keyOf } from './world.ts';

/** How often nodes whose pods still mount the dataset are checked. */
const NODES_IN_USE_MS = 10_000;

/**
 * One pass over everything of one name: observe, decide, synthesize, apply, report. Read this first.
 *
 * @param reportInMs how much longer a passing hold may go unreported: most end before an operator could read of them
 */
export const reconcile = (cluster: Cluster, key: Key, reportInMs = 0): Promise<Outcome> =>
  againAfterConflict(() => pass(cluster, key, reportInMs));

async function pass(cluster: Cluster, key: Key, reportInMs: number): Promise<Outcome> {
  const scene = cluster.scene(key);
  const { dataset, runtimes } = scene;
  const { chosen, others } = choose(dataset, runtimes);
  const leaving = runtimes.filter(({ object }) => object.metadata.deletionTimestamp);
  return soonest(
    await each([
      ...leaving.map((candidate) => () => reconcileDeletedRuntime(cluster, key, dataset, candidate, reportInMs)),
      ...others.map((candidate) => () => standBy(cluster, key, candidate, chosen)),
      async () => {
        if (dataset?.metadata.deletionTimestamp) return reconcileDeletedDataset(cluster, key, dataset, runtimes, reportInMs);
        // Objects of the next runtime have the names of those that are being deleted, so it waits for them.
        if (leaving.length > 0) return queued(cluster, key, reportInMs);
        if (dataset && chosen) return serve(cluster, scene, dataset, chosen, reportInMs);
        if (dataset) return unserved(cluster, scene, dataset, reportInMs);
        if (chosen) return alone(cluster, key, chosen, reportInMs);
        await cluster.removeLeft(key);
        return settled();
      },
    ]),
  );
}

async function serve(cluster: Cluster, scene: Scene, dataset: Dataset, candidate: RuntimeCandidate, reportInMs: number): Promise<Outcome> {
  const { definition, object, invalid = scene.invalid } = candidate;
  const seen = await orReport(
    () => cluster.observe(scene.key, dataset, definition, object, invalid),
    'LookupFailed',
    reportInMs,
    (hold) => reportOnRuntime(cluster, object, hold),
  );
  if ('hold' in seen) return unplanned(cluster, dataset, candidate, seen, reportInMs);

  const { world } = seen;
  const decision = decide(world);
  const applied = await act(cluster, seen, decision);
  const report = () =>
    reportOnBoth(cluster, dataset, object, statusOf(world, decision, applied), noticesOf(world, decision, applied), reportInMs);
  if (applied.failed.length > 0) return failingOn(applied.failed, reportInMs, report);
  // Pods of users are not watched, nor are Secrets.
  const isWaiting = applied.waiting.length + applied.kept.length > 0;
  const afterMs = isWaiting ? Math.min(world.afterMs ?? Infinity, NODES_IN_USE_MS) : world.afterMs;
  if (decision.hold) return orAgain(await held(decision.hold, reportInMs, report), afterMs);
  // One write reports both that the dataset is bound and how full its cache is.
  if (world.answersInMs) return waiting(world.answersInMs);
  await report();
  return settled(afterMs);
}

/** Without a plan the desired state is not known, so nothing is repaired and nothing pruned. */
async function unplanned(
  cluster: Cluster,
  dataset: Dataset,
  { definition, object }: RuntimeCandidate,
  seen: Unplanned,
  reportInMs: number,
): Promise<Outcome> {
  if (seen.hold.revokes) await cluster.revoke(keyOf(object), definition, object);
  const statuses = unplannedStatusOf({ ...seen, now: cluster.now(), dataset, runtime: object });
  return held(seen.hold, reportInMs, () => reportOnBoth(cluster, dataset, object, statuses, noticesOfHold(seen.hold), reportInMs));
}

/** Another runtime of its name serves the dataset. */
async function standBy(
  cluster: Cluster,
  { name }: Key,
  { object }: RuntimeCandidate,
  chosen: RuntimeCandidate | undefined,
): Promise<Outcome> {
  const message = `${chosen?.object.kind ?? 'another runtime'} ${name} serves the dataset`;
  await reportOnRuntime(cluster, object, { reason: 'DatasetTaken', message }, 'DatasetTaken');
  return settled();
}

/** An earlier runtime of this name is still being deleted. It serves the Dataset while pods mount that; the next one serves after it is gone. */
async function queued(cluster: Cluster, key: Key, reportInMs: number): Promise<Outcome> {
  // Read anew: the steps of the deletion have written both statuses.
  const { dataset, runtimes } = cluster.scene(key);
  const leaving = runtimes.filter(({ object }) => object.metadata.deletionTimestamp);
  if (!dataset || leaving.length === 0) return settled();
  const delays = leaving.map(({ object }) =>
    object.status?.conditions?.find(({ type, status: is }) => type === 'Synced' && is === 'False'),
  );
  const why = leaving.map(({ object: { kind, metadata } }, i) => `${kind} ${metadata.name}${delays[i] ? ` (${delays[i].message})` : ''}`);
  const hold: Hold = { reason: 'RuntimeDeleting', message: `waiting until the earlier runtime of this name is deleted: ${why.join(', ')}` };
  const isServed = (dataset.status?.runtimes ?? []).length > 0;
  // The cast: another controller's reason has no cause.
  const serves = delays.every((delay) => causeOf(delay?.reason as Reason).isServing ?? false);
  return held(hold, reportInMs, () =>
    isServed ? reportOnLeaving(cluster, dataset, hold, serves) : reportOnDataset(cluster, dataset, hold),
  );
}

async function unserved(cluster: Cluster, { key, invalid }: Scene, dataset: Dataset, reportInMs: number): Promise<Outcome> {
  let provided = false;
  const refers = !invalid && referenceIn(dataset.spec) !== undefined;
  const [failure] = await attempt('UpdateFailed', `Dataset/${key.name}`, async () => {
    if (refers) provided = await cluster.provide(key, dataset);
    if (!provided) await cluster.markDataset(key, dataset);
  });
  // The runtime is reconciled with the Dataset.
  if (provided && !failure) return waiting(0);
  const unknown: Hold = { reason: 'RuntimeNotFound', message: `no runtime is called ${key.name} in namespace ${key.namespace}` };
  const lack = invalid && isMeantToRefer(dataset.spec) ? obstacleOf(invalid) : unknown;
  const hold: Hold = failure ? { reason: failure.reason, message: failure.message, fails: true } : lack;
  return held(hold, reportInMs, () => reportOnDataset(cluster, dataset, hold));
}

/** A spec that does not parse but means to refer. Its author has to mend it, and to create no runtime. */
const isMeantToRefer = ({ mounts }: { readonly mounts?: unknown }): boolean =>
  Array.isArray(mounts) && referenceIn({ mounts: mounts.filter((mount) => typeof mount?.mountPoint === 'string') }) !== undefined;

async function alone(cluster: Cluster, key: Key, { definition, object }: RuntimeCandidate, reportInMs: number): Promise<Outcome> {
  const [failure] = await attempt('DeleteFailed', `${object.kind}/${key.name}`, () => cluster.withdraw(key, definition, object));
  const hold: Hold = failure
    ? { reason: failure.reason, message: failure.message, fails: true }
    : { reason: 'DatasetNotFound', message: `no Dataset is called ${key.name} in namespace ${key.namespace}` };
  return held(hold, reportInMs, () => reportOnRuntime(cluster, object, hold));
}

/** The outcome for several objects of one name: while any of them waits, the key does. */
function soonest(outcomes: readonly Outcome[]): Outcome {
  const waits = outcomes.filter(({ kind }) => kind !== 'settled');
  const delays = (waits.length > 0 ? waits : outcomes).flatMap(({ afterMs = [] }) => afterMs);
  const afterMs = delays.length > 0 ? Math.min(...delays) : undefined;
  return waits.length > 0 ? waiting(afterMs) : settled(afterMs);
}
