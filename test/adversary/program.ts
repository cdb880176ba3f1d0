import type { Level } from './rights.ts';

/** One program: everything about it follows from these. */
export interface Program {
  readonly seed: number;
  readonly index: number;
  readonly level: Level;
  /** Which of its actions; all by default. */
  readonly only?: readonly number[];
}
export interface Failure {
  /** Violations, in words. */
  readonly wrong: readonly string[];
  /** Actions until then. */
  readonly done: readonly string[];
  /** The number of the action after which it did not hold. */
  readonly at: number;
}

/** Actions of a program. */
export const LENGTH = 22;

/** Takes actions away for as long as the program still fails. */
export async function shortest(
  program: Program,
  failure: Failure,
  run: (program: Program) => Promise<Failure | undefined>,
): Promise<{ readonly program: Program; readonly failure: Failure }> {
  let best = { program: { ...program, only: program.only ?? numbersTo(Math.min(failure.at, LENGTH - 1)) }, failure };
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const each of best.program.only.toReversed()) {
      const only = best.program.only.filter((other) => other !== each);
      const again = await run({ ...program, only });
      if (!again) continue;
      best = { program: { ...program, only }, failure: again };
      isShorter = true;
    }
  }
  return best;
}
const numbersTo = (last: number): readonly number[] => Array.from({ length: last + 1 }, (_, i) => i);

export const replayOf = ({ seed, index, level, only }: Program): string =>
  `npm run adversary -- --seed ${seed} --first ${index} --programs 1 --level ${level}${only ? ` --only ${only.join(',')}` : ''}`;

export const report = ({ done, wrong }: Failure): string =>
  ['', ...done.map((each) => `  ${each}`), '', ...wrong.slice(0, 5).map((each) => `✗ ${each}`)].join('\n');
