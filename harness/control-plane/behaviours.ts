/** How a simulated pod misbehaves, and the status a real kubelet would report for it. Pure. */
import { randomUUID } from 'node:crypto';
import { STUCK_TERMINATING, SET_MARK, SET_STATUS } from './kwok.ts';

export type Behaviour =
  /** Scheduled, never started: as while an image is pulled (`reason`, default ContainerCreating; e.g. ImagePullBackOff). */
  | { readonly as: 'Pending'; readonly reason?: string; readonly message?: string }
  /** Running, its readiness probe fails. */
  | { readonly as: 'NotReady' }
  /** Running and Ready, and stays so even when it belongs to a Job. */
  | { readonly as: 'Running' }
  /** Running, its container ended again and again. */
  | { readonly as: 'CrashLoopBackOff'; readonly exitCode?: number; readonly message?: string }
  /** Phase Failed: evicted, or a container of a Job that gave up. */
  | { readonly as: 'Failed'; readonly exitCode?: number; readonly reason?: string; readonly message?: string }
  /** Lives until it is deleted, and then stays Terminating. */
  | { readonly as: 'Terminating' };

interface Container {
  readonly name: string;
  readonly image?: string;
}

export interface PodShape {
  readonly spec?: { readonly containers?: readonly Container[] };
}

/** The annotations that make kwok play the behaviour for this pod. */
export function annotationsFor(pod: PodShape, behaviour: Behaviour, now: Date): Readonly<Record<string, string>> {
  if (behaviour.as === 'Terminating') return { [STUCK_TERMINATING]: 'true' };
  const mark = `${behaviour.as} ${randomUUID()}`;
  const status = statusFor(pod, behaviour, now.toISOString());
  const set = { type: SET_MARK, status: 'True', message: mark, lastTransitionTime: now.toISOString() };
  const fields = Object.entries({ ...status, conditions: [...status.conditions, set] });
  return { [SET_MARK]: mark, [SET_STATUS]: fields.map(([field, value]) => `${field}: ${JSON.stringify(value)}`).join('\n') };
}

/** Every annotation that `annotationsFor` may set. */
export const BEHAVIOUR_ANNOTATIONS = [SET_MARK, SET_STATUS, STUCK_TERMINATING] as const;

function statusFor(pod: PodShape, behaviour: Exclude<Behaviour, { as: 'Terminating' }>, now: string) {
  const containers = pod.spec?.containers ?? [];
  const each = (ready: boolean, state: object, more: object = {}) =>
    containers.map(({ name, image = '' }) =>
      Object.assign({ name, image, imageID: '', ready, started: ready, restartCount: 0, state }, more),
    );
  const running = { running: { startedAt: now } };
  const ended = (exitCode: number, reason: string, message?: string) => ({
    terminated: { exitCode, reason, startedAt: now, finishedAt: now, ...(message === undefined ? {} : { message }) },
  });
  switch (behaviour.as) {
    case 'Pending': {
      const { reason = 'ContainerCreating', message } = behaviour;
      const waiting = { reason, ...(message === undefined ? {} : { message }) };
      return { phase: 'Pending', conditions: conditions(false, now), containerStatuses: each(false, { waiting }) };
    }
    case 'NotReady':
      return { phase: 'Running', conditions: conditions(false, now), containerStatuses: each(false, running, { started: true }) };
    case 'Running':
      return { phase: 'Running', conditions: conditions(true, now), containerStatuses: each(true, running) };
    case 'CrashLoopBackOff': {
      const { exitCode = 1, message = 'back-off restarting failed container' } = behaviour;
      const waiting = { reason: 'CrashLoopBackOff', message };
      const crashed = { restartCount: 3, lastState: ended(exitCode, 'Error') };
      return { phase: 'Running', conditions: conditions(false, now), containerStatuses: each(false, { waiting }, crashed) };
    }
    case 'Failed': {
      const { exitCode = 1, reason = 'Error', message } = behaviour;
      return { phase: 'Failed', conditions: conditions(false, now), containerStatuses: each(false, ended(exitCode, reason, message)) };
    }
  }
}

function conditions(ready: boolean, now: string) {
  const readiness = ready ? { status: 'True' } : { status: 'False', reason: 'ContainersNotReady' };
  return [
    { type: 'Initialized', status: 'True', lastTransitionTime: now },
    { type: 'Ready', ...readiness, lastTransitionTime: now },
    { type: 'ContainersReady', ...readiness, lastTransitionTime: now },
  ];
}
