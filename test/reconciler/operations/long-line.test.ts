/** More operations on one Dataset than anybody reads the places of. */
import { expect, test } from 'vitest';
import { bound, load, statusOf } from './given.ts';

test('in a long line each waits with one text, runs in its turn, and costs no write when another one ends', async () => {
  const at = await bound();
  for (let i = 0; i < 150; i++) at.put(load(undefined, `w${String(i).padStart(3, '0')}`));
  await at.quiet(30_000).catch(() => undefined);
  const waiting = Array.from({ length: 150 }, (_, i) => statusOf(at, `w${String(i).padStart(3, '0')}`)).filter(
    (status) => status?.phase === 'Pending',
  );
  expect(waiting.length).toBeGreaterThan(140);
  expect(new Set(waiting.slice(20).map((status) => status?.conditions?.[0]?.message))).toEqual(
    new Set(['in a long line for Dataset demo']),
  );
  at.forget();
  await at.advance(60_000);
  expect(at.passes.length).toBeLessThan(50);
});
