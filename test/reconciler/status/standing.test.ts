/** Our objects as tools that know no kind see them, by the rules of kstatus. */
import { describe, expect, test } from 'vitest';
import type { OperationStatus, RuntimeCondition } from '../../../src/api/index.ts';
import { operationStanding } from '../../../src/reconciler/operations/standing.ts';
import type { OperationObject } from '../../../src/reconciler/operations/world.ts';
import { runtimeStanding, withProgress } from '../../../src/reconciler/status/standing.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const condition = (type: string, status: 'True' | 'False', reason: string): RuntimeCondition => ({
  type,
  status,
  reason,
  message: `${reason}!`,
});
const said = (list: readonly { readonly type: string; readonly status: string; readonly reason?: string }[]) =>
  list.map(({ type, status, reason = '' }) => `${type} ${status} ${reason}`);

describe('a runtime', () => {
  const fluids = condition('MasterReady', 'True', 'MasterReady');
  test.each([
    ['as its spec says is ready', [condition('Synced', 'True', 'Synced')], ['Ready True Synced']],
    [
      'whose pods come is reconciling',
      [condition('Synced', 'False', 'MasterNotReady')],
      ['Ready False MasterNotReady', 'Reconciling True MasterNotReady'],
    ],
    [
      'that waits for a Secret is reconciling',
      [condition('Synced', 'False', 'SecretNotFound')],
      ['Ready False SecretNotFound', 'Reconciling True SecretNotFound'],
    ],
    [
      'with a wrong field is stalled',
      [condition('Synced', 'False', 'InvalidSpec')],
      ['Ready False InvalidSpec', 'Stalled True InvalidSpec'],
    ],
    [
      'whose pods crash is not ready',
      [condition('Synced', 'True', 'Synced'), condition('PodsCrashing', 'True', 'ContainersEnd')],
      ['Ready False ContainersEnd', 'Reconciling True ContainersEnd'],
    ],
  ])('%s', (_, conditions, expected) => {
    const after = runtimeStanding([fluids, ...conditions], [], NOW);
    expect(said(after)).toEqual([...said([fluids, ...conditions]), ...expected]);
  });
  test('is written once: another report of the same is the same list, in the same order', () => {
    const first = runtimeStanding([condition('Synced', 'False', 'InvalidSpec')], [], NOW);
    expect(runtimeStanding(first, first, NOW + 60_000)).toEqual(first);
    expect(said(runtimeStanding([...first, fluids], first, NOW + 60_000)).at(-1)).toBe('Stalled True InvalidSpec');
  });
  test('that stalled and goes on is not both', () => {
    const stalled = runtimeStanding([condition('Synced', 'False', 'InvalidSpec')], [], NOW);
    const after = runtimeStanding([condition('Synced', 'False', 'WorkersNotReady')], stalled, NOW + 1000);
    expect(said(after)).toEqual(['Synced False WorkersNotReady', 'Ready False WorkersNotReady', 'Reconciling True WorkersNotReady']);
  });
});

test('a Dataset that serves, but not as its newest spec says, stays Ready and is stalled', () => {
  const ready = condition('Ready', 'True', 'InvalidSpec');
  expect(said(withProgress([ready], { reason: 'InvalidSpec', message: 'm' }, NOW, 'lastUpdateTime'))).toEqual([
    'Ready True InvalidSpec',
    'Stalled True InvalidSpec',
  ]);
  expect(said(withProgress([ready, condition('Stalled', 'True', 'InvalidSpec')], undefined, NOW, 'lastUpdateTime'))).toEqual([
    'Ready True InvalidSpec',
  ]);
});

describe('an operation', () => {
  const standing = (status: Partial<OperationStatus>, policy: 'Once' | 'Cron' = 'Once') =>
    operationStanding(
      { metadata: { name: 'warm', generation: 3 }, spec: { policy }, status: undefined } as unknown as OperationObject,
      { phase: 'Pending', duration: 'Unfinished', conditions: [], waitingFor: {}, ...status } as OperationStatus,
      NOW,
    );
  test.each<readonly [string, Partial<OperationStatus>, 'Once' | 'Cron', readonly string[]]>([
    ['that runs is reconciling', { phase: 'Executing' }, 'Once', ['Ready False Executing', 'Reconciling True Executing']],
    [
      'that waits is reconciling',
      { conditions: [condition('Complete', 'False', 'WaitingForTurn')] },
      'Once',
      ['Complete False WaitingForTurn', 'Ready False WaitingForTurn', 'Reconciling True WaitingForTurn'],
    ],
    [
      'whose pods are refused is stalled',
      { phase: 'Executing', conditions: [condition('Complete', 'False', 'NoPods')] },
      'Once',
      ['Complete False NoPods', 'Ready False NoPods', 'Stalled True NoPods'],
    ],
    [
      'that is complete is ready',
      { phase: 'Complete', conditions: [condition('Complete', 'True', 'Completed')] },
      'Once',
      ['Complete True Completed', 'Ready True Complete'],
    ],
    [
      'that has failed is stalled, for whatever reason its Job has',
      { phase: 'Failed', conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] },
      'Once',
      ['Failed True BackoffLimitExceeded', 'Ready False BackoffLimitExceeded', 'Stalled True BackoffLimitExceeded'],
    ],
    ['with a schedule is ready before its first time', {}, 'Cron', ['Ready True Scheduled']],
    ['with a schedule is ready while a run of it goes on', { phase: 'Executing' }, 'Cron', ['Ready True Scheduled']],
    [
      'with a schedule whose last run failed is stalled',
      { phase: 'Failed', conditions: [condition('Failed', 'True', 'DeadlineExceeded')] },
      'Cron',
      ['Failed True DeadlineExceeded', 'Ready False DeadlineExceeded', 'Stalled True DeadlineExceeded'],
    ],
  ])('%s', (_, status, policy, expected) => {
    const after = standing(status, policy);
    expect(said(after.conditions)).toEqual(expected);
    expect(after.observedGeneration).toBe(3);
  });
});
