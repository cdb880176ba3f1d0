import { describe, expect, test } from 'vitest';
import type { DatasetCondition, RuntimeCondition } from '../../../src/api/index.ts';
import { timestamp } from '../../../src/kube/clock.ts';
import { type UntimedCondition, withCondition, withoutCondition } from '../../../src/reconciler/status/conditions.ts';

const noon = Date.parse('2026-01-02T12:00:00.789Z');
const later = noon + 60_000;
const ready: UntimedCondition = { type: 'Ready', status: 'True', reason: 'Fine', message: 'All is well.' };
const condition = withCondition<RuntimeCondition>([], ready, noon, 'lastProbeTime');

describe('a condition', () => {
  test('that is new has both times, in seconds', () =>
    expect(condition).toEqual([{ ...ready, lastProbeTime: '2026-01-02T12:00:00Z', lastTransitionTime: '2026-01-02T12:00:00Z' }]));
  test('that says the same again is the same list', () =>
    expect(withCondition(condition, { ...ready }, later, 'lastProbeTime')).toBe(condition));
  test.each([{ reason: 'Better' }, { message: 'All is very well.' }])('with other words (%o) keeps the time of its transition', (words) =>
    expect(withCondition(condition, { ...ready, ...words }, later, 'lastProbeTime')).toEqual([
      { ...ready, ...words, lastProbeTime: '2026-01-02T12:01:00Z', lastTransitionTime: '2026-01-02T12:00:00Z' },
    ]),
  );
  test('says no more than people read, whatever a user wrote', () =>
    expect(withCondition([], { ...ready, message: 'x'.repeat(100_000) }, noon, 'lastProbeTime')[0]?.['message']).toHaveLength(8193));
  test('with another status has a new transition', () =>
    expect(withCondition(condition, { ...ready, status: 'False' }, later, 'lastProbeTime')[0]?.lastTransitionTime).toBe(
      '2026-01-02T12:01:00Z',
    ));
  test('of a Dataset has lastUpdateTime', () =>
    expect(withCondition<DatasetCondition>([], ready, noon, 'lastUpdateTime')[0]).toEqual({
      ...ready,
      lastUpdateTime: timestamp(noon),
      lastTransitionTime: timestamp(noon),
    }));
  test('keeps its place among others', () => {
    const list = withCondition(condition, { ...ready, type: 'Other' }, noon, 'lastProbeTime');
    expect(withCondition(list, { ...ready, status: 'False' }, later, 'lastProbeTime').map(({ type }) => type)).toEqual(['Ready', 'Other']);
  });
  test('that Fluid left without a transition gets one', () =>
    expect(withCondition<RuntimeCondition>([{ ...ready, reason: 'Old' }], ready, later, 'lastProbeTime')[0]?.lastTransitionTime).toBe(
      timestamp(later),
    ));
});

test('a condition shows no credentials, and is the same again when the same text is reported again', () => {
  const claim = { ...ready, message: 'dial mysql://root:hunter2@(db:3306)/jfs: refused' };
  const shown = withCondition<RuntimeCondition>([], claim, noon, 'lastProbeTime');
  expect(shown[0]?.message).toBe('dial mysql://[redacted]@(db:3306)/jfs: refused');
  expect(withCondition(shown, claim, later, 'lastProbeTime')).toBe(shown);
});

test('removing what the list lacks returns the same list', () => expect(withoutCondition(condition, 'Other')).toBe(condition));
test('removing one leaves the others', () => expect(withoutCondition(condition, 'Ready')).toEqual([]));
