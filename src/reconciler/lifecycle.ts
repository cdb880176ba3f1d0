import type { Part, Role } from '../constructs/index.ts';
import type { LiveObject, Step, World } from './world.ts';

const ensure =
  (part: Part): Step =>
  () => ({ action: { ensure: part } });

/** A workload that serves: every master, or one of the workers. Once bound, one master is enough to stay so. */
const untilReady =
  (role: 'master' | 'worker'): Step =>
  (world) => {
    if (!world.plan.roles.includes(role) || isReady(world, role)) return {};
    const { ready = 0, desired = world.plan.plan.replicas[role] ?? 0 } = world.workloads[role] ?? {};
    return { hold: { reason: `${titles[role]}NotReady`, message: `${ready} of ${desired} ${role} pods are ready`, passing: true } };
  };

const titles = { master: 'Master', worker: 'Workers' } as const;

function isReady({ workloads, bound }: World, role: Role): boolean {
  const workload = workloads[role];
  if (!workload) return false;
  if (workload.desired === 0) return true;
  return workload.ready >= (role === 'master' && !bound ? workload.desired : 1);
}

/** Pods would only fail to start; and what is created now need not be undone. */
const secretsPresent: Step = ({ missingSecrets, secretRetryMs = 1000 }) =>
  missingSecrets.length === 0
    ? {}
    : { hold: { reason: 'SecretNotFound', message: `waiting for Secret ${missingSecrets.join(', ')}`, retryMs: secretRetryMs } };

/** The end of a command wakes us; a command that failed does so only once. */
const MOUNTS_AGAIN_MS = 5000;

/** Wanted minus mounted is mounted, mounted minus wanted is unmounted, and we wait until the list shows it. */
const alignMounts: Step = ({ plan: { mounts }, mounted, execError }) => {
  if (!mounts) return {};
  const lasting = { passing: !execError, retryMs: MOUNTS_AGAIN_MS };
  if (!mounted)
    return { hold: { reason: 'MountsUnknown', message: execError ?? 'no master could be asked for its mounts yet', ...lasting } };
  const wanted = new Set(mounts.wanted.map(({ path }) => path));
  const commands = [
    ...mounted.filter((path) => !wanted.has(path)).map((path) => mounts.unmount(path)),
    ...mounts.wanted.filter(({ path }) => !mounted.includes(path)).map(({ mount }) => mount),
  ];
  if (commands.length === 0) return {};
  return {
    action: { run: commands },
    hold: { reason: 'MountsChanging', message: execError ?? `${commands.length} mounts to change`, ...lasting },
  };
};

/** Free for a claim to bind, or bound by ours. */
const volumeIsOpen = ({ volume, claim }: World): boolean => {
  const phase = volume?.status?.['phase'];
  return phase === 'Available' || (phase === 'Bound' && claim !== undefined);
};

const volumeAvailable: Step = (world) => {
  if (volumeIsOpen(world)) return {};
  const { volume, claim } = world;
  const phase = volume?.status?.['phase'];
  if (volume && phase === 'Released' && !claim)
    return {
      action: { release: volume },
      hold: { reason: 'VolumeReleased', message: 'the claim was lost; its volume is being freed', passing: true },
    };
  return { hold: { reason: 'VolumePending', message: `volume is ${String(phase ?? 'not there yet')}`, passing: true } };
};

/** A claim made while its volume still remembers another one is not looked at again for 15 s, so even a bound dataset waits. */
const ensureClaim: Step = (world) => (world.claim || volumeIsOpen(world) ? { action: { ensure: 'claim' } } : {});

/** A claim whose volume was taken from under it is Lost, and no other volume of the name will do but one that names its UID. */
const rebindClaim: Step = ({ volume, claim }) =>
  volume?.status?.['phase'] === 'Available' && claim?.status?.['phase'] === 'Lost' && volumeNameOf(claim) === volume.metadata.name
    ? {
        action: { release: volume, to: claim },
        hold: { reason: 'ClaimLost', message: 'the volume was lost; its claim is being bound to the new one', passing: true },
      }
    : {};
const volumeNameOf = (claim: LiveObject): string | undefined => (claim['spec'] as { volumeName?: string } | undefined)?.volumeName;

/** Binding takes the controller manager two requests; what is not done by then was forgotten. */
const BOUND_BY_HALF_MS = 100;
/** A claim that it has not even begun to bind: its view of the volume was old when the claim came. */
const NOT_BEGUN_MS = 500;

/**
 * The controller manager binds in two steps that race with each other; when the second loses, the claim stays Pending (or Lost) until its
 * 15 s resync although the volume is Bound (pv_controller.go, bind). An event on the claim makes it look again.
 */
const nudgeClaim: Step = ({ volume, claim }) => {
  const phase = volume?.status?.['phase'];
  const claimPhase = claim?.status?.['phase'];
  if (!claim || (claimPhase !== 'Pending' && claimPhase !== 'Lost')) return {};
  if (phase === 'Bound') return { action: { nudge: claim, afterMs: BOUND_BY_HALF_MS } };
  return phase === 'Available' && claimPhase === 'Pending' ? { action: { nudge: claim, afterMs: NOT_BEGUN_MS } } : {};
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
  ensure('volume'),
  volumeAvailable, // a claim made before its volume is seen waits for the controller manager's 15 s resync
  ensureClaim, // last: a claim that binds is a promise that reads will work
  rebindClaim,
  nudgeClaim,
];
