import { Dataset, operationKinds } from '../../../api/index.ts';
import { inChunks, type Pace } from '../../../kube/turns/pace.ts';
import type { Sight } from '../viewers/sight.ts';
import type { LiveFleet } from './fleet.ts';

const OPERATIONS: ReadonlyMap<string, string> = new Map(operationKinds.map(({ kind, plural }) => [kind, plural]));
export const DATASETS = Dataset.plural;
/** The plural of a kind of operations. */
export const pluralOf = (kind: string): string => OPERATIONS.get(kind) ?? '';

/** The JSON of `Fleet` for one viewer, in chunks. A row that changes meanwhile is among the changes after its version too. */
export async function* fleetText(
  fleet: LiveFleet,
  { sight, version, now, pace }: { readonly sight: Sight; readonly version: string; readonly now: number; readonly pace: Pace },
): AsyncGenerator<string> {
  yield `{"version":${JSON.stringify(version)},"viewer":${JSON.stringify(sight.viewer())},"datasets":[`;
  yield* inChunks(
    texts(fleet.datasets.values(), (kept) => (sight.sees(DATASETS, kept.row.namespace) ? fleet.datasetRow(kept, sight.sees) : undefined)),
    pace,
  );
  yield '],"operations":[';
  yield* inChunks(
    texts(fleet.operations.values(), (kept) =>
      sight.sees(pluralOf(kept.kind), kept.row.namespace) ? fleet.operationRow(kept, now) : undefined,
    ),
    pace,
  );
  yield ']}';
}

function* texts<T>(all: Iterable<T>, rowOf: (each: T) => object | undefined): Generator<string> {
  let separator = '';
  for (const each of all) {
    const row = rowOf(each);
    if (!row) continue;
    yield `${separator}${JSON.stringify(row)}`;
    separator = ',';
  }
}

/** Namespaces that have rows. */
export function namespacesOf({ datasets, operations }: Pick<LiveFleet, 'datasets' | 'operations'>): ReadonlySet<string> {
  const namespaces = new Set<string>();
  for (const { row } of datasets.values()) namespaces.add(row.namespace);
  for (const { row } of operations.values()) namespaces.add(row.namespace);
  return namespaces;
}
