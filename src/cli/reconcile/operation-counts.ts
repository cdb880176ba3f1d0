import type { OperationCounts } from '../../reconciler/metrics.ts';
import type { OperationObject } from '../../reconciler/operations.ts';
import { createTally } from './tally.ts';

/** The figures for Prometheus about operations, from their statuses. */
export function operationCounts(operations: Iterable<OperationObject>, now: number): OperationCounts {
  const phases = createTally();
  const waiting = createTally();
  for (const { kind, status } of operations) {
    phases.add(kind, status?.phase || 'None');
    const held = status?.conditions?.find(({ type, status: is }) => type === 'Complete' && is === 'False');
    if (held) waiting.add(kind, held.reason ?? '', secondsSince(held.lastTransitionTime, now));
  }
  return {
    byPhase: phases.entries().map(({ kind, what, count }) => ({ kind, phase: what, count })),
    waiting: waiting.entries().map(({ kind, what, count, most }) => ({ kind, reason: what, count, longestSeconds: most })),
  };
}

function secondsSince(time: string | undefined, now: number): number {
  const since = Date.parse(time ?? '');
  return Number.isNaN(since) ? 0 : Math.max(0, Math.round((now - since) / 1000));
}
