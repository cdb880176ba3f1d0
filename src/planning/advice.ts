/** Advice to a person about a condition: `sluice explain` prints it, and alerts carry it. */
import { causeOf, causes, type Reason } from './reasons.ts';

/** Advice for pods that the API server refuses. */
export const REFUSED =
  'change what the message names: a quota, a LimitRange, Pod Security or an admission webhook. Kubernetes tries again by itself';

/** Advice for conditions that say more than their reasons. */
export const conditionAdvice = {
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
} as const satisfies Readonly<Record<string, string>>;

/** Advice for a condition of this type; undefined for those of which the reason says more. */
export const adviceOfCondition = (type: string): string | undefined =>
  Object.hasOwn(conditionAdvice, type) ? conditionAdvice[type as keyof typeof conditionAdvice] : undefined;

/** Advice for a reason of the list, or of a vendor's companion; undefined for any other, such as one of Fluid or of a Job. */
export function adviceOfReason(reason: string, about: 'runtime' | 'operation'): string | undefined {
  if (!isKnownReason(reason) && !reason.endsWith('NotFound')) return undefined;
  const { toDo, toDoForOperation } = causeOf(reason as Reason);
  if (toDoForOperation !== undefined && about === 'operation') return toDoForOperation;
  const [, other] = /^as for `(\w+)`$/.exec(toDo) ?? [];
  return other === undefined ? toDo : causeOf(other as Reason).toDo;
}

/** Not `in`: every object has a `constructor`, and a status may have any reason. */
export const isKnownReason = (reason: string): boolean => Object.hasOwn(causes, reason);

/** Without the links of the page from which it comes. */
export const withoutLinks = (text: string): string => text.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1');
