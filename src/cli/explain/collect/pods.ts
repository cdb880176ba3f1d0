import type { PodSpec, PodStatus } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { ArchiveEntry } from './archive.ts';
import { pathPart } from './archive.ts';
import type { Reader } from './reader.ts';
import { isReady } from '../../../planning/unstarted.ts';

/** The fields of a pod that are kept until its logs are read. */
export interface SeenPod {
  readonly namespace: string;
  readonly name: string;
  readonly node?: string;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly containers: readonly { readonly name: string; readonly hasStarted: boolean; readonly hasRestarted: boolean }[];
}

export function seenPod({ metadata, spec, status }: KubeObject): SeenPod {
  const { nodeName, initContainers = [], containers = [] } = (spec ?? {}) as Partial<PodSpec>;
  const { containerStatuses = [], initContainerStatuses = [] } = (status ?? {}) as PodStatus;
  const statuses = new Map([...initContainerStatuses, ...containerStatuses].map((each) => [each.name, each]));
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    ...(nodeName !== undefined && { node: nodeName }),
    isReady: isReady((status ?? {}) as PodStatus),
    restarts: [...statuses.values()].reduce((sum, { restartCount }) => sum + restartCount, 0),
    containers: [...initContainers, ...containers].map(({ name }) => {
      const known = statuses.get(name);
      const hasRestarted = (known?.restartCount ?? 0) > 0;
      return { name, hasStarted: known !== undefined && (!known.state?.waiting || hasRestarted), hasRestarted };
    }),
  };
}

/** Logs of so many pods: those that are not ready, then those that restarted. */
const MOST_PODS = 60;

/** The last output of these pods' containers, now and before their last restart. */
export async function* podLogs(reader: Reader, pods: readonly SeenPod[], folder: string): AsyncGenerator<ArchiveEntry> {
  const ordered = pods.toSorted(
    (a, b) => Number(a.isReady) - Number(b.isReady) || b.restarts - a.restarts || a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  for (const pod of ordered.slice(0, MOST_PODS))
    for (const { name, hasStarted, hasRestarted } of pod.containers) {
      const path = `${folder}/${pathPart(pod.name)}/${name}`;
      const text = hasStarted ? await reader.log(pod, name, false) : undefined;
      if (text !== undefined) yield { path: `${path}.log`, text };
      const before = hasRestarted ? await reader.log(pod, name, true) : undefined;
      if (before !== undefined) yield { path: `${path}.previous.log`, text: before };
    }
  const left = ordered.slice(MOST_PODS);
  if (left.length > 0) reader.notes.push(`logs of ${left.length} pods: ${left.map(({ name }) => name).join(', ')}`);
}
