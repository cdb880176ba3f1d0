import type { ContainerStatus, PodStatus } from '../api/index.ts';
import { redactedText } from '../api/redact.ts';
import { isReady, STARTING } from '../planning/unstarted.ts';
import type { KubeObject } from '../kube/types.ts';
import { parseSelector } from '../kube/selector.ts';
import { eventLines, latestEvent } from './event-lines.ts';
import { podSelector, readiness, type ExplainInput } from './gather.ts';

/** Why a pod is not ready. */
export interface PodTrouble {
  readonly reason: string;
  readonly message: string;
  /** The pod does not start without help. */
  readonly isStuck: boolean;
}

const OWN_REASONS: ReadonlySet<string> = new Set(['PodFailed', 'PodNotReady']);
/** A pod that has not started after this time needs help. */
export const PATIENCE_MS = 60_000;

/** The pods of a workload, of which those that are not ready are named. `known` says already why there are too few. */
export function workloadLines(workload: KubeObject, input: ExplainInput, known: Known): readonly string[] {
  const { ready, desired } = readiness(workload);
  const line = `${workload.kind} ${workload.metadata.name}: ${ready} of ${desired} pods ready`;
  return ready >= desired ? [line] : [line, ...troubleLines(workload, input, known)];
}

/** The pods of a Job that has not ended. */
export function jobLines(job: KubeObject, input: ExplainInput, known: Known): readonly string[] {
  const pods = podsOf(job, input).filter(isAlive);
  const ready = pods.filter((pod) => !troubleOf(pod, input));
  const line = `Job ${job.metadata.name}: ${ready.length} of ${pods.length} pods ready`;
  return [line, ...troubleLines(job, input, known)];
}

type Known = Parameters<typeof eventLines>[2];

/** Events of the owner say why Kubernetes creates no pod: a quota, Pod Security, a webhook. */
const troubleLines = (owner: KubeObject, input: ExplainInput, known: Known): readonly string[] => [
  ...eventLines(owner, input, known).map((line) => `  ${line}`),
  ...podsOf(owner, input).flatMap((pod) => podLine(pod, input)),
];

export function podsOf(owner: KubeObject, { pods }: Pick<ExplainInput, 'pods'>): readonly KubeObject[] {
  const selects = parseSelector(podSelector(owner));
  return pods.filter(({ metadata }) => metadata.namespace === owner.metadata.namespace && selects(metadata.labels ?? {}));
}

const statusOf = ({ status }: KubeObject): PodStatus => (status ?? {}) as PodStatus;
/** Whether it may still do its work. */
export const isAlive = (pod: KubeObject): boolean => {
  const { phase } = statusOf(pod);
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined;
};

function podLine(pod: KubeObject, input: ExplainInput): readonly string[] {
  const trouble = troubleOf(pod, input);
  if (!trouble) return [];
  const { reason, message } = trouble;
  // Messages of containers and events contain the reason already.
  const isSaid = OWN_REASONS.has(reason) || message.includes(reason);
  return [`  pod ${pod.metadata.name}: ${isSaid ? '' : `${reason}: `}${message}`];
}

/** undefined of a pod that is ready, or has ended well. */
export function troubleOf(pod: KubeObject, { events, now }: Pick<ExplainInput, 'events' | 'now'>): PodTrouble | undefined {
  const { phase, conditions = [], containerStatuses = [], initContainerStatuses = [] } = statusOf(pod);
  const containers = [...initContainerStatuses, ...containerStatuses];
  if (phase === 'Succeeded' || isReady(statusOf(pod))) return undefined;
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const isNew = isAlive(pod);
  if (unscheduled) {
    const { reason = 'Unschedulable', message = 'is not scheduled' } = unscheduled;
    return { reason: redactedText(reason), message: redactedText(message), isStuck: isNew };
  }
  const waiting = containers.flatMap(({ state }) => state?.waiting?.reason ?? []);
  const refused = waiting.find((reason) => !STARTING.has(reason));
  const hasStarted = containers.some(({ state }) => state?.running) || phase === 'Failed';
  const isSlow = !hasStarted && now - Date.parse(pod.metadata.creationTimestamp ?? '') > PATIENCE_MS;
  const event = refused === undefined ? latestEvent(pod, events) : undefined;
  const said = [...containers.flatMap(containerText), ...(event ? [`${event.reason}: ${event.message}`] : [])];
  return {
    reason: redactedText(refused ?? event?.reason ?? (phase === 'Failed' ? 'PodFailed' : 'PodNotReady')),
    message: redactedText(said.join('; ')) || 'is not ready yet',
    isStuck: isNew && (refused !== undefined || isSlow),
  };
}

function containerText({ name, state }: ContainerStatus): readonly string[] {
  if (state?.waiting?.reason) return [`${name} ${state.waiting.reason}${state.waiting.message ? `: ${state.waiting.message}` : ''}`];
  return state?.terminated?.exitCode ? [`${name} ended with exit code ${state.terminated.exitCode}`] : [];
}
