/**
 * A field that works in part, or that should be written in another way. The controller writes a Warning event and the condition `SpecWarning`.
 */
export interface Warning {
  /** Reason of the event, in CamelCase. */
  readonly reason: string;
  /** Begins with the path of the field. */
  readonly message: string;
}

/**
 * A field that is ignored. As in Fluid, all others have effect.
 * @example
 * ignored('spec.loadMetadata', 'has no effect').message; // → 'spec.loadMetadata: has no effect'
 */
export const ignored = (path: string, why: string): Warning => ({ reason: 'SpecPartlyIgnored', message: `${path}: ${why}` });

/**
 * Data that would lie in a container, and be lost with it.
 * @example
 * notKept('spec.mounts', 'no volume at /data').reason; // → 'DataNotKept'
 */
export const notKept = (path: string, why: string): Warning => ({ reason: 'DataNotKept', message: `${path}: ${why}` });

const CLEAN_POLICIES: readonly string[] = ['', 'OnDemand', 'OnRuntimeDeleted', 'OnFuseChanged'];

/** The API server admits any text, and the node plugin takes what it does not know for the default. */
export function cleanPolicyWarnings(spec: unknown): readonly Warning[] {
  const { fuse } = (spec ?? {}) as { readonly fuse?: { readonly cleanPolicy?: string } };
  return CLEAN_POLICIES.includes(fuse?.cleanPolicy ?? '')
    ? []
    : [
        ignored(
          'spec.fuse.cleanPolicy',
          `expected OnDemand, OnRuntimeDeleted or OnFuseChanged; fuse pods stay until the runtime is deleted`,
        ),
      ];
}
