/** Something in a spec that works in part, or should be written in another way. Told as a Warning event and in the condition `SpecWarning`. */
export interface Warning {
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** What is asked for at `path` and not done. As in Fluid, everything else is. */
export const ignored = (path: string, why: string): Warning => ({ reason: 'SpecPartlyIgnored', message: `${path}: ${why}` });

const CLEAN_POLICIES: readonly string[] = ['', 'OnDemand', 'OnRuntimeDeleted', 'OnFuseChanged'];

/** The API server admits any text, and the node plugin takes what it does not know for the default. */
export const cleanPolicyWarnings = (policy: string = ''): readonly Warning[] =>
  CLEAN_POLICIES.includes(policy)
    ? []
    : [
        ignored(
          'spec.fuse.cleanPolicy',
          `expected OnDemand, OnRuntimeDeleted or OnFuseChanged; fuse pods stay until the runtime is deleted`,
        ),
      ];
