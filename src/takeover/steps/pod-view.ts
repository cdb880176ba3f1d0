import type { KubeObject } from '../../kube/types.ts';

/** A pod, as far as a step waits for it. */
export interface PodView {
  readonly name: string;
  readonly uid: string;
  /** Absent while it is not scheduled. */
  readonly node?: string;
  /** All its containers run. */
  readonly isRunning: boolean;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  /** Sorted: those that a controller of Sluice serves alone, as in a try. Absent: all. */
  readonly namespaces?: readonly string[];
  /** Why a container does not run: `ErrImagePull`. */
  readonly why?: string;
}

interface Shape {
  readonly spec?: Pods & { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly state?: { readonly running?: object; readonly waiting?: { readonly reason?: string } };
    }[];
  };
}

/** A pod that the API server returned, in this view. */
export function viewOf(pod: KubeObject): PodView {
  // The cast: the API server returns pods in this shape.
  const { spec = {}, status = {} } = pod as KubeObject & Shape;
  const { conditions = [], containerStatuses = [], phase } = status;
  const why =
    containerStatuses.map(({ state }) => state?.waiting?.reason).find((reason) => reason !== undefined) ?? unscheduled(conditions);
  const namespaces = namespacesIn(spec);
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid ?? '',
    ...(spec.nodeName !== undefined && { node: spec.nodeName }),
    isRunning: phase === 'Running' && containerStatuses.every(({ state }) => state?.running !== undefined),
    isReady: conditions.some(({ type, status: now }) => type === 'Ready' && now === 'True'),
    isEnding: pod.metadata.deletionTimestamp !== undefined,
    ...(namespaces && { namespaces }),
    ...(why !== undefined && { why }),
  };
}

const unscheduled = (conditions: readonly { readonly type: string; readonly status: string }[]): string | undefined =>
  conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'False') ? 'Unschedulable' : undefined;

/** The flag of `sluice reconcile`. */
export const NAMESPACES = '--namespaces';

/** The spec of a pod, or of the template of one. */
export interface Pods {
  readonly containers?: readonly { readonly name: string; readonly image?: string; readonly args?: readonly string[] }[];
}

/** The namespaces that a pod of the controller serves, by its arguments; undefined: all. */
export function namespacesIn({ containers = [] }: Pods): readonly string[] | undefined {
  const args = containers.flatMap((container) => container.args ?? []);
  const at = args.findLastIndex((arg) => arg === NAMESPACES || arg.startsWith(`${NAMESPACES}=`));
  const text = at < 0 ? undefined : args[at]?.startsWith(`${NAMESPACES}=`) ? args[at].slice(NAMESPACES.length + 1) : args[at + 1];
  return text?.split(',').toSorted();
}
