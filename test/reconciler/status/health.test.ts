import { describe, expect, test } from 'vitest';
import type { DatasetCondition, OperationStatus, RuntimeCondition } from '../../../src/api/index.ts';
import { type Cause, causes } from '../../../src/planning/reasons.ts';
import { withDatasetHealth, withOperationHealth, withRuntimeHealth } from '../../../src/reconciler/status/health.ts';
import * as write from '../../support/objects.ts';
import { harness } from '../harness.ts';

const noon = Date.parse('2026-01-02T12:00:00Z');
const later = noon + 60_000;
const shown = (list: readonly { type: string; status: string; reason?: string }[]) =>
  list.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
const synced = (status: 'True' | 'False', reason: string): RuntimeCondition => ({ type: 'Synced', status, reason, message: 'm' });

test.each(Object.entries<Cause>(causes).filter(([, { isStalling }]) => isStalling))(
  '%s, which only an edit ends, does not pass by itself',
  (_, cause) => expect(cause.passing).toBeUndefined(),
);

describe('the health of a runtime', () => {
  test.each([
    ['True', 'Synced', ['Synced True Synced', 'Ready True Synced']],
    ['False', 'SecretNotFound', ['Synced False SecretNotFound', 'Ready False SecretNotFound', 'Reconciling True SecretNotFound']],
    [
      'False',
      'AcmeProfileNotFound',
      ['Synced False AcmeProfileNotFound', 'Ready False AcmeProfileNotFound', 'Reconciling True AcmeProfileNotFound'],
    ],
    ['False', 'InvalidSpec', ['Synced False InvalidSpec', 'Ready False InvalidSpec', 'Stalled True InvalidSpec']],
  ] as const)('with Synced %s for %s', (status, reason, all) =>
    expect(shown(withRuntimeHealth([synced(status, reason)], noon))).toEqual(all),
  );
  test('stands behind conditions that came later', () => {
    const before = withRuntimeHealth([synced('False', 'WorkersNotReady')], noon);
    const more = [...before, { type: 'WorkersReady', status: 'True' }] as RuntimeCondition[];
    expect(withRuntimeHealth(more, later).map(({ type }) => type)).toEqual(['Synced', 'WorkersReady', 'Ready', 'Reconciling']);
  });
  test('said again is the same, times included', () => {
    const before = withRuntimeHealth([synced('False', 'InvalidSpec')], noon);
    expect(withRuntimeHealth(before, later)).toEqual(before);
  });
  test('changes its time with its status alone', () => {
    const before = withRuntimeHealth([synced('False', 'InvalidSpec')], noon);
    const after = withRuntimeHealth([synced('False', 'SecretNotFound'), ...before.slice(1)], later);
    expect(after.find(({ type }) => type === 'Ready')?.lastTransitionTime).toBe('2026-01-02T12:00:00Z');
    expect(after.find(({ type }) => type === 'Reconciling')?.lastTransitionTime).toBe('2026-01-02T12:01:00Z');
  });
});

describe('the health of a Dataset', () => {
  const ready: DatasetCondition = { type: 'Ready', status: 'True', reason: 'DatasetReady' };
  test('leaves Ready, which is of Fluid, where it is', () =>
    expect(
      shown(withDatasetHealth([ready, { type: 'Updating', status: 'False' }], { reason: 'MountsChanging', message: '' }, noon)),
    ).toEqual(['Ready True DatasetReady', 'Updating False undefined', 'Reconciling True MountsChanging']));
  test('says that its data is unavailable', () =>
    expect(
      shown(withDatasetHealth([ready, { type: 'DataUnavailable', status: 'True', reason: 'ReadsFail' }], undefined, noon)).at(-1),
    ).toBe('Reconciling True ReadsFail'));
  test('is reported with the generation of a spec that no runtime serves, and once its runtime is deleted', async () => {
    const at = await harness();
    at.put(write.openDataset('demo'));
    await at.quiet();
    expect(at.get('Dataset')?.['status']).toMatchObject({
      observedGeneration: 1,
      conditions: [
        { type: 'NotReady', status: 'True' },
        { type: 'Ready', status: 'False', reason: 'RuntimeNotFound' },
        { type: 'Reconciling', status: 'True', reason: 'RuntimeNotFound' },
      ],
    });
    at.put(write.thinRuntime('demo', { profileName: 'profile' }));
    await at.quiet();
    at.forget();
    await at.advance(600_000);
    expect(at.written()).toEqual([]);
    const seen: unknown[] = [];
    at.server.rules.mutate({ kind: 'Dataset', subresource: 'status' }, (object) => {
      seen.push(object['status']);
      return object;
    });
    at.delete('ThinRuntime');
    await at.quiet();
    for (const status of seen)
      expect(status).toMatchObject({
        conditions: expect.arrayContaining([expect.objectContaining({ type: 'Reconciling', status: 'True' })]),
      });
    expect(seen.length).toBeGreaterThan(0);
  });
});

describe('the health of an operation', () => {
  const status = (phase: OperationStatus['phase'], ...conditions: RuntimeCondition[]): OperationStatus => ({
    phase,
    duration: '1s',
    conditions,
  });
  const said = (type: string, is: 'True' | 'False', reason: string): RuntimeCondition => ({ type, status: is, reason, message: 'm' });
  test.each([
    [
      'Once',
      status('Pending', said('Complete', 'False', 'WaitingForTurn')),
      ['Ready False WaitingForTurn', 'Reconciling True WaitingForTurn'],
    ],
    ['Once', status('Pending', said('Complete', 'False', 'RunAfterCycle')), ['Ready False RunAfterCycle', 'Stalled True RunAfterCycle']],
    ['Once', status('Executing'), ['Ready False Executing', 'Reconciling True Executing']],
    ['Once', status('Complete', said('Complete', 'True', 'CompletionsReached')), ['Ready True CompletionsReached']],
    [
      'Once',
      status('Failed', said('Failed', 'True', 'BackoffLimitExceeded')),
      ['Ready False BackoffLimitExceeded', 'Stalled True BackoffLimitExceeded'],
    ],
    ['Cron', status('Pending'), ['Ready True Scheduled']],
    ['Cron', status('Executing'), ['Ready True Scheduled']],
    [
      'Cron',
      status('Failed', said('Failed', 'True', 'BackoffLimitExceeded')),
      ['Ready False BackoffLimitExceeded', 'Stalled True BackoffLimitExceeded'],
    ],
    ['Cron', status('Executing', said('Complete', 'False', 'NoPods')), ['Ready False NoPods', 'Reconciling True NoPods']],
  ] as const)('with policy %s and %o', (policy, now, health) => {
    const { conditions } = withOperationHealth({ spec: { policy } }, now, noon);
    expect(shown(conditions).slice(now.conditions.length)).toEqual(health);
    expect(conditions.slice(0, now.conditions.length)).toEqual(now.conditions);
  });
});
