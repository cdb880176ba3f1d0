import { causeOf, type Reason } from '../reasons.ts';
import { keyText, type OperationKey } from '../world.ts';
import { predecessorOf } from './predecessor.ts';
import { isOver, isRunning } from './status.ts';
import { holdOf } from './validate.ts';
import type { OperationObject, Place } from './world.ts';

interface LineOptions {
  readonly keyOf: (operation: OperationObject) => OperationKey;
  readonly find: (key: OperationKey) => OperationObject | undefined;
  /** Whether it has a Job, or is getting one now. */
  readonly hasJob: (key: OperationKey) => boolean;
}

/**
 * Of the operations of one kind on one Dataset, one runs at a time: two loads would evict each other's data, two migrations or scripts may
 * write the same files, and a master makes one backup at a time. Operations of different kinds use different parts, and run at once; who wants
 * an order writes `runAfter`. An operation that waits for another one holds no place.
 */
export function lineOf(operations: readonly OperationObject[], { keyOf, find, hasJob }: LineOptions): readonly Place[] {
  const places = operations.flatMap((operation): Place | readonly [] => {
    if (isOver(operation)) return [];
    const key = keyOf(operation);
    const { metadata, status } = operation;
    // The schedule starts its Jobs, whoever runs.
    if (operation.spec.policy === 'Cron' && !isRunning(operation)) return [];
    const runs = isRunning(operation) || hasJob(key);
    const created = Date.parse(metadata.creationTimestamp ?? '') || 0;
    if (runs) return { key, isRunning: true, isStuck: false, since: created };
    if (metadata.deletionTimestamp || holdOf(operation)) return [];
    const predecessor = predecessorOf(operation, find);
    if (predecessor.is !== 'done') return [];
    const isStuck =
      status?.conditions?.some(({ type, reason = '' }) => type === 'Complete' && causeOf(reason as Reason).isRefusal === true) ?? false;
    return { key, isRunning: false, isStuck, since: Math.max(created, Date.parse(predecessor.at ?? '') || 0) };
  });
  return places.toSorted(
    (a, b) =>
      Number(b.isRunning) - Number(a.isRunning) ||
      Number(a.isStuck) - Number(b.isStuck) ||
      a.since - b.since ||
      (keyText(a.key) < keyText(b.key) ? -1 : 1),
  );
}
