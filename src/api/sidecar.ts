/** What a runtime says of its FUSE client in a pod of a user, in place of a fuse pod: the annotation `data.fluid.io/sidecar`, as JSON. */
export interface SidecarNote {
  /** Names of volumes that hold cache. A sidecar has them only if its user asks for it. */
  readonly caches: readonly string[];
  /** Why the client cannot be a sidecar: `it needs the session manager of its node`. */
  readonly refused?: string;
}
