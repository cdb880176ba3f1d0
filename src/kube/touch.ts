import type { ReflectorStatus } from './reflector.ts';

/** So long without a watch is no hiccup. */
const AWAY_MS = 15_000;

/** Why a collection may have changed without our knowing; undefined while it is watched and the watch shows what is known to exist. */
export function outOfTouch({ synced, behind, awayMs, lastError }: ReflectorStatus): string | undefined {
  const because = lastError ? ` (${lastError})` : '';
  if (!synced) return `not listed yet${because}`;
  if (behind) return `behind what was written${because}`;
  return awayMs >= AWAY_MS ? `not watched for ${Math.round(awayMs / 1000)} s${because}` : undefined;
}
