import { expect, test } from 'vitest';
import { operationCounts } from '../../../src/cli/reconcile/operation-counts.ts';
import type { OperationObject } from '../../../src/reconciler/operations/world.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const operation = (kind: string, phase: string, reason?: string, since = '2026-01-02T03:04:00Z') => {
  const waiting = { type: 'Complete', status: 'False', reason, lastTransitionTime: since };
  return { kind, status: { phase, conditions: reason === undefined ? [] : [waiting] } } as unknown as OperationObject;
};

test('operations are counted by kind and phase, and those that wait by what for, with the longest wait', () => {
  const counts = operationCounts(
    [
      { kind: 'DataLoad' } as OperationObject,
      operation('DataLoad', 'Executing'),
      operation('DataLoad', 'Pending', 'WaitingForTurn'),
      operation('DataLoad', 'Pending', 'WaitingForTurn', '2026-01-02T03:03:05Z'),
      operation('DataMigrate', 'Pending', 'RuntimeNotReady', 'long ago'),
      operation('DataMigrate', 'Complete'),
    ],
    NOW,
  );
  expect(counts).toEqual({
    byPhase: [
      { kind: 'DataLoad', phase: 'None', count: 1 },
      { kind: 'DataLoad', phase: 'Executing', count: 1 },
      { kind: 'DataLoad', phase: 'Pending', count: 2 },
      { kind: 'DataMigrate', phase: 'Pending', count: 1 },
      { kind: 'DataMigrate', phase: 'Complete', count: 1 },
    ],
    waiting: [
      { kind: 'DataLoad', reason: 'WaitingForTurn', count: 2, longestSeconds: 60 },
      { kind: 'DataMigrate', reason: 'RuntimeNotReady', count: 1, longestSeconds: 0 },
    ],
  });
});

test('for all words of other writers of a status, there are few series', () => {
  const many = Array.from({ length: 1000 }, (_, i) => operation('DataLoad', `Phase${i}`, `Reason${i}`));
  const { byPhase, waiting } = operationCounts(many, NOW);
  expect([byPhase.length, waiting.length]).toEqual([101, 101]);
  expect(byPhase.at(-1)).toEqual({ kind: 'DataLoad', phase: 'Other', count: 900 });
});

test('100,000 operations take a scrape little time', () => {
  const many = Array.from({ length: 100_000 }, (_, i) =>
    operation('DataLoad', i % 2 ? 'Complete' : 'Pending', i % 2 ? undefined : 'WaitingForTurn'),
  );
  const before = process.cpuUsage();
  operationCounts(many, NOW);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});
