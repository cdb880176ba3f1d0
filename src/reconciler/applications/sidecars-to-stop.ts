import type { Container, PodSpec, PodStatus } from '../../api/index.ts';
import { PLATFORMS, platformOf, sidecar } from '../../api/sidecars.ts';
import type { KubeObject } from '../../kube/types.ts';
import { hasEnded } from './container-ends.ts';
import { isSidecar } from './is-sidecar.ts';
import { unmountOf } from './unmount.ts';

/** Which pods the controller leaves alone. */
export interface ApplicationSettings {
  /** KEY_DISABLE_APP_CONTROLLER: pods with this label. */
  readonly exceptLabel?: string;
  /** KEY_SERVERLESS_PLATFORM: a label that names the platform of a pod's sidecars. Those of platforms that are not Sluice's are not touched. */
  readonly platformLabel?: string;
}

/** A sidecar that has not ended for good, though everything else in its pod has. */
export interface Sidecar {
  readonly container: string;
  /** False while the container waits for its restart. */
  readonly isRunning: boolean;
  /** Identifies this start of the container: a restart has another one. */
  readonly id: string;
  /** How the container last ended, if it was restarted. */
  readonly lastExitCode?: number;
  /** Process 1 is its own: otherwise a signal would reach the node, or other containers. */
  readonly hasOwnProcesses: boolean;
  /** The command that unmounts its file system. Absent: it has none. */
  readonly unmount?: readonly string[];
}

/**
 * The sidecars of a pod that has nothing else to do: none of them ends by itself, and the pod ends only with its last container. Native
 * sidecars are init containers, which the kubelet stops.
 */
export function sidecarsToStop(pod: KubeObject, settings: ApplicationSettings = {}): readonly Sidecar[] {
  // The casts: what the API server stores of a pod.
  const { containers, restartPolicy = 'Always', hostPID, shareProcessNamespace } = pod['spec'] as PodSpec;
  const { phase, containerStatuses = [] } = (pod['status'] ?? {}) as PodStatus;
  // The kubelet stops the containers of a pod that is being deleted, and runs their preStop.
  if (phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) return [];
  if (restartPolicy === 'Always' || !isOurs(pod, settings)) return [];
  const sidecars = containers.filter(({ name }) => isSidecar(name, pod.metadata));
  const others = containers.filter((container) => !sidecars.includes(container));
  const statusOf = ({ name }: Container) => containerStatuses.find((status) => status.name === name);
  if (others.length === 0 || !others.every((container) => hasEnded(container, statusOf(container), restartPolicy))) return [];
  return sidecars.flatMap((container): readonly Sidecar[] => {
    const status = statusOf(container);
    if (hasEnded(container, status, restartPolicy)) return [];
    const { state, containerID, lastState } = status ?? {};
    const unmount = unmountOf(container);
    const lastExitCode = lastState?.terminated?.exitCode;
    return [
      {
        container: container.name,
        isRunning: state?.running !== undefined,
        id: containerID ?? '',
        hasOwnProcesses: !hostPID && !shareProcessNamespace,
        ...(lastExitCode !== undefined && { lastExitCode }),
        ...(unmount && { unmount }),
      },
    ];
  });
}

/** Names of a pod's containers that no longer run: none does in a pod that is over, even if reported otherwise. */
export function endedIn(pod: KubeObject): readonly string[] {
  // The casts: what the API server stores of a pod.
  const { containers } = pod['spec'] as PodSpec;
  const { phase, containerStatuses = [] } = (pod['status'] ?? {}) as PodStatus;
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const hasStopped = (container: string) => containerStatuses.some(({ name, state }) => name === container && state?.terminated);
  return containers.map(({ name }) => name).filter((name) => isOver || hasStopped(name));
}

/** Whether the pod has sidecars of a platform of Sluice, and is not exempt. threat-model: R-sidecars */
function isOurs({ metadata: { labels = {}, annotations = {} } }: KubeObject, { exceptLabel, platformLabel }: ApplicationSettings): boolean {
  if (labels[sidecar.done] !== 'true') return false;
  if (exceptLabel !== undefined && labels[exceptLabel] !== undefined) return false;
  const platform = platformOf(labels, annotations, platformLabel);
  return PLATFORMS.some((known) => known === platform);
}
