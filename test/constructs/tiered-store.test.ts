import { expect, test } from 'vitest';
import type { TierLevel } from '../../src/api/index.ts';
import { cacheByMedium, levelQuotas } from '../../src/constructs/index.ts';

const GiB = 2 ** 30;
const level = (more: Partial<TierLevel> = {}): TierLevel => ({ mediumtype: 'SSD', path: '/a,/b', ...more });

test('divides a quota evenly among the paths', () => expect(levelQuotas(level({ quota: '3Gi' }), 'level')).toEqual([1.5 * GiB, 1.5 * GiB]));
test('lets a list of quotas win', () =>
  expect(levelQuotas(level({ quota: '9Gi', quotaList: '1Gi,2Gi,' }), 'level')).toEqual([GiB, 2 * GiB]));
test('refuses a list of another length', () =>
  expect(() => levelQuotas(level({ quotaList: '1Gi' }), 'level')).toThrow(
    'level.quotaList: expected 2 amounts, one for each path, found "1Gi"',
  ));
test('says which level has no amount for a quota', () =>
  expect(() => cacheByMedium([level(), level({ quota: 'much' })])).toThrow('spec.tieredstore.levels[1].quota'));
test('adds up the levels of each medium, and leaves out what the spec lacks', () => {
  expect(
    cacheByMedium([level({ mediumtype: 'MEM', quota: '1Gi' }), level({ quota: '2Gi' }), level({ mediumtype: 'HDD', quota: '3Gi' })]),
  ).toEqual({
    memory: GiB,
    disk: 5 * GiB,
  });
  expect(cacheByMedium([level()])).toEqual({});
  expect(cacheByMedium()).toEqual({});
});
