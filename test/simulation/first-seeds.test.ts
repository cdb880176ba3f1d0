import { expect, test } from 'vitest';
import { run } from './run.ts';
import { planOf } from './scenario.ts';
import { simulates } from './seeds.ts';

test('the same seed is the same world, to the last request', async () => {
  const [first, second, other] = [await run(planOf(7)), await run(planOf(7)), await run(planOf(8))];
  expect(second.trace).toBe(first.trace);
  expect(other.trace).not.toBe(first.trace);
});

simulates(1);
