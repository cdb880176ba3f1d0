import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { missed } from './missed.ts';

const folder = join(import.meta.dirname, 'figures');

/** Names of the recorded runs, oldest first: `<date>-<topic>`. */
export const recordedRuns = (): readonly string[] =>
  globSync('*.jsonl', { cwd: folder })
    .map((file) => file.replace(/\.jsonl$/, ''))
    .toSorted();

/**
 * Figures of a recorded run, as the benches printed them.
 * @throws Error if there is no such run, or a line is not JSON
 */
export const figuresOf = (run: string): readonly Figure[] =>
  readFileSync(join(folder, `${run}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    // The cast: benches wrote these lines.
    .map((line) => JSON.parse(line) as Figure);

/**
 * Why a figure misses its target.
 * @throws Error if no reason is known: one belongs into missed.ts
 */
export function reasonFor({ bench }: Figure): string {
  const [, because] = missed.find(([pattern]) => pattern.test(bench)) ?? [];
  if (because === undefined) throw new Error(`bench/missed.ts: expected a reason why ${bench} misses its target`);
  return because;
}
