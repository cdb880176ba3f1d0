/** Advice about conditions in English. */

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
