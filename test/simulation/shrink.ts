import type { Plan } from './plan.ts';
import { run } from './run.ts';

/** The plan with only these of its happenings, by their numbers. */
export const onlyOf = (plan: Plan, kept: readonly number[]): Plan => ({
  ...plan,
  happenings: kept.flatMap((i) => plan.happenings[i] ?? []),
});

/** The kind of a finding, without names and numbers. */
const kindOf = (finding: string | undefined): string | undefined => finding?.replaceAll(/\S*[\d/]\S*/g, '').slice(0, 60);

/**
 * The numbers of a few happenings with which the world still fails: leaves out pieces, each half as large as the ones before, down to
 * single happenings, until none can be left out.
 *
 * @param mostRuns after so many worlds it returns what it has
 */
export async function shrink(plan: Plan, mostRuns = 200): Promise<readonly number[]> {
  const kind = kindOf((await run(plan)).finding);
  let kept = plan.happenings.map((_, i) => i);
  let runs = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1 && runs < mostRuns; size = Math.floor(size / 2)) {
    for (let shrunk = true; shrunk; ) {
      shrunk = false;
      for (let from = kept.length - size; from > -size && runs < mostRuns; from -= size) {
        const without = [...kept.slice(0, Math.max(0, from)), ...kept.slice(from + size)];
        runs++;
        if (kindOf((await run(onlyOf(plan, without))).finding) !== kind) continue;
        kept = without;
        shrunk = true;
      }
      if (size > 1) break;
    }
  }
  return kept;
}
