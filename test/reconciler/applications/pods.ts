import type { KubeObject } from '../../../src/kube/types.ts';

/** How a container is: running, waiting, or its exit code. */
export type State = 'running' | 'waiting' | number;
export interface PodOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly restartPolicy?: string;
  /** Further fields of the spec. */
  readonly spec?: object;
  readonly phase?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  /** Containers by name, and how each is. */
  readonly states?: Readonly<Record<string, State>>;
  /** Further fields of containers, by name. */
  readonly fields?: Readonly<Record<string, object>>;
}

export const preStop = (...command: readonly string[]) => ({ lifecycle: { preStop: { exec: { command } } } });

/** A pod of a Job whose container `main` has ended, with the client `fluid-fuse-0` of a Dataset. */
export function podOf(options: PodOptions = {}): KubeObject {
  const { name = 'job-x', namespace = 'ml', restartPolicy = 'Never', phase = 'Running', deletionTimestamp } = options;
  const { states = { 'fluid-fuse-0': 'running', main: 0 }, fields = { 'fluid-fuse-0': preStop('sh', '-c', 'umount "/a b"; rmdir /c') } } =
    options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...(options.uid && { uid: options.uid }),
      ...(deletionTimestamp && { deletionTimestamp }),
      labels: {
        'done.sidecar.fluid.io/inject': 'true',
        'dataset-name.sidecar.fluid.io/fluid-fuse-0': 'demo',
        'dataset-name.sidecar.fluid.io/fluid-fuse-1': 'other',
        ...options.labels,
      },
      annotations: { 'file-prefetcher.fluid.io/inject-done': 'true', ...options.annotations },
    },
    spec: {
      restartPolicy,
      ...options.spec,
      containers: Object.keys(states).map((each) => ({ name: each, image: 'example.io/image', ...fields[each] })),
    },
    status: {
      phase,
      containerStatuses: Object.entries(states).map(([each, state]) => ({
        name: each,
        containerID: `containerd://${each}-1`,
        state: state === 'running' ? { running: {} } : state === 'waiting' ? { waiting: {} } : { terminated: { exitCode: state } },
      })),
    },
  };
}
