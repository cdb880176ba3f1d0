import type { Dataset } from '../../api/index.ts';
import type { Hold, Key } from '../world.ts';
import { anotherRun, unsettled } from './again.ts';
import { expiresInMs, hasReported, isDone, isOver, LACKS_PODS, pauseOf } from './state.ts';
import { refusalOf } from './validate.ts';
import type { JobEnd, JobView, OperationWorld, Refusal, Work } from './world.ts';

/** The decision of a pass over an operation. */
export type Verdict =
  /** The operation is over. `expiresInMs`: until it is deleted, if it ever is. */
  | { readonly is: 'over'; readonly expiresInMs: number | undefined }
  /** The operation is being deleted: its Job goes with it. */
  | { readonly is: 'leaving' }
  /** The operation fails without having run. */
  | { readonly is: 'refused'; readonly refusal: Refusal }
  | {
      readonly is: 'waiting';
      readonly hold: Hold;
      readonly for: 'Dataset' | 'predecessor' | 'turn' | 'user';
      /** Work that goes on although the operation is paused. */
      readonly suspends?: readonly Work[];
    }
  /** The operation has its turn. */
  | { readonly is: 'starting'; readonly dataset: Dataset }
  /** The operation's CronJob creates its Jobs. */
  | { readonly is: 'scheduled'; readonly dataset: Dataset }
  /** The operation has a CronJob from before an edit of its policy, or the Job of an earlier run. */
  | { readonly is: 'clearing'; readonly left: Pick<OperationWorld, 'schedule' | 'run'> }
  | { readonly is: 'running'; readonly job: JobView }
  /** The operation's Job was suspended, and has its turn again. */
  | { readonly is: 'resuming' }
  /** The operation runs once more, and nothing is left of the run before. */
  | { readonly is: 'resetting'; readonly hold: Hold }
  /** The operation's latest run has ended, and nothing asks for another one yet. */
  | { readonly is: 'idle' }
  /** The operation's Job has ended. */
  | { readonly is: 'ending'; readonly job: JobView; readonly end: JobEnd };

/**
 * The one decision over an operation of any kind. It depends on the world alone:
 *
 *   Pending ──its turn has come, its Dataset is bound, its runtime is ready──▶ Executing ──its Job ends──▶ Complete or Failed
 *      ▲                                                                                                              │
 *      └─────────────── its user retries it, or mounts of its Dataset change: its Job is deleted ────────────────────┘
 */
export function decideOperation(world: OperationWorld): Verdict {
  const { operation, run, schedule, predecessor, target, dataset, other, works } = world;
  if (operation.metadata.deletionTimestamp) return { is: 'leaving' };
  const isCron = operation.spec.policy === 'Cron';
  // Also when its last Job was complete: the CronJob would go on.
  if (schedule && !isCron) return { is: 'clearing', left: { schedule } };
  if (isOver(operation)) return { is: 'over', expiresInMs: expiresInMs(world) };
  const pause = pauseOf(operation);
  const suspends = pause ? works.filter(({ state }) => state === 'goes') : [];
  if (pause && suspends.length > 0) return { is: 'waiting', for: 'user', hold: pause, suspends };
  if (run?.end && isCron) return { is: 'clearing', left: { run } };
  const again = anotherRun(world);
  if (run?.end && !hasReported(operation, run.end)) return { is: 'ending', job: run, end: run.end };
  if (run?.end) return again ? { is: 'clearing', left: { run } } : { is: 'idle' };
  if (run && !pause) return going(world, run);
  if (isDone(operation) && !run && !isCron) return again ? { is: 'resetting', hold: again } : { is: 'idle' };
  const refusal = refusalOf(world) ?? (predecessor.is === 'failed' ? predecessor.refusal : undefined);
  if (refusal && !run) return { is: 'refused', refusal };
  if (pause) return { is: 'waiting', for: 'user', hold: pause };
  if (!dataset) return waitingToExist(target);
  if (other && !other.dataset) return waitingToExist(other.key);
  if (predecessor.is === 'awaited') return { is: 'waiting', for: 'predecessor', hold: predecessor.hold };
  const hold = unsettled(world);
  if (hold) return { is: 'waiting', for: 'Dataset', hold };
  if (isCron) return { is: 'scheduled', dataset };
  const turn = turnHold(world);
  return turn ? { is: 'waiting', for: 'turn', hold: turn } : { is: 'starting', dataset };
}

/** A Job that was suspended takes its turn again: meanwhile others may have started. */
function going(world: OperationWorld, job: JobView): Verdict {
  if (world.works.some(({ uid, state }) => uid === job.uid && state === 'goes')) return { is: 'running', job };
  const turn = turnHold(world);
  return turn ? { is: 'waiting', for: 'turn', hold: turn } : { is: 'resuming' };
}

function waitingToExist({ name, namespace }: Key): Verdict {
  const message = `no Dataset is called ${name} in namespace ${namespace}`;
  return { is: 'waiting', for: 'Dataset', hold: { reason: 'TargetDatasetNotFound', message } };
}

const JOINED_MS = 1000;
function turnHold({ key, line, isLongLine, target, other }: OperationWorld): Hold | undefined {
  const found = line.findIndex(({ key: { name } }) => name === key.name);
  const position = found < 0 ? line.length : found;
  const [first] = line;
  if (!first || position === 0) return undefined;
  const runs = first.hasNoPods ? LACKS_PODS : 'runs';
  const doing = first.isRunning ? runs : 'is next';
  const datasets = other ? `Datasets ${target.name} and ${other.key.name}` : `Dataset ${target.name}`;
  // The place of each would change whenever the line moves: a write for each of thousands.
  const again = found < 0 ? { afterMs: JOINED_MS } : {};
  if (isLongLine) return { reason: 'WaitingForTurn', message: `in a long line for ${datasets}`, ...again };
  const message = `number ${position + 1} in line for ${datasets}: ${first.key.kind} ${first.key.name} ${doing}`;
  // An operation has a place once its status says that it waits for its turn: no change of another one may follow that.
  return { reason: 'WaitingForTurn', message, ...again };
}
