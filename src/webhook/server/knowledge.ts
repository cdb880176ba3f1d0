import type { Known, Unknown } from '../known.ts';
import type { Profile } from '../profile.ts';

/** What the server asks of the watches. */
export interface Knowledge {
  readonly known: Known;
  /** The chains of plugins in force. */
  profile(): Profile;
  /** Why admissions cannot be decided yet; undefined when they can. */
  notReady(): string | undefined;
  /** Reads these objects from the API server. The result knows them as they are now, and all others as the watches do. */
  read(unknown: readonly Unknown[], signal: AbortSignal): Promise<Known>;
  stop(): void;
}
