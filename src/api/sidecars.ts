/**
 * Names of what the webhook puts into a pod that asks for sidecars, all of them Fluid's. The controller recognizes these containers by
 * their exact names and by the webhook's record: a user's container `my-fluid-fuse` is a user's.
 */
export const sidecar = {
  /** A label of pods that have their sidecars: `true`. */
  done: 'done.sidecar.fluid.io/inject',
  /** With the name of a client's container, `fluid-fuse-0`: the label that says which Dataset it mounts. */
  datasetName: 'dataset-name.sidecar.fluid.io/',
  datasetNamespace: 'dataset-namespace.sidecar.fluid.io/',
  /** The annotation and the label that name the platform. */
  platform: 'serverless.fluid.io/platform',
  prefetcher: 'fluid-file-prefetcher',
  /** An annotation of pods that have the prefetcher: `true`. */
  prefetcherDone: 'file-prefetcher.fluid.io/inject-done',
  /** Where the prefetcher writes its result. */
  prefetcherStatus: '/tmp/fluid-file-prefetcher/status',
} as const;

/** The platforms of sidecars. */
export const PLATFORMS = ['default', 'unprivileged'] as const;

/** What a runtime says of its FUSE client in a pod of a user, in place of a fuse pod: the annotation `data.fluid.io/sidecar`, as JSON. */
export interface SidecarNote {
  /** Names of volumes that hold cache. A sidecar has them only if its user asks for it. */
  readonly caches: readonly string[];
  /** Why the client cannot be a sidecar: `it needs the session manager of its node`. */
  readonly refused?: string;
}
