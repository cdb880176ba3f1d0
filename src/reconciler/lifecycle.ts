import type { Part, Role } from '../constructs/index.ts';
import { differences, pathsOf, without } from './diff/mount-change.ts';
import { holdOf } from './diff/mount-trouble.ts';
import { missingText } from './status/secret-text.ts';
import { some } from './status/some.ts';
import type { Hold, LiveObject, Step, World } from './world.ts';

const ensure =
  (part: Part): Step =>
  () => ({ action: { ensure: part } });

/** A workload that serves: every master, or one of the workers. Once bound, one master is enough to stay so. */
const untilReady =
  (role: 'master' | 'worker'): Step =>
  (world) => {
    if (!world.plan.roles.includes(role) || isReady(world, role)) return {};
    const { ready = 0, desired = world.plan.plan.replicas[role] ?? 0 } = world.workloads[role] ?? {};
    return { hold: { reason: `${titles[role]}NotReady`, message: `${ready} of ${desired} ${role} pods are ready` } };
  };

const titles = { master: 'Master', worker: 'Workers' } as const;

function isReady({ workloads, bound }: World, role: Role): boolean {
  const workload = workloads[role];
  if (!workload) return false;
  if (workload.desired === 0) return true;
  return workload.ready >= (role === 'master' && !bound ? workload.desired : 1);
}

/** Pods would only fail to start; and what is created now need not be undone. */
const secretsPresent: Step = ({ missingSecrets, secretRetryMs = 1000, key, dataset, runtime }) => {
  if (missingSecrets.length === 0) return {};
  const specs = { Dataset: dataset.spec, [runtime.kind]: runtime.spec };
  const message = `waiting for ${some(missingSecrets, (missing) => missingText(missing, key.namespace, specs))}`;
  return { hold: { reason: 'SecretNotFound', message, retryMs: secretRetryMs } };
};

/** The end of a command wakes us; a command that failed does so only once. */
const MOUNTS_AGAIN_MS = 5000;

/** Mounts that are changed by one command: Linux takes no argument of more than 128 KiB. */
const AT_ONCE = 100;

/** No row is changed again sooner than that. */
const SAME_AGAIN_MS = 1000;

/** An election is over in moments, and nobody tells us. */
const LEADER_AGAIN_MS = 1000;

/**
 * Wanted minus mounted is mounted, mounted minus wanted is unmounted, what changed is both, and we wait until the list shows it. Where it
 * does not, that row waits for its turn, and holds up nothing but a first set-up whose readers would miss it.
 */
const alignMounts: Step = ({
  now,
  plan: { mounts },
  mounted,
  listing = false,
  mountTroubles = [],
  mountsTriedAt,
  bound,
  leaderless,
  execError,
  changeFailed,
}) => {
  if (!mounts) return {};
  if (leaderless) return { hold: { reason: 'NoLeader', message: 'none of the masters says that it leads', retryMs: LEADER_AGAIN_MS } };
  const lasting = { isError: execError !== undefined, retryMs: MOUNTS_AGAIN_MS };
  if (!mounted) {
    const message = execError ?? 'no master could be asked for its mounts yet';
    // A process that begins asks thousands, a few at a time. The answer wakes us.
    const isAsking = bound && listing && !execError;
    // As it was told before the list was asked for once more.
    const reason = changeFailed ? 'MountsChanging' : 'MountsUnknown';
    return { hold: { reason, message, ...(isAsking ? { silent: true } : lasting) } };
  }
  const waiting = new Set(mountTroubles.filter(({ isDue }) => !isDue).map(({ path }) => path));
  const change = without(differences(mounts, mounted), waiting);
  const rows = pathsOf(change);
  const known = new Set(mountTroubles.map(({ path }) => path));
  const lack = bound ? undefined : holdOf(mountTroubles.filter(({ isLack }) => isLack));
  const count = rows.length === 1 ? '1 mount' : `${rows.length} mounts`;
  const changing: Hold = { reason: 'MountsChanging', message: execError ?? `${count} to change`, ...lasting };
  const hold = rows.length > 0 && (execError !== undefined || rows.some((path) => !known.has(path))) ? changing : lack;
  // The list shows what is left to do: that comes first which was not tried yet, so that what is refused keeps nothing from its turn.
  const triedAt = (path: string) => mountsTriedAt?.get(path) ?? -Infinity;
  const inTurn = rows.filter((path) => now - triedAt(path) >= SAME_AGAIN_MS).toSorted((a, b) => triedAt(a) - triedAt(b) || 0);
  const due = new Set(inTurn.slice(0, AT_ONCE));
  const next = without(change, new Set(rows.filter((path) => !due.has(path))));
  return { ...(due.size > 0 && { action: { run: mounts.change(next), change: next } }), ...(hold && { hold }) };
};

const phaseOf = (object: LiveObject | undefined): unknown => object?.status?.['phase'];
const volumeNameOf = (claim: LiveObject): string | undefined => (claim['spec'] as { volumeName?: string } | undefined)?.volumeName;
const claimUidOf = (volume: LiveObject): string | undefined =>
  (volume['spec'] as { claimRef?: { uid?: string } } | undefined)?.claimRef?.uid;

/** No claim has it, and the volume controller knows. Failed: it could not delete it, as a reclaim policy of another hand told it to. */
const FREE: ReadonlySet<unknown> = new Set(['Available', 'Released', 'Failed']);
const isFree = ({ volume }: World): boolean => !volume || (!volume.metadata.deletionTimestamp && FREE.has(phaseOf(volume)));

/**
 * Before its volume, which is made with the claim's UID in it. A claim that comes while the volume is still that of an earlier one would
 * keep the volume controller from noticing that this one has gone.
 */
const ensureClaim: Step = (world) => {
  if (!world.claim && !isFree(world)) return { hold: pending(`${String(phaseOf(world.volume))} to a claim that is gone`) };
  const action = { ensure: 'claim' } as const;
  return world.claim?.metadata.deletionTimestamp ? { action, hold: CLAIM_GOING } : { action };
};

/** No pod can start with it any more; those that have it keep it, and its end will wake us. */
const CLAIM_GOING: Hold = {
  reason: 'VolumePending',
  message: 'the claim is being deleted, and made again once no pod mounts it; until then no other pod can mount it',
};
const AT_ONCE_MS = 1;
const pending = (state: string): Hold => ({ reason: 'VolumePending', message: `volume is ${state}` });

/** A claim of our making names its volume, and the volume names the claim with its UID: only the phase is left to the volume controller. */
const volumeBound: Step = ({ volume, claim }) => {
  const phase = phaseOf(volume);
  if (!volume) return { hold: pending('not there yet') };
  // It is made in this pass, and the event of that wakes nobody.
  if (!claim) return { hold: { ...pending(String(phase)), retryMs: AT_ONCE_MS } };
  const named = volumeNameOf(claim);
  // The claim of an earlier version, or of Fluid, may be bound to another volume for good.
  if (named !== undefined && named !== volume.metadata.name) return {};
  if (claimUidOf(volume) === claim.metadata.uid) return phase === 'Bound' ? {} : { hold: pending(String(phase)) };
  if (volume.metadata.deletionTimestamp) return { hold: pending('being deleted') };
  const hold: Hold = { reason: 'VolumeReleased', message: 'the volume remembers another claim; it is being given to the new one' };
  if (FREE.has(phase)) return { action: { release: volume, seen: claim, to: claim }, hold };
  // That its phase changes is what shows that the volume controller has seen it.
  return phase === 'Bound' ? { action: { release: volume, seen: claim }, hold } : { hold: pending(String(phase)) };
};

/** It has everything that it needs, and all events that it gets; but one may have come before the other. */
const NOT_BEGUN_MS = 500;

/**
 * The volume controller does not look at a claim when its volume becomes Bound (pv_controller.go, syncVolume), but at a change of the
 * claim. What it would note there itself is noted by us: so it has only the phase to write.
 */
const completeClaim: Step = ({ volume, claim }) => {
  const isWaiting = phaseOf(claim) === 'Pending' || phaseOf(claim) === 'Lost';
  if (!volume || !claim || !isWaiting) return {};
  const named = volumeNameOf(claim);
  // One that names no volume is looked at again when the volume is.
  if (named === undefined) return { action: { nudge: claim, afterMs: NOT_BEGUN_MS } };
  const isBound = named === volume.metadata.name && phaseOf(volume) === 'Bound' && claimUidOf(volume) === claim.metadata.uid;
  return isBound ? { action: { complete: claim } } : {};
};

/** The order of setup. */
export const lifecycle: readonly Step[] = [
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
