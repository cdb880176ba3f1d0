import { differences, pathsOf } from '../../../planning/diff/mount-change.ts';
import { CALCULATING, isReported, mountsChanged } from '../../status/dataset.ts';
import type { World } from '../../world.ts';
import { askProbe, type PodChoice } from '../commands/exec.ts';
import { canAsk, type ClusterContext, whereOf } from '../cluster-context.ts';
import { listMounts, mountsObserved, RETRY_MS } from './mounts.ts';
import { dataMarkOf, LONGEST_PAUSE_MS, PAUSE_MS } from './recounts.ts';
import { askAsReader, probeAgainMs } from './reads.ts';

/** Answers of probes that come within this time are reported together; until then, that they run is not reported either. */
const ANSWERS_WITHIN_MS = 1000;
/** How long a first set-up waits for the first answers. */
const FIRST_ANSWERS_MS = 300;

/** The last answers of a runtime's pods. */
export type ProbeResults = Pick<World, 'probes' | 'reads' | 'answersInMs' | 'mounts'>;

/**
 * Has the pods of a runtime asked for the state of its cache, its mounts, and its files, and returns the last results. Commands are slow,
 * so their ends wake the key. `afterMs` are the times after which a pass is due even without an event.
 */
export function askPods(
  context: ClusterContext,
  choice: PodChoice,
  asked: Pick<World, 'key' | 'dataset' | 'runtime' | 'plan' | 'bound'>,
): { readonly results: ProbeResults; readonly afterMs: readonly number[] } {
  const { store, jobs, recounts, exec, probeMs, wake, clock } = context;
  const { key, dataset, runtime, plan, bound } = asked;
  const { namespace } = key;
  const { uid = '' } = runtime.metadata;
  const woken = () => wake(key);

  const cache =
    probeMs > 0 && canAsk(choice, plan.probes.cache)
      ? jobs.ask(
          `${uid}/cache`,
          { namespace, version: '', everyMs: probeAgainMs(jobs.state(`${uid}/cache`).failures, probeMs) },
          (before) => askProbe(exec, choice, plan.probes.cache!, before),
          woken,
        )
      : undefined;

  const mounts = listMounts(context, choice, asked, woken);

  const total = dataset.status?.ufsTotal;
  const isCounted = total !== undefined && total !== '' && total !== CALCULATING && !mountsChanged(dataset);
  const dueMark = isCounted && plan.probes.ufs ? recounts.due(uid, dataMarkOf(cache?.value)) : undefined;
  // Files can be counted once the mounts are in effect, while the workers still start.
  const isMounted =
    !plan.mounts || (mounts.mounted && pathsOf(differences(plan.mounts, mounts.mounted)).length === mounts.mountTroubles.length);
  const wantsCount =
    (bound || isMounted) && (!total || total === CALCULATING || dueMark !== undefined || (mountsChanged(dataset) && isMounted));
  const counts = wantsCount && canAsk(choice, plan.probes.ufs);
  const { reads, afterMs: readAfterMs } = askAsReader(context, choice, asked, woken);
  const wanted = [
    ...(probeMs > 0 ? [plan.probes.cache, bound ? plan.probes.reads : undefined] : []),
    wantsCount ? plan.probes.ufs : undefined,
    plan.mounts?.list,
  ];
  store.awaitFuse(
    uid,
    wanted.some((probe) => probe && whereOf(probe).some((each) => each.in === 'fuse') && !canAsk(choice, probe)),
  );
  // One that fails is dear as well: each pause is twice as long as the one before.
  const countEveryMs = () => {
    const pauseMs = dueMark === undefined ? Math.max(probeMs, RETRY_MS) : PAUSE_MS;
    return Math.max(pauseMs, Math.min(LONGEST_PAUSE_MS, pauseMs * 2 ** (jobs.state(`${uid}/ufs`).failures - 1)));
  };
  const ufs = counts
    ? jobs.ask(
        `${uid}/ufs`,
        {
          namespace,
          version: `${dataset.metadata.generation}/${dueMark ?? ''}`,
          everyMs: countEveryMs(),
        },
        () => askProbe(exec, choice, plan.probes.ufs!),
        woken,
      )
    : undefined;
  if (ufs?.value && !ufs.running && isReported(ufs.value, dataset.status)) {
    const { endedAt = clock.monotonic(), startedAt = endedAt } = ufs;
    recounts.done(uid, startedAt, endedAt);
  }

  const runningMs = [cache, ufs].map((job) => (job?.running ? clock.monotonic() - (job.startedAt ?? -Infinity) : Infinity));
  const answersIn = Math.max(0, ANSWERS_WITHIN_MS - Math.min(...runningMs));
  const firstIn = bound ? 0 : FIRST_ANSWERS_MS - Math.min(...runningMs);
  const answered = answersIn <= 0;
  return {
    results: {
      probes: {
        ...(answered && cache?.value !== undefined && { cache: cache.value }),
        cacheRunning: !answered || (cache?.running ?? false),
        ...(answered && ufs?.value && { ufs: ufs.value }),
        ufsRunning: answered && (ufs?.running ?? false),
      },
      ...(reads && { reads }),
      ...(firstIn > 0 && { answersInMs: firstIn }),
      ...(plan.mounts && { mounts: mountsObserved(mounts, jobs.state(`${uid}/run`).error) }),
    },
    afterMs: [
      ...(mounts.afterMs === Infinity ? [] : [mounts.afterMs]),
      ...(cache?.dueInMs === undefined ? [] : [cache.dueInMs]),
      ...(readAfterMs === Infinity ? [] : [readAfterMs]),
      ...(answered ? [] : [answersIn]),
      ...(ufs?.error === undefined || ufs.dueInMs === undefined ? [] : [ufs.dueInMs]),
    ],
  };
}
