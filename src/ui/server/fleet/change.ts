import type { DatasetRow, FleetChange, OperationRow } from '../../wire.ts';
import type { Sight } from '../viewers/sight.ts';
import { DATASETS, pluralOf } from './fleet-text.ts';
import { DATASET, type LiveFleet } from './fleet.ts';

type Change = Omit<FleetChange, 'version'>;

/** More rows than that are read faster as a whole. */
const MOST_ROWS = 3_000;

/** The present rows of these keys that the viewer may see, and the namespaces of the others. */
export function changeOf(
  fleet: LiveFleet,
  keys: ReadonlySet<string>,
  { sees }: Sight,
  now: number,
): { readonly change: Change | 'large' | undefined; readonly unknown: ReadonlySet<string> } {
  const [datasets, operations]: [DatasetRow[], OperationRow[]] = [[], []];
  const gone: { datasets: string[]; operations: string[] } = { datasets: [], operations: [] };
  const unknown = new Set<string>();
  for (const each of keys) {
    const key = each.slice(DATASET.length);
    const isDataset = each.startsWith(DATASET);
    const [first = '', second = ''] = key.split('/');
    const namespace = isDataset ? first : second;
    if (!sees(isDataset ? DATASETS : pluralOf(first), namespace)) {
      unknown.add(namespace);
      continue;
    }
    const kept = isDataset ? fleet.datasets.get(key) : undefined;
    const operation = isDataset ? undefined : fleet.operations.get(key);
    if (kept) datasets.push(fleet.datasetRow(kept, sees));
    else if (operation) operations.push(fleet.operationRow(operation, now));
    else gone[isDataset ? 'datasets' : 'operations'].push(key);
    if (datasets.length + operations.length > MOST_ROWS) return { change: 'large', unknown };
  }
  const isGone = gone.datasets.length + gone.operations.length > 0;
  if (!isGone && datasets.length + operations.length === 0) return { change: undefined, unknown };
  return {
    unknown,
    change: {
      ...(datasets.length > 0 && { datasets }),
      ...(operations.length > 0 && { operations }),
      ...(isGone && {
        gone: {
          ...(gone.datasets.length > 0 && { datasets: gone.datasets }),
          ...(gone.operations.length > 0 && { operations: gone.operations }),
        },
      }),
    },
  };
}
