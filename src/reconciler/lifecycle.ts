import { ownerUid } from '../api/index.ts';
import type { MountChange, Part, Role } from '../constructs/index.ts';
import { isRunnable } from '../constructs/startable.ts';
import { differences, pathsOf, without } from '../planning/diff/mount-change.ts';
import { holdOf } from '../planning/diff/mount-trouble.ts';
import { keptBy } from './status/kept.ts';
import { lastingPods, whyUnstarted } from './status/pods-pending.ts';
import { missingText } from '../planning/secret-text.ts';
import { some } from '../planning/some.ts';
import type { Step } from './steps.ts';
import type { Action, Hold, LiveObject, MountsInForce, MountsObserved, World } from './world.ts';

type LifecycleStep = Step<World, Action>;

const ensure =
  (part: Part): LifecycleStep =>
  () => ({ actions: [{ do: 'ensure', part }] });

/** A workload that serves: every master, or one of the workers. Once bound, one master is enough to stay so. */
const untilReady =
  (role: 'master' | 'worker'): LifecycleStep =>
  (world) => {
    if (!world.plan.roles.includes(role) || isReady(world, role)) return {};
    const { ready = 0, desired = world.plan.base.replicas[role] ?? 0 } = world.workloads[role] ?? {};
    const refusal = world.refusals?.[role]?.why;
    const why = refusal === undefined ? '' : `; Kubernetes refuses others: ${refusal}`;
    const [unstarted] = lastingPods(world, role);
    const which = unstarted ? `; pod ${whyUnstarted(unstarted)}` : '';
    return { hold: { reason: `${titles[role]}NotReady`, message: `${ready} of ${desired} ${role} pods are ready${which}${why}` } };
  };

const titles = { master: 'Master', worker: 'Workers' } as const;

function isReady({ workloads, bound }: World, role: Role): boolean {
  const workload = workloads[role];
  if (!workload) return false;
  if (workload.desired === 0) return true;
  return workload.ready >= (role === 'master' && !bound ? workload.desired : 1);
}

/** Without these Secrets pods would only fail to start, and what was created until then would have to be undone. */
const secretsPresent: LifecycleStep = ({ missingSecrets, secretRetryMs = 1000, key, dataset, runtime }) => {
  if (missingSecrets.length === 0) return {};
  const specs = { Dataset: dataset.spec, [runtime.kind]: runtime.spec };
  const message = `waiting for ${some(missingSecrets, (missing) => missingText(missing, key.namespace, specs))}`;
  return { hold: { reason: 'SecretNotFound', message, afterMs: secretRetryMs } };
};

/** The end of a command requeues the key; a failed command does so only once. */
const MOUNTS_AGAIN_MS = 5000;

/** Mounts that are changed by one command; fewer if it would be too long to be run. */
const AT_ONCE = 100;

/** The least time between two changes of one row. */
const SAME_AGAIN_MS = 1000;

/** An election takes moments, and its end causes no event. */
export const LEADER_AGAIN_MS = 1000;

/**
 * Mounts the rows that are wanted and not listed, and unmounts those that are listed and not wanted; a changed row is both. Then the pass
 * waits until the engine lists the result. A row that it lists otherwise waits for its retry; it holds up only a first set-up, and only
 * when readers would miss the row.
 */
const alignMounts: LifecycleStep = ({ plan: { mounts: table }, mounts: observed = UNASKED, bound }) => {
  if (!table) return {};
  if (observed.is === 'leaderless')
    return { hold: { reason: 'NoLeader', message: 'no master reports that it leads', afterMs: LEADER_AGAIN_MS } };
  const { troubles, failed } = observed;
  const lasting = { isError: failed !== undefined, afterMs: MOUNTS_AGAIN_MS };
  if (observed.is === 'unlisted') {
    // A new process asks thousands of masters, a few at a time. The answer requeues the key.
    const isAsking = bound && observed.isListing && !failed;
    // The same reason as was reported before the mounts were listed again.
    const reason = failed?.isChange ? 'MountsChanging' : 'MountsUnknown';
    const message = failed?.message ?? 'no master has reported its mounts yet';
    return { hold: { reason, message, ...(isAsking ? { silent: true } : lasting) } };
  }
  const waiting = new Set(troubles.filter(({ isDue }) => !isDue).map(({ path }) => path));
  const change = without(differences(table, observed.rows), waiting);
  const rows = pathsOf(change);
  const known = new Set(troubles.map(({ path }) => path));
  const lack = bound ? undefined : holdOf(troubles.filter(({ isLack }) => isLack));
  const count = rows.length === 1 ? '1 mount' : `${rows.length} mounts`;
  const changing: Hold = { reason: 'MountsChanging', message: failed?.message ?? `${count} to change`, ...lasting };
  const hold = rows.length > 0 && (failed !== undefined || rows.some((path) => !known.has(path))) ? changing : lack;
  // Rows that were never tried come first, so that rows which the engine refuses delay no others.
  const triedMs = (path: string) => observed.triedMs?.get(path) ?? Infinity;
  const inTurn = rows.filter((path) => triedMs(path) >= SAME_AGAIN_MS).toSorted((a, b) => triedMs(b) - triedMs(a) || 0);
  return { ...(inTurn.length > 0 && { actions: [changeOf(table, change, inTurn, AT_ONCE)] }), ...(hold && { hold }) };
};
/** No pod that could be asked. */
const UNASKED: MountsObserved = { is: 'unlisted', isListing: false, troubles: [] };

function changeOf(mounts: MountsInForce, change: MountChange, inTurn: readonly string[], most: number): Action {
  const due = new Set(inTurn.slice(0, most));
  const next = without(change, new Set(pathsOf(change).filter((path) => !due.has(path))));
  const commands = mounts.change(next);
  const isTooLong = due.size > 1 && !commands.every(({ argv }) => isRunnable(argv));
  return isTooLong ? changeOf(mounts, change, inTurn, due.size >> 1) : { do: 'run', commands, change: next };
}

const phaseOf = (object: LiveObject | undefined): unknown => object?.status?.['phase'];
const volumeNameOf = (claim: LiveObject): string | undefined => (claim['spec'] as { volumeName?: string } | undefined)?.volumeName;
const claimUidOf = (volume: LiveObject): string | undefined =>
  (volume['spec'] as { claimRef?: { uid?: string } } | undefined)?.claimRef?.uid;

/** The volume controller has recorded that no claim has the volume. Failed: a reclaim policy set by another writer made it try a deletion. */
const FREE: ReadonlySet<unknown> = new Set(['Available', 'Released', 'Failed']);
const isFree = ({ volume }: World): boolean => !volume || (!volume.metadata.deletionTimestamp && FREE.has(phaseOf(volume)));

/**
 * Before its volume, which is created with the claim's UID. A claim that is created while the volume still belongs to an earlier claim
 * would keep the volume controller from noticing that the earlier one is gone.
 */
const ensureClaim: LifecycleStep = (world) => {
  const { volume } = world;
  if (!world.claim && volume && !isFree(world))
    return {
      hold: volume.metadata.deletionTimestamp
        ? kept(pending('is being deleted; the controller creates claim and volume again after that'), volume)
        : pending(`is ${String(phaseOf(volume))} to a claim that no longer exists`),
    };
  if (world.claim && isMisled(world, world.claim)) return { actions: [{ do: 'discard', object: world.claim }], hold: CLAIM_MISLED };
  const actions = [{ do: 'ensure', part: 'claim' }] as const;
  return world.claim?.metadata.deletionTimestamp ? { actions, hold: kept(CLAIM_GOING, world.claim) } : { actions };
};

/** No further pod can mount the claim; pods that mount it keep it. Its deletion requeues the key. */
const CLAIM_GOING: Hold = {
  reason: 'VolumePending',
  message: 'the claim is being deleted; the controller creates it again once no pod mounts it. Until then no other pod can mount it',
};
/** Kubernetes keeps a volume that is bound, and lets nobody take a deletion back. Users' pods are not watched. */
const VOLUME_GOING: Hold = {
  reason: 'VolumePending',
  message: 'the volume is being deleted; the controller creates claim and volume again once no pod mounts the claim',
  afterMs: 10_000,
};
/**
 * Two new Datasets wanted the same names, and this one lost them after its claim was created; or the claim is of another cluster, where the
 * Dataset had other names. Kubernetes lets nobody change the volume that a claim names. The deletion requeues the key.
 */
const CLAIM_MISLED: Hold = {
  reason: 'VolumePending',
  message: 'the claim names a volume that is not of this Dataset; the controller creates it again with the name of its own',
};
function isMisled({ desiredObjects, runtime, claimIsLeft }: World, claim: LiveObject): boolean {
  if (claim.metadata.deletionTimestamp) return false;
  if (claimIsLeft) return true;
  if (ownerUid(claim) !== runtime.metadata.uid || !UNBOUND.has(phaseOf(claim))) return false;
  const named = volumeNameOf(claim);
  return named !== undefined && !desiredObjects('volume').some(({ kind, name }) => kind === 'PersistentVolume' && name === named);
}
const UNBOUND: ReadonlySet<unknown> = new Set(['Pending', 'Lost']);
const AT_ONCE_MS = 1;
const pending = (state: string): Hold => ({ reason: 'VolumePending', message: `the volume ${state}` });

const kept = (hold: Hold, object: LiveObject): Hold => ({ ...hold, message: `${hold.message}${keptBy(object)}` });

/** Our claim names its volume, and our volume names the claim with its UID. So the volume controller has only the phase to write. */
const volumeBound: LifecycleStep = ({ volume, claim }) => {
  const phase = phaseOf(volume);
  if (!volume) return { hold: pending('does not exist yet') };
  // This pass creates the claim, and the event of that creation does not requeue the key.
  if (!claim) return { hold: { ...pending(`is ${String(phase)}`), afterMs: AT_ONCE_MS } };
  if (volume.metadata.deletionTimestamp && phase === 'Bound')
    return { ...(!claim.metadata.deletionTimestamp && { actions: [{ do: 'vacate', claim }] as const }), hold: kept(VOLUME_GOING, volume) };
  const named = volumeNameOf(claim);
  // The claim of an earlier version, or of Fluid, may be bound to another volume for good.
  if (named !== undefined && named !== volume.metadata.name) return {};
  if (claimUidOf(volume) === claim.metadata.uid) return phase === 'Bound' ? {} : { hold: pending(`is ${String(phase)}`) };
  if (volume.metadata.deletionTimestamp) return { hold: kept(pending('is being deleted'), volume) };
  const hold: Hold = { reason: 'VolumeReleased', message: 'the volume names another claim; the controller gives it to the new one' };
  if (FREE.has(phase)) return { actions: [{ do: 'release', volume, seen: claim, to: claim }], hold };
  // A change of its phase shows that the volume controller has seen this.
  return phase === 'Bound' ? { actions: [{ do: 'release', volume, seen: claim }], hold } : { hold: pending(`is ${String(phase)}`) };
};

/** The volume controller has received every event by then; it may have received the claim before its volume. */
const NOT_BEGUN_MS = 500;

/**
 * The volume controller does not reconcile a claim when its volume becomes Bound (pv_controller.go, syncVolume), only when the claim
 * changes. This controller writes what that one would write into the claim, so that only the phase is left to it.
 */
const completeClaim: LifecycleStep = ({ volume, claim }) => {
  const isWaiting = phaseOf(claim) === 'Pending' || phaseOf(claim) === 'Lost';
  if (!volume || !claim || !isWaiting) return {};
  const named = volumeNameOf(claim);
  // A claim that names no volume is reconciled with its volume.
  if (named === undefined) return { actions: [{ do: 'nudge', claim, afterMs: NOT_BEGUN_MS }] };
  const isBound = named === volume.metadata.name && phaseOf(volume) === 'Bound' && claimUidOf(volume) === claim.metadata.uid;
  return isBound ? { actions: [{ do: 'complete', claim }] } : {};
};

/** The order of setup. */
export const lifecycle: readonly LifecycleStep[] = [
  secretsPresent,
  ensure('master'),
  ensure('fuse'), // inert until the CSI plugin labels a node
  untilReady('master'),
  alignMounts,
  ensure('worker'),
  untilReady('worker'),
  ensureClaim, // now: a claim that binds is a promise that reads will work
  ensure('volume'),
  volumeBound,
  completeClaim,
];
