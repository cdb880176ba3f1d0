/** Whether a fuse pod may go when no pod of the node uses its volume any more: `spec.fuse.cleanPolicy`. */
export interface FuseCleanup {
  readonly policy: string;
  /** The generation that the claim was made for, and the one that the fuse pod on this node has; undefined where it is not known. */
  readonly wanted?: string | undefined;
  readonly running?: string | undefined;
}

export function isToGo({ policy, wanted, running }: FuseCleanup): boolean {
  switch (policy) {
    case 'OnDemand':
      return true;
    case 'OnFuseChanged':
      // In doubt it stays: to take away a client that is up to date would cost its cache.
      return wanted !== undefined && running !== undefined && wanted !== running;
    default:
      // OnRuntimeDeleted: the controller's business.
      return false;
  }
}
