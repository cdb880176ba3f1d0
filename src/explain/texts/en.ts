import type { Language } from '../../planning/advice.ts';

/** Advice and fixed phrases of `explain` in English. Messages of the controller and of Kubernetes stay as they are in every language. */
export const en = {
  language: 'en',
  toDo: 'to do: ',
  toDoForOperation: 'to do for an operation: ',
  since: (age: string) => `, for ${age}: `,
  nothingHere: (namespace: string | undefined) =>
    `Nothing is here: no Dataset, runtime or operation ${namespace === undefined ? 'in any namespace' : `in namespace ${namespace}. -A explains all namespaces`}.`,
  states: {
    well: 'as its spec says',
    troubled: 'as its spec says, and in trouble',
    differs: 'not as its spec says',
    unseen: 'not seen yet',
    setUp: 'set up',
    absent: 'does not exist',
  },

  shorterName: 'delete it, and create it under a shorter name',
  retryInOrder: (names: readonly string[]) =>
    `correct the cause, then retry ${[...names, 'this one'].join(', then ')}, each by a new text of its annotation data.fluid.io/retry`,
  seeMessage: 'see the message',
  seeController: 'see whether the controller runs: kubectl get pods -n fluid-system',
  askAgain: 'see its runtime, or ask again in a moment',

  image:
    'correct the image or the pull secrets (`imagePullSecrets`) of the spec, or let the node reach the registry. The kubelet tries again by itself',
  nodes: 'see which nodes the placement allows, their taints, and what the pods request',
  terminating: 'see whether its node runs, and its finalizers',
  container: 'create or correct what the message names: a Secret, a ConfigMap, a volume, a command. The kubelet tries again by itself',
  ended: (logs: string) => `see why it ended: ${logs}`,
  eventsAndLog: (describe: string) => `see its events and its log: ${describe}`,
  noPods: (describe: string) => `see whether kube-controller-manager runs: ${describe}`,

  ownDataset: 'see its Dataset, which has a claim of its own name',
  otherStorage: 'see its storage class and its events: it is of no Dataset',
  createDataset: 'create the Dataset of that name and its runtime, or see what they wait for',
  seeDataset: 'see the Dataset of that name',
  pluginNodes: 'see which nodes the DaemonSet sluice-csi selects and tolerates',
  seeBoth: 'see the Dataset and its runtime',
  pluginLog: 'see the log of the node plugin there, which sets the label when it mounts the volume',

  podOfSchedule: (job: string) =>
    `correct what the message names: the pod starts then. To change the spec of the operation, edit it and delete Job ${job}: the next Job has the new spec`,
  podOfOperation:
    'correct what the message names: the pod starts then. To change the spec of the operation, delete it and create it again, as its Job follows no edits',
  podReplaced: (logs: string) => `see its log: ${logs}. The Job replaces the pod until its attempts are used up`,
  podRefused: 'see quota, admission webhooks and the ServiceAccount of the pod',
} as const;

type Widened<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : Widened<T[K]>;
};
/** One table a language: a text that a language lacks does not compile. */
export type Texts = Omit<Widened<typeof en>, 'language'> & { readonly language: Language };
