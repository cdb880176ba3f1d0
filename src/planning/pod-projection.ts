import { annotation, type Container, type ContainerStatus, type PodSpec, type PodStatus } from '../api/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { endOf } from './last-words.ts';
import type { Crash } from './objects.ts';
import type { Sharing } from './sharing.ts';
import { isReady, unstartedOf } from './unstarted.ts';

const POD_LABELS = ['pod-template-generation', 'controller-revision-hash'];

/**
 * The part of a pod that is kept: its controller, the revision of its template, its node and address, the named ports of a worker, whether
 * it is ready, how often its containers restarted, why one ended that does not stay, and why the pod does not start. threat-model: keeps
 */
export function podProjection({ apiVersion, kind, metadata, spec, status }: KubeObject, { text, piece }: Sharing): KubeObject {
  const { name, namespace, uid, resourceVersion, labels, annotations, ownerReferences, creationTimestamp, deletionTimestamp } = metadata;
  const observed = (status ?? {}) as PodStatus;
  const { phase, podIP, initContainerStatuses = [], containerStatuses = [] } = observed;
  const { nodeName, containers = [] } = (spec ?? {}) as Partial<PodSpec>;
  const owner = ownerReferences?.find(({ controller }) => controller);
  const refreshed = annotations?.[annotation.fuseConfigUpdate];
  const kept = {
    apiVersion: text(apiVersion),
    kind: text(kind),
    metadata: {
      name,
      namespace: piece(namespace),
      uid,
      resourceVersion,
      labels: piece(Object.fromEntries(POD_LABELS.flatMap((key) => (labels?.[key] === undefined ? [] : [[key, labels[key]]])))),
      annotations: refreshed === undefined ? undefined : { [annotation.fuseConfigUpdate]: refreshed },
      ownerReferences: owner && [
        { apiVersion: text(owner.apiVersion), kind: text(owner.kind), name: owner.name, uid: text(owner.uid), controller: true },
      ],
      deletionTimestamp,
    },
    nodeName: piece(nodeName),
    ip: podIP,
    // Ports of masters and workers alone: no plan knows fuse pods. Each runtime has ports of its own, so nothing is shared.
    ports: owner?.kind === 'StatefulSet' ? portsOf(containers) : undefined,
    phase: piece(phase),
    container: piece(containers[0]?.name),
    restarts: containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    crash: crashOf([...initContainerStatuses, ...containerStatuses]),
    unstarted: unstartedOf(observed, creationTimestamp),
    ready: isReady(observed),
  };
  // The cast: a field that is undefined counts as absent.
  return kept as unknown as KubeObject;
}

/**
 * The crash of the first container that was started again and is not ready. The node keeps the end of its output, of which this is the end.
 */
function crashOf(statuses: readonly ContainerStatus[]): Crash | undefined {
  for (const { ready, restartCount, state, lastState } of statuses) {
    const ended = state?.terminated ?? lastState?.terminated;
    if (!ready && restartCount > 0 && ended && ended.exitCode !== 0)
      return { exitCode: ended.exitCode, message: endOf(ended.message ?? '', MOST_OUTPUT) };
  }
  return undefined;
}
/** Thousands of pods may end for one reason. */
const MOST_OUTPUT = 1000;

/** By name; undefined where no port has one, as in pods of most users. */
function portsOf(containers: readonly Container[]): Readonly<Record<string, number>> | undefined {
  const named = containers.flatMap(({ ports = [] }) => ports.flatMap(({ name, containerPort }) => (name ? [[name, containerPort]] : [])));
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}
