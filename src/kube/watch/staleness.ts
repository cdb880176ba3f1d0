import type { ReflectorStatus } from './reflector.ts';

/** A watch that is restarted is open again well before this. */
const AWAY_MS = 15_000;

/** Why our copy of a collection may be stale; undefined while the watch is open and shows what is known to exist. */
export function whyStale({ synced, behind, awayMs, lastError }: ReflectorStatus): string | undefined {
  const because = lastError ? ` (${lastError})` : '';
  if (!synced) return `not listed yet${because}`;
  if (behind) return `behind what was written${because}`;
  return awayMs >= AWAY_MS ? `not watched for ${Math.round(awayMs / 1000)} s${because}` : undefined;
}
