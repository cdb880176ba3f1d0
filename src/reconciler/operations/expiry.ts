import { type Outcome, settled } from '../../kube/turns/queue.ts';
import { endOf } from './status.ts';
import type { OperationWorld } from './world.ts';

/** When an operation that has ended is deleted. */

/**
 * Milliseconds until it is deleted; undefined if nothing deletes it. One that runs again and again is never over, and a predecessor that
 * others have not seen complete stays until they have.
 *
 * @param ended when it ended, RFC 3339. Default: as its status says
 */
export function expiresInMs(
  { operation, now, isAwaited }: Pick<OperationWorld, 'operation' | 'now' | 'isAwaited'>,
  ended = endOf(operation),
): number | undefined {
  const { ttlSecondsAfterFinished: ttl, policy = 'Once' } = operation.spec;
  if (ttl === undefined || policy !== 'Once' || isAwaited) return undefined;
  // Fluid accepts a negative time to live.
  return Math.max(0, Date.parse(ended ?? '') + ttl * 1000 - now || 0);
}

/** A timer of Node.js runs for 24 days at most. */
const LONGEST_MS = 86_400_000;

/** The pass that deletes it. No event wakes it: its own writes do not. */
export const untilExpiry = (inMs: number | undefined): Outcome => settled(inMs && Math.min(inMs, LONGEST_MS));
