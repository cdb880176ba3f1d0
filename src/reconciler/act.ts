import type { Part } from '../constructs/index.ts';
import type { Cluster, Planned } from './cluster.ts';
import { attempt, failureOf } from './failures.ts';
import { taker } from './steps.ts';
import { type Action, type Applied, appliedIn, type Decision, type LiveObject, nothingApplied, type World } from './world.ts';

const WITH_PROMISE: ReadonlySet<Part> = new Set(['claim', 'volume']);

/** Takes the actions in order, also after one has failed. Prunes only when the list was complete and nothing failed. */
export async function act(cluster: Cluster, seen: Planned, { actions, mayPrune }: Decision): Promise<Applied> {
  const { world } = seen;
  const { bound, plan } = world;
  const me = `${world.runtime.kind}/${world.key.name}`;
  // Without the finalizer no controller would take down what this pass creates.
  const unmarked = await attempt('UpdateFailed', me, () => cluster.mark(seen));
  if (unmarked.length > 0) return { ...nothingApplied, failed: unmarked };

  let applied = nothingApplied;
  let updated = nothingApplied;
  for (const action of actions) {
    // A bound claim promises that reads work. And a volume without our claim could be bound to another claim of that name.
    const promises = action.do === 'ensure' && WITH_PROMISE.has(action.part);
    if (promises && !bound && updated.failed.length + applied.failed.length > 0) break;
    const came = await take({ cluster, world }, action);
    if (action.do === 'ensure') applied = appliedIn([applied, came]);
    else updated = appliedIn([updated, came]);
  }
  const failed = [...updated.failed, ...applied.failed];
  const reconfigured = applied.newData.some((name) => name.endsWith(`/${plan.base.config?.name}`));
  failed.push(...(await attempt('UpdateFailed', me, () => cluster.refresh(world, reconfigured))));
  // Also during a first set-up: a Job that runs keeps a claim which is in the way.
  failed.push(...(await cluster.removeRestored(world)));
  if (mayPrune && failed.length === 0)
    try {
      const desired = actions.flatMap((action) => (action.do === 'ensure' ? world.desiredObjects(action.part) : []));
      const done = await cluster.prune(world, desired);
      failed.push(...done.failed);
      applied = { ...applied, pruned: done.pruned, kept: [...applied.kept, ...done.kept] };
    } catch (error) {
      failed.push(failureOf('DeleteFailed', me, error));
    }
  failed.push(...(await attempt('UpdateFailed', me, () => cluster.place(world))));
  return { ...applied, failed };
}

const take = taker<Action, { readonly cluster: Cluster; readonly world: World }, Applied>({
  ensure: ({ cluster, world }, { part }) => cluster.apply(world, world.desiredObjects(part)),
  async run({ cluster, world }, { commands, change }) {
    cluster.run(world, commands, change);
    return nothingApplied;
  },
  release: ({ cluster, world }, { volume, seen, to }) => update(volume, () => cluster.release(world, volume, seen, to)),
  discard: ({ cluster, world }, { object }) => update(object, () => cluster.delete([object], [world.dataset, world.runtime])),
  vacate: ({ cluster, world }, { claim }) => update(claim, () => cluster.vacate(world, claim)),
  complete: ({ cluster }, { claim }) => update(claim, () => cluster.complete(claim)),
  nudge: ({ cluster }, { claim, afterMs }) => update(claim, () => cluster.nudge(claim, afterMs)),
});
const update = async ({ kind, metadata }: LiveObject, effect: () => unknown): Promise<Applied> => ({
  ...nothingApplied,
  failed: await attempt('UpdateFailed', `${kind}/${metadata.name}`, effect),
});
