import { causeOf, type Reason } from '../../planning/reasons.ts';
import { type Hold, keyText, type OperationKey } from '../world.ts';
import { readySince } from './predecessor.ts';
import { operationKeyOf } from './references.ts';
import { endOf, hasNoPods, isDone, isOver, isRunning, LACKS_PODS, pauseOf, waitingSince } from './state.ts';
import type { OperationObject, OperationWorld, LinePosition } from './world.ts';

interface LineOptions {
  readonly find: (key: OperationKey) => OperationObject | undefined;
  /** Whether it has a Job that runs, or is getting one now. */
  readonly hasJob: (key: OperationKey) => boolean;
}

/**
 * Only one of the operations of one kind on one Dataset runs at a time: two loads would evict each other's data, two migrations or scripts
 * may write the same files, and a master makes one backup at a time. Operations of different kinds use different parts, and run at once: a
 * user who wants an order writes `runAfter`. An operation that waits for another one holds no place, and neither does a paused one.
 */
export const lineOf = (operations: readonly OperationObject[], options: LineOptions): readonly LinePosition[] =>
  operations.flatMap((operation) => placeOf(operation, options) ?? []).toSorted(byTurn);

/** The place of one operation; undefined if it stands in no line. It depends on the operation, and on those that its spec names. */
export function placeOf(operation: OperationObject, { find, hasJob }: LineOptions): LinePosition | undefined {
  if (isOver(operation)) return undefined;
  const key = operationKeyOf(operation);
  const { metadata } = operation;
  // One that is being deleted may wait for finalizers of others long after its Job is gone.
  const runs = hasJob(key) || (isRunning(operation) && !metadata.deletionTimestamp);
  const created = Date.parse(metadata.creationTimestamp ?? '') || 0;
  if (runs) return { key, isRunning: true, isStuck: false, since: created, hasNoPods: hasNoPods(operation) };
  // The schedule starts its Jobs, whoever runs. One that is to run once more is not ready for that yet.
  if (metadata.deletionTimestamp || operation.spec.policy === 'Cron' || isDone(operation)) return undefined;
  if (pauseOf(operation) || waitsFor(operation, 'isUnready')) return undefined;
  const ready = readySince(operation, find);
  if (ready === undefined) return undefined;
  const since = Math.max(created, ready, resetAt(operation));
  return { key, isRunning: false, isStuck: waitsFor(operation, 'isRefusal'), since };
}

/** Sorts by turn. No two operations are equal. */
export const byTurn = (a: LinePosition, b: LinePosition): number =>
  Number(b.isRunning) - Number(a.isRunning) ||
  Number(a.isStuck) - Number(b.isStuck) ||
  a.since - b.since ||
  compareTexts(keyText(a.key), keyText(b.key));
const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** One that has run before goes behind those that waited meanwhile: since its status was reset, it waits. */
const resetAt = (operation: OperationObject): number => {
  const { observedRetry, observedMounts } = operation.status ?? {};
  return observedRetry === undefined && observedMounts === undefined ? 0 : waitingSince(operation);
};

/** Whether the API server refuses its Job, or the operation cannot start yet, as its status says. */
const waitsFor = ({ status }: OperationObject, what: 'isRefusal' | 'isUnready'): boolean =>
  status?.conditions?.some(({ type, reason = '' }) => type === 'Complete' && causeOf(reason as Reason)[what] === true) ?? false;

/** Whether no line moves between two versions of an operation: where it waits is written again and again. */
export const isSamePlace = (old: OperationObject, now: OperationObject): boolean =>
  !now.metadata.deletionTimestamp &&
  old.metadata.annotations === now.metadata.annotations &&
  endOf(old) === endOf(now) &&
  old.metadata.uid === now.metadata.uid &&
  old.spec === now.spec &&
  (old.status?.phase || 'Pending') === (now.status?.phase || 'Pending') &&
  resetAt(old) === resetAt(now) &&
  hasNoPods(old) === hasNoPods(now) &&
  old.status?.waitingFor?.operationComplete === now.status?.waitingFor?.operationComplete &&
  old.status?.observedRunAfter === now.status?.observedRunAfter &&
  waitsFor(old, 'isRefusal') === waitsFor(now, 'isRefusal') &&
  waitsFor(old, 'isUnready') === waitsFor(now, 'isUnready');

/** The message says how many are before it: it is written again at most so often. */
const POSITION_AGAIN_MS = 60_000;
/** One in a long line is woken when it is the first; that it waits says the same all the time. */
const LONG_LINE_AGAIN_MS = 600_000;
export const turnAgainMs = ({ isLongLine }: OperationWorld): number => (isLongLine ? LONG_LINE_AGAIN_MS : POSITION_AGAIN_MS);

const JOINED_MS = 1000;
/** Why it is not the turn of an operation. */
export function turnHold({ key, line, isLongLine, target, other }: OperationWorld): Hold | undefined {
  const found = line.findIndex(({ key: { name } }) => name === key.name);
  const position = found < 0 ? line.length : found;
  const [first] = line;
  if (!first || position === 0) return undefined;
  const runs = first.hasNoPods ? LACKS_PODS : 'runs';
  const doing = first.isRunning ? runs : 'is next';
  const datasets = other ? `Datasets ${target.name} and ${other.key.name}` : `Dataset ${target.name}`;
  // An operation has a place once its status says that it waits for its turn: no change of another one may follow that.
  const again = found < 0 ? { afterMs: JOINED_MS } : {};
  // The place of each would change whenever the line moves: a write for each of thousands.
  if (isLongLine) return { reason: 'WaitingForTurn', message: `in a long line for ${datasets}`, ...again };
  const message = `number ${position + 1} in line for ${datasets}: ${first.key.kind} ${first.key.name} ${doing}`;
  return { reason: 'WaitingForTurn', message, ...again };
}
