import { type Dataset, InvalidSpec, type Manifest, runtimeFinalizer } from '../api/index.ts';
import { choose } from './choose.ts';
import type { Candidate, Cluster, Observation } from './cluster.ts';
import { decide } from './decide.ts';
import { statusOf } from './status.ts';
import { decideTeardown, unboundStatus } from './teardown.ts';
import { noticesOf, tellDataset, tellRuntime } from './tell.ts';
import {
  type Applied,
  type Decision,
  type Hold,
  type Key,
  type LiveObject,
  type Next,
  nothingApplied,
  PARTS,
  type World,
} from './world.ts';

/** How often nodes on which somebody still reads are looked at again. */
const NODES_IN_USE_MS = 10_000;

/**
 * One pass over everything of one name: observe, decide, synthesize, apply, tell. Read this first.
 *
 * @param tellInMs a passing hold may go untold for so much longer: most are over before anybody could read of them
 */
export async function reconcile(cluster: Cluster, key: Key, tellInMs = 0): Promise<Next> {
  const { dataset, runtimes } = cluster.scene(key);
  const { chosen, others } = choose(dataset, runtimes);
  const nexts: Next[] = [];
  const leaving = runtimes.filter(({ object }) => object.metadata.deletionTimestamp);
  for (const candidate of leaving) nexts.push(await takeDown(cluster, key, dataset, candidate, tellInMs));
  for (const { object } of others)
    await tellRuntime(
      cluster,
      object,
      { reason: 'DatasetTaken', message: `${chosen?.object.kind ?? 'another runtime'} ${key.name} serves the dataset` },
      'DatasetTaken',
    );
  if (dataset?.metadata.deletionTimestamp) nexts.push(await letGo(cluster, key, dataset, runtimes));
  // The names of what goes are those of what comes: one after the other.
  else if (leaving.length > 0) return soonest(nexts);
  else if (dataset && chosen) nexts.push(await serve(cluster, key, dataset, chosen, tellInMs));
  else if (dataset) nexts.push(await unserved(cluster, key, dataset, tellInMs));
  else if (chosen) nexts.push(await alone(cluster, chosen, tellInMs));
  return soonest(nexts);
}

async function serve(
  cluster: Cluster,
  key: Key,
  dataset: Dataset,
  { runtime, object, invalid }: Candidate,
  tellInMs: number,
): Promise<Next> {
  let observation: Observation;
  try {
    if (invalid) throw invalid;
    observation = await cluster.observe(key, dataset, runtime, object);
    // What is wrong anywhere shows before anything is made.
    if ('world' in observation) for (const part of PARTS) observation.world.plan.synth(part);
  } catch (error) {
    if (!(error instanceof InvalidSpec)) {
      const hold = { reason: 'LookupFailed', message: error instanceof Error ? error.message : String(error) };
      if (tellInMs <= 0) await tellRuntime(cluster, object, hold).catch(() => {});
      throw error; // the queue retries with back-off
    }
    const hold = { reason: 'InvalidSpec', message: error.message };
    await tellRuntime(cluster, object, hold, undefined, error.reason);
    await tellDataset(cluster, dataset, hold);
    return 'on-change'; // only an edit can help
  }
  if ('hold' in observation) return held(observation.hold, tellInMs, () => tellBoth(cluster, dataset, object, observation.hold));

  await cluster.mark(observation);
  const { world } = observation;
  const decision = decide(world);
  const applied = await act(cluster, world, decision);
  cluster.place(world);
  const tell = async () => {
    const statuses = statusOf(world, decision, applied);
    const wroteRuntime = await cluster.writeRuntimeStatus(object, statuses.runtime);
    const wroteDataset = await cluster.writeDatasetStatus(dataset, statuses.dataset);
    if (wroteRuntime || wroteDataset)
      for (const notice of noticesOf(world, decision, applied)) cluster.notice(notice.about === 'dataset' ? dataset : object, notice);
  };
  if (applied.failed.length > 0) {
    // A race with another writer is settled by looking again; only what lasts is told.
    if (tellInMs <= 0 || !applied.failed.every(({ reason }) => reason === 'Conflict')) await tell();
    throw new Error(applied.failed.map(({ object: name, message }) => `${name}: ${message}`).join('; '));
  }
  // Pods of users are not watched.
  const againMs = Math.min(world.againMs ?? Infinity, applied.waiting.length > 0 ? NODES_IN_USE_MS : Infinity);
  const again: Next = againMs === Infinity ? 'on-change' : { again: againMs };
  if (decision.hold) {
    const next = await held(decision.hold, tellInMs, tell);
    return next === 'on-change' ? again : next;
  }
  await tell();
  return again;
}

/** Takes the actions in order, and prunes only when the list was complete and nothing failed. */
async function act(cluster: Cluster, world: World, { actions, mayPrune }: Decision): Promise<Applied> {
  const desired: Manifest[] = [];
  let applied = nothingApplied;
  for (const action of actions) {
    if ('run' in action) cluster.run(world, action.run);
    else if ('release' in action) await cluster.release(action.release, action.to);
    else if ('nudge' in action) cluster.nudge(action.nudge, action.afterMs);
    // A claim that binds is a promise that reads will work.
    else if (action.ensure === 'claim' && !world.bound && applied.failed.length > 0) break;
    else {
      const manifests = world.plan.synth(action.ensure);
      desired.push(...manifests);
      applied = joined(applied, await cluster.apply(world, manifests));
    }
  }
  if (applied.changed.some((name) => name.endsWith(`/${world.plan.plan.fuseConfig}`))) await cluster.refreshFuse(world);
  if (mayPrune && applied.failed.length === 0) applied = { ...applied, pruned: await cluster.prune(world, desired) };
  return applied;
}

async function takeDown(
  cluster: Cluster,
  key: Key,
  dataset: Dataset | undefined,
  { runtime, object }: Candidate,
  tellInMs: number,
): Promise<Next> {
  const left = await cluster.observeTeardown(key, dataset, runtime, object);
  const { action, hold } = decideTeardown(left);
  // What is only waited for has been asked to go: worth telling once it takes its time.
  const isStuck = tellInMs <= 0 && !action && !left.cleaning.running;
  if (hold && (!hold.passing || isStuck)) await tellRuntime(cluster, object, hold, undefined, 'ErrorDeleteRuntime');
  const retryMs = hold?.passing && tellInMs > 0 ? tellInMs : hold?.retryMs;
  if (!action) return retryMs ? { after: retryMs } : 'on-change';
  if ('delete' in action) await cluster.delete(action.delete);
  else if ('clean' in action) await cluster.clean(left);
  else if ('unlabelNodes' in action) await cluster.unlabelNodes(left);
  else if ('unbind' in action) await cluster.writeDatasetStatus(left.dataset as Dataset, unboundStatus);
  else {
    await cluster.unmark(runtime, object);
    return 'on-change';
  }
  return { after: retryMs ?? 0 };
}

/**
 * The Dataset is being deleted. Garbage collection would take its runtime after it, but then nobody could say any more what is to be
 * cleaned: so the runtime goes first. With `--cascade=orphan` it stays.
 */
async function letGo(cluster: Cluster, key: Key, dataset: Dataset, runtimes: readonly Candidate[]): Promise<Next> {
  const hold = await cluster.usersOf(key, dataset);
  if (hold) {
    await tellDataset(cluster, dataset, hold, 'ErrorDeleteDataset');
    return { after: hold.retryMs ?? 2000 };
  }
  const isOurs = ({ runtime, object: { metadata } }: Candidate) =>
    metadata.ownerReferences?.some(({ uid }) => uid === dataset.metadata.uid) &&
    metadata.finalizers?.includes(runtimeFinalizer(runtime.type));
  const ours = dataset.metadata.finalizers?.includes('orphan') ? [] : runtimes.filter(isOurs).map(({ object }) => object);
  // The cast: what was read from the API server has a UID and a version.
  await cluster.delete(ours.filter(({ metadata }) => !metadata.deletionTimestamp) as unknown as readonly LiveObject[]);
  if (ours.length === 0) await cluster.unmarkDataset(dataset);
  return 'on-change';
}

async function unserved(cluster: Cluster, key: Key, dataset: Dataset, tellInMs: number): Promise<Next> {
  await cluster.markDataset(key, dataset);
  const hold: Hold = {
    reason: 'RuntimeNotFound',
    message: `no runtime is called ${key.name} in namespace ${key.namespace}`,
    passing: true,
  };
  return held(hold, tellInMs, () => tellDataset(cluster, dataset, hold));
}

async function alone(cluster: Cluster, { object }: Candidate, tellInMs: number): Promise<Next> {
  const hold: Hold = { reason: 'DatasetNotFound', message: 'No dataset can be bound to the runtime, waiting.', passing: true };
  return held(hold, tellInMs, () => tellRuntime(cluster, object, hold));
}

async function tellBoth(cluster: Cluster, dataset: Dataset, object: Candidate['object'], hold: Hold): Promise<void> {
  await tellRuntime(cluster, object, hold);
  await tellDataset(cluster, dataset, hold);
}

async function held(hold: Hold, tellInMs: number, tell: () => Promise<unknown>): Promise<Next> {
  if (hold.passing && tellInMs > 0) return { after: tellInMs };
  await tell();
  return hold.retryMs ? { after: hold.retryMs } : 'on-change';
}

const joined = (a: Applied, b: Applied): Applied => ({
  created: [...a.created, ...b.created],
  changed: [...a.changed, ...b.changed],
  pruned: [...a.pruned, ...b.pruned],
  failed: [...a.failed, ...b.failed],
  immutable: [...a.immutable, ...b.immutable],
  waiting: [...a.waiting, ...b.waiting],
});

function soonest(nexts: readonly Next[]): Next {
  const delays = nexts.flatMap((next) => (typeof next === 'object' && 'after' in next ? next.after : []));
  return delays.length > 0 ? { after: Math.min(...delays) } : (nexts.find((next) => next !== 'on-change') ?? 'on-change');
}
