import type { ContainerStatus, PodStatus } from '../api/index.ts';
import { beginningOf } from './last-words.ts';
import type { Unstarted } from './objects.ts';

/** A container waits for these in every pod that starts. */
export const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
/** A container that waits for these has started before, and ended. */
const ENDED: ReadonlySet<string> = new Set(['CrashLoopBackOff']);
/** Thousands of pods may wait for one reason. */
const MOST_CHARACTERS = 500;
const PULLS = 'ImagePullBackOff';

/** Whether a pod is ready, as its kubelet reports it. */
export const isReady = ({ conditions = [] }: PodStatus): boolean =>
  conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');

/**
 * Why a pod does not start, in the words of the scheduler or of its kubelet: no node admits the pod, or a container waits for more than its
 * turn. A pod that is ready, has ended, or whose containers end has no such reason.
 *
 * @param created RFC 3339, when the pod was created
 */
export function unstartedOf(status: PodStatus, created: string | undefined): Unstarted | undefined {
  const { phase, conditions = [], initContainerStatuses = [], containerStatuses = [] } = status;
  if (isReady(status) || phase === 'Succeeded' || phase === 'Failed') return undefined;
  const told = (reason: string, message: string, since: string | undefined): Unstarted => ({
    reason: beginningOf(reason, MOST_CHARACTERS),
    message: beginningOf(message, MOST_CHARACTERS),
    since: since ?? created ?? '',
  });
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  if (unscheduled) return told(unscheduled.reason ?? 'Unschedulable', unscheduled.message ?? '', unscheduled.lastTransitionTime);
  const [waiting] = [...initContainerStatuses, ...containerStatuses].flatMap(waitingOf);
  const unready = conditions.find(({ type }) => type === 'ContainersReady');
  return waiting && told(waiting.reason, waiting.message, unready?.lastTransitionTime);
}

/** Between two pulls of an image, a kubelet reports each of two reasons: the words are those of the error behind both. */
function waitingOf({ state }: ContainerStatus): readonly { readonly reason: string; readonly message: string }[] {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (reason === '' || STARTING.has(reason) || ENDED.has(reason)) return [];
  if (reason !== 'ErrImagePull' && reason !== PULLS) return [{ reason, message }];
  const [, error = message] = /: ErrImagePull: (.*)$/s.exec(message) ?? [];
  return [{ reason: PULLS, message: error }];
}
