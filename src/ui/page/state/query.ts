/** Which Datasets are shown, and in which order. */
import type { DatasetRow } from '../../wire.ts';
import { ratioOf } from '../format/figures.ts';

export const SORTS = ['trouble', 'namespace', 'name', 'kind', 'phase', 'cached', 'hits', 'data', 'created'] as const;
export type Sort = (typeof SORTS)[number];

export interface FleetQuery {
  /** Words, of which a row has each somewhere. */
  readonly search: string;
  /** Empty: all. */
  readonly namespace: string;
  readonly kind: string;
  readonly unwell: boolean;
  readonly sort: Sort;
  readonly descending: boolean;
}

/** Datasets that are not well come first: they are why the page is opened. */
export const ALL: FleetQuery = { search: '', namespace: '', kind: '', unwell: false, sort: 'trouble', descending: false };

/** Those that the query asks for, sorted; `rows` are in the order of their keys, which decides where others tie. */
export function select(rows: readonly DatasetRow[], query: FleetQuery): readonly DatasetRow[] {
  const words = query.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter(
    (row) =>
      (query.namespace === '' || row.namespace === query.namespace) &&
      (query.kind === '' || row.kind === query.kind) &&
      (!query.unwell || !row.healthy) &&
      words.every((word) => searched(row).includes(word)),
  );
  const compare = COMPARES[query.sort];
  return found.toSorted(query.descending ? (a, b) => compare(b, a) : compare);
}

/** A row never changes, it is replaced: its text is made once. */
const texts = new WeakMap<DatasetRow, string>();

function searched(row: DatasetRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text =
    `${row.namespace}/${row.name} ${row.kind} ${row.phase} ${row.trouble?.type ?? ''} ${row.trouble?.reason ?? ''}`.toLowerCase();
  texts.set(row, text);
  return text;
}

type Compare = (a: DatasetRow, b: DatasetRow) => number;

/** Names of Kubernetes are ASCII: a collator would take ten times as long. */
const byText =
  (of: (row: DatasetRow) => string): Compare =>
  (a, b) => {
    const [one, other] = [of(a), of(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  };

/** Unknown figures come last, or first when descending. */
const byFigure =
  (of: (row: DatasetRow) => number | undefined): Compare =>
  (a, b) =>
    (of(a) ?? Number.MAX_VALUE) - (of(b) ?? Number.MAX_VALUE);

const COMPARES: Readonly<Record<Sort, Compare>> = {
  trouble: (a, b) => gravity(a) - gravity(b),
  namespace: byText(({ namespace }) => namespace),
  name: byText(({ name }) => name),
  kind: byText(({ kind }) => kind),
  phase: byText(({ phase }) => phase),
  cached: byFigure(({ cached, capacity }) => ratioOf(cached, capacity)),
  hits: byFigure(({ hits }) => hits),
  data: byFigure(({ data }) => data),
  created: byFigure(({ created }) => created),
};

/** Failed, then what needs attention, then what is not ready, then the rest. */
function gravity({ healthy, phase, trouble }: DatasetRow): number {
  if (phase === 'Failed') return 0;
  if (trouble) return 1;
  return healthy ? 3 : 2;
}
