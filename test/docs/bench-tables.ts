/** The tables of what benches measured, from the lines that are kept of their runs. */
import { measured, named, markdown } from '../../bench/markdown.ts';
import { figuresOf, reasonFor, recordedRuns } from '../../bench/recorded.ts';
import { code, table } from './markdown.ts';

/** `2026-11-22-controller` → `runController`. */
const nameOf = (run: string): string =>
  run
    .replace(/^[\d-]+/, '-')
    .replace(/^/, 'run')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

export const benchTables: Readonly<Record<string, () => Promise<string>>> = {
  ...Object.fromEntries(recordedRuns().map((run) => [nameOf(run), async () => markdown(figuresOf(run))])),
  async missed() {
    return table(
      ['bench', 'measured', 'target', 'why, as far as known'],
      recordedRuns()
        .flatMap(figuresOf)
        .filter(({ ok }) => !ok)
        .map((figure) => [code(named(figure)), measured(figure), figure.target, reasonFor(figure)]),
    );
  },
};
