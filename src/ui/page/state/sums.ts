import type { DatasetRow } from '../../wire.ts';

export interface Sums {
  readonly datasets: number;
  readonly unwell: number;
  /** Bytes, of those that report them. */
  readonly cached: number;
  readonly capacity: number;
  readonly data: number;
}

export function sumsOf(rows: readonly DatasetRow[]): Sums {
  let [unwell, cached, capacity, data] = [0, 0, 0, 0];
  for (const row of rows) {
    if (!row.healthy) unwell += 1;
    cached += row.cached ?? 0;
    capacity += row.capacity ?? 0;
    data += row.data ?? 0;
  }
  return { datasets: rows.length, unwell, cached, capacity, data };
}

/** Choices of a filter: each value that occurs, sorted. */
export function valuesOf(rows: readonly DatasetRow[], of: (row: DatasetRow) => string): readonly string[] {
  return [...new Set(rows.map(of))].filter((value) => value !== '').toSorted();
}
