import type { KubeObject } from '../../kube/types.ts';
import { namespacesIn } from '../try/world.ts';
import type { PodView } from './world.ts';

interface Shape {
  readonly spec?: Parameters<typeof namespacesIn>[0] & { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly state?: { readonly running?: object; readonly waiting?: { readonly reason?: string } };
    }[];
  };
}

/** A pod, as far as a take-over waits for it. */
export function viewOf(pod: KubeObject): PodView {
  // The cast: the API server returns pods in this shape.
  const { spec = {}, status = {} } = pod as KubeObject & Shape;
  const { conditions = [], containerStatuses = [], phase } = status;
  const why =
    containerStatuses.map(({ state }) => state?.waiting?.reason).find((reason) => reason !== undefined) ?? unscheduled(conditions);
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid ?? '',
    ...(spec.nodeName !== undefined && { node: spec.nodeName }),
    isRunning: phase === 'Running' && containerStatuses.every(({ state }) => state?.running !== undefined),
    isReady: conditions.some(({ type, status: now }) => type === 'Ready' && now === 'True'),
    isEnding: pod.metadata.deletionTimestamp !== undefined,
    isPartial: namespacesIn(spec) !== undefined,
    ...(why !== undefined && { why }),
  };
}

const unscheduled = (conditions: readonly { readonly type: string; readonly status: string }[]): string | undefined =>
  conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'False') ? 'Unschedulable' : undefined;
