import { boards as stored } from '../../src/monitoring/boards.gen.ts';
import { inRange, queriesOf, type StoredBoard } from '../../test/monitoring/queries.ts';
import type { Prometheus } from './prometheus.ts';

/** Which queries of the boards have had data. */
export interface BoardData {
  /** Asks those that had none so far. Throws if Prometheus refuses one. */
  look(): Promise<void>;
  /** By board. */
  found(): readonly { readonly board: string; readonly all: number; readonly without: readonly string[] }[];
}

/** @param range of rates */
export function boardData({ query }: Pick<Prometheus, 'query'>, range: string): BoardData {
  const boards = Object.entries(stored).map(([board, text]) => ({
    board,
    queries: queriesOf(JSON.parse(text) as StoredBoard, inRange(range)),
    seen: new Set<string>(),
  }));
  return {
    async look() {
      for (const { queries, seen } of boards)
        for (const { expr } of queries) if (!seen.has(expr) && (await query(expr)).length > 0) seen.add(expr);
    },
    found: () =>
      boards.map(({ board, queries, seen }) => ({
        board,
        all: queries.length,
        without: queries.flatMap(({ title, expr }) => (seen.has(expr) ? [] : [`${title}: ${expr}`])),
      })),
  };
}
