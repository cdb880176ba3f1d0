import { describe, expect, test } from 'vitest';
import { isToGo } from '../../../src/csi/stage/clean-policy.ts';

describe('clean policy', () => {
  test.each([
    [{ policy: 'OnDemand' }, true],
    [{ policy: 'OnRuntimeDeleted' }, false],
    [{ policy: '' }, false],
    [{ policy: 'OnFuseChanged', wanted: '2', running: '1' }, true],
    [{ policy: 'OnFuseChanged', wanted: '2', running: '2' }, false],
    [{ policy: 'OnFuseChanged', wanted: '2' }, false],
    [{ policy: 'OnFuseChanged', running: '2' }, false],
  ])('%j: the label goes: %s', (cleaning, expected) => {
    expect(isToGo(cleaning)).toBe(expected);
  });
});
