import type { KubeObject } from '../kube/types.ts';
import { causeOf, causes, type Reason } from '../planning/reasons.ts';
import { retryInOrder } from './chain-lines.ts';
import { isOperation, type ExplainInput } from './gather.ts';
import { REFUSED } from './pod-advice.ts';

/** Advice for conditions that say more than their reasons. */
const OF_CONDITIONS: Readonly<Record<string, string>> = {
  SpecWarning: 'edit what the message names, when it suits you',
  PodsOutdated: 'delete these pods when it suits you',
  PodsCrashing: 'read the log of the pod that the message names, and edit what its client does not take',
  DataUnavailable: 'see that what the message names runs and can be reached from the fuse pods, and that its credentials are valid',
  PodsRefused: REFUSED,
  PodsPending: 'correct what the message names: the image, its pull secrets, what the pods request, the nodes that the placement allows',
  PlacementWaiting: 'nothing: the nodes are left once no pod there mounts the Dataset',
  ImmutableFieldChanged: 'delete the object that the message names once nothing uses it: the controller creates it again',
  MountsDiffer: 'compare the mount with what the engine lists, and edit it',
  Failed: 'correct the cause, then retry the operation by a new text of its annotation data.fluid.io/retry',
};
const RENAME = 'delete it, and create it under a shorter name';

/** Reasons of a `Failed` operation for which a retry alone does not help. */
const OF_FAILURES: Readonly<Record<string, (object: KubeObject, input: ExplainInput) => string>> = {
  PredecessorFailed: (object, input) =>
    `correct the cause, then retry ${retryInOrder(object, input)}, each by a new text of its annotation data.fluid.io/retry`,
};

interface Said {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Advice for a condition of an object. */
export function toDoAbout({ type, reason, message }: Said, object: KubeObject, input: ExplainInput): string {
  if (type === 'Failed' && message.includes('metadata.name: expected at most')) return RENAME;
  const ofFailure = type === 'Failed' && Object.hasOwn(OF_FAILURES, reason) ? OF_FAILURES[reason]?.(object, input) : undefined;
  return plain(ofFailure ?? OF_CONDITIONS[type] ?? adviceFor(causeIn({ type, reason, message }, object, input), object));
}

/** Fluid's reasons of a Dataset hide why its runtime is not as its spec says: the runtime's condition of the same message has the reason. */
export function causeIn({ reason, message }: Said, { kind, metadata }: KubeObject, { runtimes }: ExplainInput): string {
  if (kind !== 'Dataset' || isKnown(reason)) return reason;
  const conditions = runtimes
    .filter((each) => each.metadata.name === metadata.name && each.metadata.namespace === metadata.namespace)
    .flatMap(({ status }) => (status as { conditions?: readonly (Said & { readonly status: string })[] } | undefined)?.conditions ?? []);
  return conditions.find((each) => each.type === 'Synced' && each.status === 'False' && each.message === message)?.reason ?? reason;
}

function adviceFor(reason: string, object: KubeObject): string {
  // Fluid, and Jobs, have reasons of their own.
  if (!isKnown(reason) && !reason.endsWith('NotFound')) return 'see the message';
  const { toDo, toDoForOperation } = causeOf(reason as Reason);
  if (toDoForOperation !== undefined && isOperation(object)) return toDoForOperation;
  const [, other] = /^as for `(\w+)`$/.exec(toDo) ?? [];
  return other === undefined ? toDo : causeOf(other as Reason).toDo;
}

/** Not `in`: every object has a `constructor`, and a status may have any reason. */
const isKnown = (reason: string): boolean => Object.hasOwn(causes, reason);

/** Without the links of the page from which it comes. */
const plain = (text: string): string => text.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1');
