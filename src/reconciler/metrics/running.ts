import { keyText } from '../../planning/key.ts';
import { datasetsOf } from '../operations/references.ts';
import { isOver, isRunning, repeats } from '../operations/state.ts';
import type { OperationObject } from '../operations/world.ts';
import { progressOf, secondsOf } from '../../planning/figures.ts';

/** The operation of one kind that a Dataset shows: the one that runs, else the one that waits for longest. */
export interface OperationSeen {
  readonly operation: string;
  readonly phase: 'Executing' | 'Pending';
  /** Seconds since 1970: when it was created, or last started by its schedule. */
  readonly since: number;
  /** Share of its work that is done, 0 to 1. */
  readonly progress?: number;
}

/** Operations that are not over, by Dataset. */
export interface Running {
  add(operation: OperationObject): void;
  /** At most one of each kind: first those that run, then the oldest. */
  on(dataset: string): readonly OperationSeen[];
}

export function createRunning(): Running {
  const byDataset = new Map<string, Map<string, OperationSeen>>();
  return {
    add(operation) {
      const seen = seenOf(operation);
      if (!seen) return;
      for (const dataset of datasetsOf(operation).map(keyText)) {
        const byKind = byDataset.get(dataset) ?? new Map<string, OperationSeen>();
        byDataset.set(dataset, byKind);
        const before = byKind.get(operation.kind);
        if (!before || byImportance(seen, before) < 0) byKind.set(operation.kind, seen);
      }
    },
    on: (dataset) => [...(byDataset.get(dataset)?.values() ?? [])].toSorted(byImportance),
  };
}

const byImportance = (a: OperationSeen, b: OperationSeen): number =>
  Number(b.phase === 'Executing') - Number(a.phase === 'Executing') || a.since - b.since;

/** One that waits for the next time of its schedule, or for mounts that change, has no age. */
function seenOf(operation: OperationObject): OperationSeen | undefined {
  const { kind, metadata, status } = operation;
  if (isOver(operation) || (repeats(operation) && !isRunning(operation))) return undefined;
  const progress = isRunning(operation) ? progressOf(status?.infos?.['Progress']) : undefined;
  return {
    operation: kind,
    phase: isRunning(operation) ? 'Executing' : 'Pending',
    since: secondsOf(status?.lastScheduleTime) ?? secondsOf(metadata.creationTimestamp) ?? 0,
    ...(progress !== undefined && { progress }),
  };
}
