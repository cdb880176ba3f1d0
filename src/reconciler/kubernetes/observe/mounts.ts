import type { Dataset } from '../../../api/index.ts';
import { askProbe, NO_LEADER, type PodChoice } from '../commands/exec.ts';
import type { MountsSeen } from '../commands/mount-tries.ts';
import type { MountsObserved, RuntimeObject, World } from '../../world.ts';
import { canAsk, type ClusterContext } from '../cluster-context.ts';

/** How often a failed metadata count or mount list is retried. */
export const RETRY_MS = 10_000;

/** The mounts that the engine lists, and the rows that were changed in vain. */
export interface MountsListed extends MountsSeen {
  readonly running: boolean;
  /** Why the last list failed. */
  readonly error?: string;
}

const NOT_LISTED: MountsListed = { running: false, mountTroubles: [], afterMs: Infinity };

/** Has the mounts listed after every change of the specs and of the masters, and again after every change of a row. */
export function listMounts(
  { jobs, exec, mountTries, clock }: ClusterContext,
  choice: PodChoice,
  { key: { namespace }, dataset, runtime, plan }: Pick<World, 'key' | 'dataset' | 'runtime' | 'plan'>,
  onEnd: () => void,
): MountsListed {
  const { uid = '', generation } = runtime.metadata;
  if (!plan.mounts || !canAsk(choice, plan.mounts.list)) return NOT_LISTED;
  const table = plan.mounts;
  const masters = choice
    .pods('master')
    // A master that was restarted in its pod has lost its mounts as well.
    .map(({ metadata, restarts }) => `${metadata.uid}/${restarts}`)
    .join();
  const tried = `${dataset.metadata.generation}/${generation}/${masters}`;
  const job = jobs.ask(
    `${uid}/mounts`,
    {
      namespace,
      version: `${dataset.metadata.generation}/${masters}`,
      everyMs: Math.min(retryOf(jobs.state(`${uid}/mounts`).error), mountTries.relistMs(uid, tried)),
    },
    () => askProbe(exec, choice, table.list),
    onEnd,
  );
  const seen = mountTries.seen(uid, tried, table, job, (text) => reportedMs(text, dataset, runtime, clock.wall()));
  return { ...seen, running: job.running, ...(job.error !== undefined && { error: job.error }) };
}

/** The mounts for the decision; `changeError` is why the last change of rows failed. */
export function mountsObserved(
  { mounted, mountTroubles: troubles, mountsTriedMs: triedMs, running, error: listError }: MountsListed,
  changeError: string | undefined,
): MountsObserved {
  const error = listError ?? changeError;
  if (error === NO_LEADER) return { is: 'leaderless', troubles };
  const failed = error === undefined ? {} : { failed: { message: error, isChange: listError === undefined } };
  return mounted
    ? { is: 'listed', rows: mounted, ...(triedMs && { triedMs }), troubles, ...failed }
    : { is: 'unlisted', isListing: running, troubles, ...failed };
}

/** How many milliseconds ago any process reported this text about a mount of the same specs; undefined if none did. */
function reportedMs(text: string, { metadata, status }: Dataset, runtime: RuntimeObject, now: number): number | undefined {
  const isSame = metadata.generation === status?.observedGeneration && runtime.metadata.generation === runtime.status?.observedGeneration;
  const differ = runtime.status?.conditions?.find(({ type, message }) => type === 'MountsDiffer' && message?.includes(` ${text}`));
  return isSame && differ ? now - Date.parse(differ.lastTransitionTime ?? '') || 0 : undefined;
}

/** Milliseconds until a failed list is retried; sooner without a leader, since an election takes moments. */
const retryOf = (error: string | undefined): number => (error === undefined ? Infinity : error === NO_LEADER ? 1000 : RETRY_MS);
