/**
 * `npm run -s bench [-- NAME…]`: one JSON object a line for each figure, progress on standard error.
 *
 *   NAME         only these benches, e.g. bind-one drift
 *   --markdown   the table of docs/benchmarks.md instead of JSON
 *   --from FILE  with --markdown: from the JSON lines of an earlier run
 *   --quick      fewer runs and shorter periods, for trying a bench out
 *   --list       the names
 *
 * Exits with 1 when a bench could not be run, not when it missed its target.
 */
import { bindMany } from './bind-many.ts';
import type { Bench, Figure } from './figure.ts';
import { type Lab, openLab, say } from './lab.ts';

/** Benches of one group share a control plane, in this order. */
const groups: readonly (readonly Bench[])[] = [
  [bindMany(100), bindMany(300), bindMany(1000)],
];
const args = process.argv.slice(2);
const names = args.filter((argument) => !argument.startsWith('-'));
const isWanted = ({ name }: Bench) => names.length === 0 || names.includes(name);
let broken = 0;
for (const group of groups) await runGroup(group.filter(isWanted));
process.exitCode = broken > 0 ? 1 : 0;

async function runGroup(benches: readonly Bench[]): Promise<void> {
  let opened: Promise<Lab> | undefined;
  const lab = () => (opened ??= openLab());
  for (const bench of benches) {
    say(`${bench.name} begins`);
    try {
      for await (const figure of bench.run({ lab, quick: args.includes('--quick') })) print(figure);
    } catch (error) {
      broken++;
      say(`${bench.name} could not be run: ${error instanceof Error ? error.stack : error}`);
    }
  }
  await (await opened)?.close();
}

function print(figure: Figure): void {
  console.log(JSON.stringify(figure));
}
