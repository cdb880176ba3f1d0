import { systemClock } from '../../../../src/kube/clock.ts';
import { expect, test } from 'vitest';
import { createTurns } from '../../../../src/reconciler/kubernetes/commands/turns.ts';

test('work that throws before it waits for anything leaves its turn to the next', async () => {
  const inTurn = createTurns(1, systemClock);
  const broken = () => {
    throw new Error('broken');
  };
  const first = inTurn('a', broken);
  const second = inTurn('a', broken);
  const third = inTurn('b', async () => 'done');
  await expect(first).rejects.toThrow('broken');
  await expect(second).rejects.toThrow('broken');
  expect(await third).toBe('done');
}, 2_000);
