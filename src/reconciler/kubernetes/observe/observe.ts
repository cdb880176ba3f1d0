import { hash } from 'node:crypto';
import { type Dataset, label, volumeName } from '../../../api/index.ts';
import type { Role } from '../../../constructs/index.ts';
import type { Cluster } from '../../cluster.ts';
import { identityOf } from '../../identity.ts';
import { differences, pathsOf } from '../../diff/mount-change.ts';
import { holdOf } from '../../diff/mount-trouble.ts';
import { CALCULATING, mountsChanged } from '../../status/dataset.ts';
import { type LiveObject, ROLES, type RuntimeObject, type WorkloadView, type World } from '../../world.ts';
import { PARTS } from '../../../constructs/index.ts';
import { askProbe, NO_LEADER } from '../commands/exec.ts';
import { workloadKind } from '../kinds.ts';
import { canAsk, type Context, podChoice, whereOf } from '../context.ts';
import { planner } from '../plans/planning.ts';
import { evidence } from './survivors.ts';
import { fluidsWorkloads, unseen } from './unseen.ts';
import { isServed, workloadView } from '../store/views.ts';

/** How often a failed metadata count or mount list is retried. */
const RETRY_MS = 10_000;
/** Answers of probes that come within this time are reported together; until then, that they run is not reported either. */
const ANSWERS_WITHIN_MS = 1000;
/** How long a first set-up waits for the first answers. */
const FIRST_ANSWERS_MS = 300;

/** Observes the world of one pass: the objects from the watches, the plan with its facts, and the last results of the probes. */
export function observer(context: Context): Cluster['observe'] {
  const { store, jobs, exec, mountTries, probeMs, secretMs = 300_000, wake, now } = context;
  const planned = planner(context);
  return async (key, dataset, runtime, object, invalid) => {
    const { namespace, name } = key;
    const { uid = '' } = object.metadata;
    const claimNow = () => store.live('PersistentVolumeClaim', namespace, name);
    const identity = identityOf(key, evidence(store, key, { dataset, runtime: object, claimed: volumeOf(claimNow(), uid) }));
    const bound = isServed(dataset);
    const owner = { uid, namespace, name };
    const names = runtime.workloads(name);
    const fluids = await fluidsWorkloads(context, owner, names, bound, object.status);
    const workload = (role: Role) => store.live(workloadKind(role), namespace, names[role]) ?? fluids.get(role);
    const viewOf = (roles: readonly Role[]) => {
      const workloads: Partial<Record<Role, WorkloadView>> = {};
      for (const role of roles) {
        const live = workload(role);
        if (live) workloads[role] = workloadView(live, store.pods(live.metadata));
      }
      return workloads;
    };

    const found = await planned({ key, dataset, runtime, object, invalid, identity, bound, workload });
    if ('reason' in found) return { hold: found, bound, workloads: viewOf(ROLES) };
    const { plan, outlines, cacheAffinity, facts, missingSecrets, secretRetryMs, obstacle } = found;
    const workloads = viewOf(plan.roles);
    const choice = podChoice(store, key, runtime, plan.leader);
    const woken = () => wake(key);

    const cache =
      probeMs > 0 && canAsk(choice, plan.probes.cache)
        ? jobs.ask(
            `${uid}/cache`,
            { namespace, version: '', everyMs: probeMs },
            (before) => askProbe(exec, choice, plan.probes.cache!, before),
            woken,
          )
        : undefined;
    const masters = choice
      .pods('master')
      // A master that was restarted in its pod has lost its mounts as well.
      .map(({ metadata, restarts }) => `${metadata.uid}/${restarts}`)
      .join();
    const table = plan.mounts && canAsk(choice, plan.mounts.list) ? plan.mounts : undefined;
    const tried = `${dataset.metadata.generation}/${object.metadata.generation}/${masters}`;
    const mounts =
      table &&
      jobs.ask(
        `${uid}/mounts`,
        {
          namespace,
          version: `${dataset.metadata.generation}/${masters}`,
          everyMs: Math.min(retryOf(jobs.state(`${uid}/mounts`).error), mountTries.relistMs(uid, tried)),
        },
        () => askProbe(exec, choice, table.list),
        woken,
      );
    const {
      mounted,
      mountTroubles = [],
      mountsTriedAt,
      againMs: rowAgainMs = Infinity,
    } = {
      ...(table && mounts && mountTries.seen(uid, tried, table, mounts, (text) => reportedMs(text, dataset, object, now()))),
    };
    const total = dataset.status?.ufsTotal;
    // Files can be counted once the mounts are in effect, while the workers still start.
    const isMounted = !plan.mounts || (mounted && pathsOf(differences(plan.mounts, mounted)).length === mountTroubles.length);
    const wantsCount = (bound || isMounted) && (!total || total === CALCULATING || (mountsChanged(dataset) && isMounted));
    const counts = wantsCount && canAsk(choice, plan.probes.ufs);
    const wanted = [probeMs > 0 ? plan.probes.cache : undefined, wantsCount ? plan.probes.ufs : undefined, plan.mounts?.list];
    store.awaitFuse(
      uid,
      wanted.some((probe) => probe && whereOf(probe).some((each) => each.in === 'fuse') && !canAsk(choice, probe)),
    );
    const ufs = counts
      ? jobs.ask(
          `${uid}/ufs`,
          { namespace, version: `${dataset.metadata.generation}`, everyMs: Math.max(probeMs, RETRY_MS) },
          () => askProbe(exec, choice, plan.probes.ufs!),
          woken,
        )
      : undefined;
    const error = mounts?.error ?? jobs.state(`${uid}/run`).error;
    const runningMs = [cache, ufs].map((job) => (job?.running ? now() - (job.startedAt ?? 0) : Infinity));
    const answersIn = Math.max(0, ANSWERS_WITHIN_MS - Math.min(...runningMs));
    const firstIn = bound ? 0 : FIRST_ANSWERS_MS - Math.min(...runningMs);
    const answered = answersIn <= 0;
    const again = [
      ...(rowAgainMs === Infinity ? [] : [rowAgainMs]),
      ...(cache ? [probeMs] : []),
      ...(answered ? [] : [answersIn]),
      ...(ufs?.error === undefined ? [] : [Math.max(probeMs, RETRY_MS)]),
      ...(secretMs > 0 && (Object.keys(facts.secrets).length > 0 || writesSecrets(found)) ? [spread(uid, secretMs)] : []),
    ];

    const volume = store.live('PersistentVolume', undefined, volumeName(identity));
    // A bound volume has a claim; one that no watch shows has lost its label, or never had one.
    const claim = claimNow() ?? (isBound(volume) ? await unseen(context, 'PersistentVolumeClaim', owner, name) : undefined);
    const world: World = {
      now: now(),
      key,
      dataset,
      runtime: object,
      plan,
      companions: Object.keys(facts.objects).flatMap((id) => {
        const [kind = '', companion = ''] = id.split('/');
        return store.seen(kind, undefined, companion) ?? [];
      }),
      outlines,
      cacheAffinity,
      bound,
      workloads,
      names,
      ...(volume && { volume }),
      ...(claim && { claim }),
      missingSecrets,
      ...(secretRetryMs !== undefined && { secretRetryMs }),
      probes: {
        ...(answered && cache?.value !== undefined && { cache: cache.value }),
        cacheRunning: !answered || (cache?.running ?? false),
        ...(answered && ufs?.value && { ufs: ufs.value }),
        ufsRunning: answered && (ufs?.running ?? false),
      },
      ...(firstIn > 0 && { answersInMs: firstIn }),
      ...(mounted && { mounted }),
      ...(mounts?.running && { listing: true }),
      ...(mountsTriedAt && { mountsTriedAt }),
      mountTroubles,
      mountsDiffer: holdOf(mountTroubles),
      ...(error === NO_LEADER && { leaderless: true }),
      ...(error !== undefined && error !== NO_LEADER && { execError: error, changeFailed: mounts?.error === undefined }),
      ...(obstacle && { obstacle }),
      ...(again.length > 0 && { againMs: Math.min(...again) }),
    };
    return {
      world,
      identity,
      marks: {
        ports: facts.ports,
        claims: Object.entries(facts.claims).map(([claimed, { uid: claimUid }]) => ({ name: claimed, uid: claimUid })),
      },
    };
  };
}

/** Secrets are not watched, nor are the Secrets that they are copied from, so they are read again by the clock. */
const writesSecrets = ({ outlines }: Pick<World, 'outlines'>): boolean =>
  PARTS.some((part) => outlines(part).some(({ kind }) => kind === 'Secret'));

/** Between half of `ms` and all of it, so that runtimes which were set up together do not read at the same time. */
const spread = (uid: string, ms: number): number => Math.round(ms * (0.5 + Number.parseInt(hash('sha1', uid).slice(0, 4), 16) / 0x1ffff));

/** Milliseconds until a failed list is retried; sooner without a leader, since an election takes moments. */
const retryOf = (error: string | undefined): number => (error === undefined ? Infinity : error === NO_LEADER ? 1000 : RETRY_MS);

const isBound = (volume: LiveObject | undefined): boolean => volume?.status?.['phase'] === 'Bound';

/** How many milliseconds ago any process reported this text about a mount of the same specs; undefined if none did. */
function reportedMs(text: string, { metadata, status }: Dataset, object: RuntimeObject, now: number): number | undefined {
  const isSame = metadata.generation === status?.observedGeneration && object.metadata.generation === object.status?.observedGeneration;
  const differ = object.status?.conditions?.find(({ type, message }) => type === 'MountsDiffer' && message?.includes(` ${text}`));
  return isSame && differ ? now - Date.parse(differ.lastTransitionTime ?? '') || 0 : undefined;
}

/** The name of the volume of a claim that this runtime owns. */
const volumeOf = (claim: LiveObject | undefined, owner: string): string | undefined =>
  claim?.metadata.labels?.[label.owner] === owner ? (claim['spec'] as { volumeName?: string }).volumeName : undefined;
