import type { Dataset } from '../../api/index.ts';
import { tallyRows } from '../../api/metrics/controller.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import type { OperationObject } from '../operations/world.ts';
import { UNAVAILABLE } from '../../planning/attention.ts';
import { createTally } from './tally.ts';
import { labelsText, linesOf } from './text.ts';

/** Counts of all objects by the words of their statuses. */
export interface Tallies {
  dataset(object: Dataset): void;
  runtime(object: RuntimeObject): void;
  operation(object: OperationObject): void;
  lines(): Iterable<string>;
}

/** @param now milliseconds since the epoch */
export function createTallies(now: number): Tallies {
  const phases = createTally();
  const unavailable = createTally();
  const notSynced = createTally();
  const operations = createTally();
  const waiting = createTally();
  return {
    dataset({ status }) {
      phases.add('Dataset', status?.phase || 'None');
      const condition = status?.conditions?.find(({ type }) => type === UNAVAILABLE);
      if (condition?.status === 'True') unavailable.add('Dataset', condition.reason ?? '');
    },
    runtime({ kind, status }) {
      const synced = status?.conditions?.find(({ type }) => type === 'Synced');
      if (synced?.status === 'False') notSynced.add(kind, synced.reason ?? '');
    },
    operation({ kind, status }) {
      operations.add(kind, status?.phase || 'None');
      const held = status?.conditions?.find(({ type, status: is }) => type === 'Complete' && is === 'False');
      if (held) waiting.add(kind, held.reason ?? '', secondsSince(held.lastTransitionTime, now));
    },
    *lines() {
      yield* linesOf(
        tallyRows,
        'sluice_datasets',
        phases.entries().map(({ what, count }) => [labelsText({ phase: what }), count]),
      );
      const of = (tally: ReturnType<typeof createTally>, label: 'phase' | 'reason') =>
        tally.entries().map((each) => ({ ...each, labels: labelsText({ kind: each.kind, [label]: each.what }) }));
      yield* linesOf(
        tallyRows,
        'sluice_runtimes_not_synced',
        of(notSynced, 'reason').map(({ labels, count }) => [labels, count]),
      );
      yield* linesOf(
        tallyRows,
        'sluice_datasets_unavailable',
        unavailable.entries().map(({ what, count }) => [labelsText({ reason: what }), count]),
      );
      yield* linesOf(
        tallyRows,
        'sluice_operations',
        of(operations, 'phase').map(({ labels, count }) => [labels, count]),
      );
      yield* linesOf(
        tallyRows,
        'sluice_operations_waiting',
        of(waiting, 'reason').map(({ labels, count }) => [labels, count]),
      );
      yield* linesOf(
        tallyRows,
        'sluice_operations_longest_wait_seconds',
        of(waiting, 'reason').map(({ labels, most }) => [labels, most]),
      );
    },
  };
}

function secondsSince(time: string | undefined, now: number): number {
  const since = Date.parse(time ?? '');
  return Number.isNaN(since) ? 0 : Math.max(0, Math.round((now - since) / 1000));
}
