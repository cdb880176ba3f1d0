/** Operations in the order in which they are read: what runs, what waits behind it, then the rest. */
import type { OperationRow } from '../../wire.ts';
import { operationKey } from './fleet.ts';

export type OperationState = 'running' | 'waiting' | 'scheduled' | 'failed' | 'complete';

export interface OrderedOperation {
  readonly row: OperationRow;
  readonly state: OperationState;
  /** How many operations before it in its order are shown above it. */
  readonly depth: number;
}

const STATES: readonly OperationState[] = ['running', 'waiting', 'failed', 'scheduled', 'complete'];

export function stateOf({ phase, schedule }: OperationRow): OperationState {
  if (phase === 'Executing') return 'running';
  if (phase === 'Failed') return 'failed';
  if (schedule !== undefined) return 'scheduled';
  return phase === 'Complete' ? 'complete' : 'waiting';
}

/** An operation that waits for another stands below it, one deeper. The newest of each state comes first. */
export function ordered(rows: readonly OperationRow[], search: string): readonly OrderedOperation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = rows.filter((row) =>
    words.every((word) => `${operationKey(row)} ${row.phase} ${row.datasets.join(' ')}`.toLowerCase().includes(word)),
  );
  const keys = new Set(shown.map(operationKey));
  const followers = Map.groupBy(
    shown.filter(({ after }) => after !== undefined && keys.has(after)),
    ({ after = '' }) => after,
  );
  const first = shown.filter(({ after }) => after === undefined || !keys.has(after));
  const found: OrderedOperation[] = [];
  const seen = new Set<string>();
  const add = (row: OperationRow, depth: number): void => {
    const key = operationKey(row);
    // Operations that wait for each other in a ring have no first one.
    if (seen.has(key)) return;
    seen.add(key);
    found.push({ row, state: stateOf(row), depth });
    for (const next of followers.get(key) ?? []) add(next, depth + 1);
  };
  for (const row of first.toSorted((a, b) => rank(a, followers) - rank(b, followers) || b.created - a.created)) add(row, 0);
  for (const row of shown) add(row, 0);
  return found;
}

/** That of the state, or of a follower whose state is graver: an order that still runs is not among those that are over. */
function rank(row: OperationRow, followers: ReadonlyMap<string, readonly OperationRow[]>): number {
  const ranks = (each: OperationRow, seen: ReadonlySet<string>): number => {
    const key = operationKey(each);
    if (seen.has(key)) return STATES.length;
    const next = new Set(seen).add(key);
    return Math.min(STATES.indexOf(stateOf(each)), ...(followers.get(key) ?? []).map((follower) => ranks(follower, next)));
  };
  return ranks(row, new Set());
}
