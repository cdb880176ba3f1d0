import type { KnownObjects, Unknown } from './known.ts';
import type { Profile } from './profile.ts';

/** The webhook's knowledge of the cluster, for which no admission sends a request. */
export interface Knowledge {
  readonly known: KnownObjects;
  /** The chains of plugins, as the ConfigMap last said without a fault. */
  profile(): Profile;
  /** Which lists are not complete yet, or no longer watched: why admissions cannot be decided. Undefined when they can. */
  notReady(): string | undefined;
  /** Reads these objects from the API server. The result knows them as they are now, and all others as the watches do. */
  read(unknown: readonly Unknown[], signal: AbortSignal): Promise<KnownObjects>;
  stop(): void;
}
