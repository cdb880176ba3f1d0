/** The fleet on the page: what the server sent first, and every change since. */
import type { DatasetRow, Fleet, FleetChange, OperationRow, Viewer } from '../../wire.ts';

export interface FleetState {
  readonly version: string;
  readonly viewer: Viewer;
  readonly byKey: ReadonlyMap<string, DatasetRow>;
  /** In the order of their keys. */
  readonly datasets: readonly DatasetRow[];
  readonly operationsByKey: ReadonlyMap<string, OperationRow>;
  readonly operations: readonly OperationRow[];
}

export const datasetKey = ({ namespace, name }: Pick<DatasetRow, 'namespace' | 'name'>): string => `${namespace}/${name}`;
export const operationKey = ({ kind, namespace, name }: Pick<OperationRow, 'kind' | 'namespace' | 'name'>): string =>
  `${kind}/${namespace}/${name}`;

export function fleetState({ version, viewer, datasets, operations }: Fleet): FleetState {
  const byKey = new Map(datasets.map((row) => [datasetKey(row), row]));
  const operationsByKey = new Map(operations.map((row) => [operationKey(row), row]));
  return { version, viewer, byKey, datasets: inOrder(byKey), operationsByKey, operations: inOrder(operationsByKey) };
}

/** The state after these changes, the oldest first. What no change concerns stays the same object. */
export function changed(state: FleetState, changes: readonly FleetChange[]): FleetState {
  const last = changes.at(-1);
  if (!last) return state;
  const byKey = merged(
    state.byKey,
    changes.map(({ datasets = [], gone }) => ({ rows: datasets, gone: gone?.datasets ?? [] })),
    datasetKey,
  );
  const operationsByKey = merged(
    state.operationsByKey,
    changes.map(({ operations = [], gone }) => ({ rows: operations, gone: gone?.operations ?? [] })),
    operationKey,
  );
  return {
    version: last.version,
    viewer: state.viewer,
    byKey,
    datasets: byKey === state.byKey ? state.datasets : inOrder(byKey),
    operationsByKey,
    operations: operationsByKey === state.operationsByKey ? state.operations : inOrder(operationsByKey),
  };
}

interface Change<Row> {
  readonly rows: readonly Row[];
  readonly gone: readonly string[];
}

function merged<Row>(
  before: ReadonlyMap<string, Row>,
  changes: readonly Change<Row>[],
  keyOf: (row: Row) => string,
): ReadonlyMap<string, Row> {
  if (changes.every(({ rows, gone }) => rows.length === 0 && gone.length === 0)) return before;
  const after = new Map(before);
  for (const { rows, gone } of changes) {
    for (const row of rows) after.set(keyOf(row), row);
    for (const key of gone) after.delete(key);
  }
  return after;
}

function inOrder<Row>(byKey: ReadonlyMap<string, Row>): readonly Row[] {
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
