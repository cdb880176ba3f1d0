import { expect, test } from 'vitest';
import { run } from './run.ts';
import { planOf } from './scenario.ts';

/** Fixed seeds, in as many tests as make a failure easy to find. */
const TESTS = 10;
const SEEDS = 250;

/** @param first the first seed; the file with the other half runs at the same time */
export function simulates(first: number): void {
  for (let i = 0; i < TESTS; i++) {
    const seeds = Array.from({ length: SEEDS / TESTS }, (_, j) => first + (i * SEEDS) / TESTS + j);
    test(`in the worlds of seeds ${seeds[0]} to ${seeds.at(-1)} everything comes to rest as it should be`, async () => {
      const findings: string[] = [];
      for (const seed of seeds) {
        const { finding } = await run(planOf(seed));
        if (finding !== undefined) findings.push(`npm run simulate -- --seed ${seed}: ${finding}`);
      }
      expect(findings).toEqual([]);
    });
  }
}
