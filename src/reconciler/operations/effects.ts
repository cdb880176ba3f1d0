import type { Dataset, Manifest } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import { type Outcome, settled } from '../../kube/turns/queue.ts';
import { obstacleOf } from '../failures.ts';
import { failing, held } from '../holds.ts';
import { taker } from '../steps.ts';
import type { Hold } from '../world.ts';
import type { OperationPass } from './cluster.ts';
import {
  fail,
  notice,
  removed,
  report,
  reportEnd,
  reportObserved,
  reportRefusal,
  reportRun,
  reportSchedule,
  updated,
  warn,
} from './report.ts';
import { expiresInMs, untilExpiry } from './state.ts';
import { resetStatus, runningStatus } from './status.ts';
import type { JobEnd, JobView, OperationWorld, Prepared, Refusal, Work } from './world.ts';

/** An effect that a step asks for. */
export type OperationAction =
  /** Writes the finalizer and the Dataset as an owner. */
  | { readonly do: 'mark' | 'unmark' }
  /** Deletes the operation, which is over. */
  | { readonly do: 'expire' }
  /** Deletes the Jobs, and the CronJob before them. */
  | { readonly do: 'deleteJobs'; readonly those: Pick<OperationWorld, 'run' | 'schedule' | 'latest'> }
  /** Deletes the pods that helped a run, and their keys. */
  | { readonly do: 'endRun' }
  | { readonly do: 'suspend'; readonly works: readonly Work[]; readonly isPaused: boolean }
  /** An event: the status is about the run before. */
  | { readonly do: 'notice'; readonly reason: Hold['reason']; readonly note: string }
  /** The operation fails without having run. */
  | { readonly do: 'refuse'; readonly refusal: Refusal }
  /** Reports how the Job ended. */
  | { readonly do: 'end'; readonly job: JobView; readonly end: JobEnd }
  /** Reports that an edit of the spec was seen, and changes nothing. */
  | { readonly do: 'observe' }
  /** Reports that the operation runs once more. A further pass follows at once. */
  | { readonly do: 'reset'; readonly hold: Hold }
  /** Creates the Job. */
  | { readonly do: 'start'; readonly dataset: Dataset }
  /** Lets the Jobs go on that a pause suspended. */
  | { readonly do: 'resume'; readonly works: readonly Work[] }
  /** Creates the CronJob or changes it, and reports the latest Job. */
  | { readonly do: 'schedule'; readonly dataset: Dataset }
  /** Reports how far the Job is. */
  | { readonly do: 'follow'; readonly job: JobView };

const suspend = (pass: OperationPass, works: readonly Work[], isPaused: boolean): Promise<void> =>
  updated(pass, operationNames(pass.world.key).job, () => pass.cluster.suspend(pass.world.key, works, isPaused));

/** Without the finalizer nothing would delete its Job with it at once. */
async function mark(pass: OperationPass): Promise<void> {
  const { cluster, world } = pass;
  const { key, operation, dataset } = world;
  if (dataset) await updated(pass, `${key.kind}/${key.name}`, () => cluster.mark(operation, dataset));
}

/** Deletes the pods that helped a run, and their keys. */
const endRun = (pass: OperationPass, kept?: readonly Manifest[]): Promise<void> =>
  removed(pass, `${operationNames(pass.world.key).release}-workers`, () => pass.cluster.endRun(pass.world, kept));

/** Whether a Job of it has not ended. */
const hasJob = ({ works }: OperationWorld): boolean => works.some(({ kind }) => kind === 'Job');

/** A schedule keeps what its next Job needs; while it cannot be rendered, no Job can use it. */
export async function endIdle(pass: OperationPass, kept: readonly Manifest[] = []): Promise<void> {
  const { world } = pass;
  if (world.schedule && world.hasHelpers && !hasJob(world)) await endRun(pass, kept);
}

async function refuse(pass: OperationPass, refusal: Refusal): Promise<Outcome> {
  const { world } = pass;
  const isNews = await reportRefusal(pass, refusal);
  // The operation may have been started before its spec was edited.
  if ((isNews || world.hasHelpers) && !hasJob(world)) await endRun(pass);
  return settled(untilExpiry(expiresInMs(world, new Date(world.now).toISOString())).afterMs);
}

interface Provided {
  /** The outcome instead, if the manifests cannot be provided. */
  readonly obstacle?: Outcome;
  /** Why its CronJob goes on as it is. */
  readonly hold?: Hold;
  readonly manifests: readonly Manifest[];
}
/** Writes the Job or CronJob of an operation, and the objects that it needs. */
async function provide(pass: OperationPass, dataset: Dataset): Promise<Provided> {
  const { cluster, world, reportInMs } = pass;
  const manifests: readonly Manifest[] = [];
  await mark(pass);
  const prepared = await cluster.prepare(world, dataset).catch((error: unknown): Prepared => ({ hold: obstacleOf(error) }));
  if ('refused' in prepared) return { obstacle: await refuse(pass, prepared.refused), manifests };
  if ('hold' in prepared) {
    const { hold } = prepared;
    if (world.schedule) return { hold, manifests };
    return { obstacle: await held(hold, reportInMs, () => report(pass, hold)), manifests };
  }
  const { created, failed } = await cluster.apply(world, dataset, prepared.manifests);
  if (failed.length > 0) return fail(pass, failed);
  // A repeated pass creates nothing, and reports nothing again.
  if (created.length > 0) warn(pass, prepared.warnings);
  return { manifests: prepared.manifests };
}

export const take = taker<OperationAction, OperationPass, Outcome | void>({
  mark,
  unmark: ({ cluster, world }) => cluster.unmark(world.operation),
  expire: ({ cluster, world }) => cluster.expire(world.operation),
  deleteJobs: (pass, { those }) => removed(pass, operationNames(pass.world.key).job, () => pass.cluster.deleteJobs(pass.world.key, those)),
  endRun: (pass) => endRun(pass),
  suspend: (pass, { works, isPaused }) => suspend(pass, works, isPaused),
  notice: async (pass, { reason, note }) => notice(pass, reason, note),
  refuse: (pass, { refusal }) => refuse(pass, refusal),
  reset: (pass, { hold }) => report(pass, hold, resetStatus(pass.world, hold)),
  observe: (pass) => reportObserved(pass),
  end: (pass, { job, end }) => reportEnd(pass, job, end),
  follow: (pass, { job }) => reportRun(pass, job),

  // Until the watch shows its Job, the operation counts as one that runs: two of a line would start at once.
  start: (pass, { dataset }) =>
    pass.cluster.starting(pass.world.key, async () => {
      const { obstacle } = await provide(pass, dataset);
      if (!obstacle) await pass.cluster.writeStatus(pass.world.operation, runningStatus(pass.world));
      return obstacle;
    }),
  resume: (pass, { works }) =>
    pass.cluster.starting(pass.world.key, async () => {
      await suspend(pass, works, false);
      await pass.cluster.writeStatus(pass.world.operation, runningStatus(pass.world));
    }),

  /** Keeps its CronJob as its spec and its runtime say, and shows the latest Job. */
  async schedule(pass, { dataset }) {
    const { obstacle, manifests, hold } = await provide(pass, dataset);
    if (obstacle) return obstacle;
    const outcome = await reportSchedule(pass);
    await endIdle(pass, manifests);
    if (hold?.fails)
      await failing(new Error(hold.message), pass.reportInMs <= 0 ? async () => notice(pass, hold.reason, hold.message) : undefined);
    return outcome;
  },
});
