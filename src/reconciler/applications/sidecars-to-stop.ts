import { join } from 'node:path/posix';
import type { Container, ContainerStatus, PodSpec, PodStatus } from '../../api/index.ts';
import { clientName, clientNumber, platformOf, PLATFORMS, sidecar } from '../../api/sidecars.ts';
import type { KubeObject, ObjectMeta } from '../../kube/types.ts';

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

/** Fields of containers that newer API servers have: kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restart-rules. */
interface OwnPolicy {
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly {
    readonly action: string;
    readonly exitCodes?: { readonly operator: string; readonly values?: readonly number[] };
  }[];
}

/**
 * Whether a container has ended and the kubelet will not start it again. After a failure under OnFailure it will: its client must be there
 * then. Fluid stops the client for any exit code.
 */
function hasEnded(container: Container, status: Pick<ContainerStatus, 'state'> | undefined, podPolicy: string): boolean {
  const exitCode = status?.state?.terminated?.exitCode;
  if (exitCode === undefined) return false;
  const { restartPolicy = podPolicy, restartPolicyRules = [] } = container as Container & OwnPolicy;
  const isMeant = ({ exitCodes }: NonNullable<OwnPolicy['restartPolicyRules']>[number]) =>
    exitCodes === undefined || (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === 'In');
  if (restartPolicyRules.some((rule) => rule.action.startsWith('Restart') && isMeant(rule))) return false;
  return restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0);
}

/** Whether the webhook made a container: it has a name of the webhook, and the webhook recorded it on the pod. threat-model: R-sidecars */
function isSidecar(name: string, { labels = {}, annotations = {} }: Pick<ObjectMeta, 'labels' | 'annotations'>): boolean {
  if (name === sidecar.prefetcher) return annotations[sidecar.prefetcherDone] === 'true';
  const number = clientNumber(name);
  return number !== undefined && labels[`${sidecar.datasetName}${clientName(number)}`] !== undefined;
}

/**
 * The command that unmounts the file system of a client: the container's own preStop, as it is. It is in the pod's own spec and runs in
 * the pod's own container, where the kubelet would run it as well, so that nothing is gained by writing another one there.
 */
export function unmountOf(container: Container): readonly string[] | undefined {
  const preStop = container.lifecycle?.preStop?.exec?.command;
  if (preStop && preStop.length > 0) return preStop;
  const path = mountPathOf(container);
  return path === undefined ? undefined : ['umount', path];
}

/** The mount path of clients without a preStop, which Fluid injected. */
function mountPathOf({ env = [], volumeMounts = [] }: Container): string | undefined {
  const given = env.find(({ name }) => name === 'FLUID_FUSE_MOUNTPOINT')?.value;
  if (given?.startsWith('/')) return given;
  const mount = volumeMounts.find(({ mountPropagation }) => mountPropagation === 'Bidirectional');
  if (!mount) return undefined;
  // `juicefs-fuse-mount-0` holds `juicefs-fuse`.
  const words = mount.name.split('-');
  const [type = '', fuse] = words.slice(Math.max(0, words.indexOf('mount') - 2));
  return join(mount.mountPath, fuse === 'fuse' ? `${type}-fuse` : '');
}
