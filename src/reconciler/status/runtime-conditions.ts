import { holdOf } from '../../planning/diff/mount-trouble.ts';
import type { RuntimeCondition } from '../../api/index.ts';
import { type UntimedCondition, withCondition, withoutCondition } from './conditions.ts';
import { some } from '../../planning/some.ts';
import { placementOf } from './unsynced.ts';
import { type Applied, type Hold, ROLES, type World } from '../world.ts';
import { engineStatusOf } from './cache.ts';
import { lastWords } from '../../planning/last-words.ts';
import { podConditions, withoutPodConditions } from './pods.ts';
import { pendingOf } from './pods-pending.ts';
import { UNAVAILABLE } from '../../planning/attention.ts';
import { unavailableOf } from './unavailable.ts';

export function runtimeConditions(world: World, applied: Applied, unsynced: Hold | undefined): readonly RuntimeCondition[] {
  const { workloads, now } = world;
  let conditions = engineStatusOf(world).mirrored ? withoutPodConditions(world) : podConditions(world);
  const set = (condition: UntimedCondition) => {
    conditions = withCondition(conditions, condition, now, 'lastProbeTime');
  };
  const setIf = (type: string, message: string | undefined, reason = type) => {
    if (message) set({ type, status: 'True', reason, message });
    else conditions = withoutCondition(conditions, type);
  };
  const scaled = scaledCondition(world);
  if (scaled) {
    // Scaled from 1 to 3 once more is news, though the words are the same.
    conditions = withoutCondition(conditions, scaled.type);
    set(scaled);
  }
  conditions = withSync(conditions, unsynced, now);
  const outdated = Object.values(workloads).flatMap((workload) => workload?.outdated ?? []);
  setIf('PodsOutdated', outdated.length > 0 ? `These pods run an older template until they are deleted: ${some(outdated)}` : undefined);
  setIf('PodsCrashing', crashesOf(workloads), 'ContainersEnd');
  const pending = pendingOf(world);
  setIf('PodsPending', pending?.message, pending?.reason);
  // Until Kubernetes was asked, the condition stays as it was.
  if (!Object.values(world.refusals ?? {}).some(({ why }) => why === undefined)) setIf('PodsRefused', refusalsOf(world), 'FailedCreate');
  const unavailable = unavailableOf(world);
  if (unavailable !== 'unknown') setIf(UNAVAILABLE, unavailable?.message, unavailable?.reason);
  const warnings = world.plan.base.warnings;
  setIf('SpecWarning', warnings.map(({ message }) => message).join('; '), warnings[0]?.reason);
  setIf('PlacementWaiting', placementOf(applied)?.message, 'NodesInUse');
  // Until the mounts are listed, the condition stays as it was.
  if (!world.plan.mounts || world.mounts?.is === 'listed') setIf('MountsDiffer', holdOf(world.mounts?.troubles ?? [])?.message);
  setIf(
    'ImmutableFieldChanged',
    applied.immutable.length > 0
      ? `Kubernetes does not allow a change of these fields. Delete the object and the controller creates it again; for a PersistentVolume, delete its claim once no pod mounts it: ${some(applied.immutable.map(({ object, path, live, desired }) => `${object} ${path}: ${short(live)} → ${short(desired)}`))}`
      : undefined,
  );
  return conditions;
}

/** Sets `Synced`. The runtime serves its dataset, or should, so the condition that another one does is removed. */
export const withSync = (conditions: readonly RuntimeCondition[], trouble: Hold | undefined, now: number): readonly RuntimeCondition[] =>
  withCondition(
    withoutCondition(conditions, 'DatasetTaken'),
    trouble
      ? { type: 'Synced', status: 'False', reason: trouble.reason, message: trouble.message }
      : { type: 'Synced', status: 'True', reason: 'Synced', message: 'Every object is as the spec says.' },
    now,
    'lastProbeTime',
  );

/** The output of one of them: they mostly end for one reason. */
function crashesOf(workloads: World['workloads']): string | undefined {
  const crashing = ROLES.flatMap((role) => workloads[role]?.crashing ?? []);
  const [first] = crashing;
  return first && `Containers of these pods end and are started again: ${some(crashing, ({ name }) => name)}. The ${lastWords(first)}`;
}

function refusalsOf({ refusals = {}, workloads, names }: World): string | undefined {
  const texts = ROLES.flatMap((role) => {
    const { current = 0, desired = 0 } = workloads[role] ?? {};
    const why = refusals[role]?.why;
    const object = `${role === 'fuse' ? 'DaemonSet' : 'StatefulSet'}/${names[role]}`;
    return why === undefined ? [] : `${object} has ${current} of ${desired}: ${why}`;
  });
  return texts.length > 0 ? `Kubernetes refuses pods. ${texts.join('; ')}` : undefined;
}

function scaledCondition({ runtime, workloads, bound }: World): UntimedCondition | undefined {
  const [from, to] = [runtime.status?.desiredWorkerNumberScheduled, workloads.worker?.desired];
  if (!bound || from === undefined || to === undefined || from === to || !runtime.status?.workerPhase) return undefined;
  const [type, how] = to > from ? ['WorkersScaledOut', 'out'] : ['WorkersScaledIn', 'in'];
  return {
    type,
    status: 'True',
    reason: `Workers scaled ${how}`,
    message: `Workers scaled ${how} from ${from} replicas to ${to} replicas.`,
  };
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
};
