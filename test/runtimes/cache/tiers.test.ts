import { expect, test } from 'vitest';
import { tiersOf } from '../../../runtimes/cache/tiers.ts';

const tiers = (...levels: NonNullable<Parameters<typeof tiersOf>[0]>) => tiersOf(levels, 'levels');

test('a level is a directory, and its medium MEM or HDD', () => {
  const { levels, memoryBytes, bytes } = tiers(
    { processMemory: { quota: '1Gi' }, high: '0.9', low: '0.5' },
    { emptyDir: { quota: '1Gi', medium: 'Memory' } },
    { hostPath: { paths: ['/a', '/b'], quotas: ['1Gi', '2048Mi'] } },
  );
  expect(levels).toEqual([
    { mountPaths: ['/dev/shm'], mediumType: 'MEM', quotas: ['1Gi'], high: '0.9', low: '0.5' },
    { mountPaths: ['/etc/fluid/mount/tiered-store/level-1-index-0-emptydir'], mediumType: 'MEM', quotas: ['1Gi'] },
    {
      mountPaths: ['/etc/fluid/mount/tiered-store/level-2-index-0-hostpath', '/etc/fluid/mount/tiered-store/level-2-index-1-hostpath'],
      mediumType: 'HDD',
      quotas: ['1Gi', '2Gi'],
    },
  ]);
  expect(memoryBytes).toBe(2 * 2 ** 30);
  expect(bytes).toEqual({ memory: 2 * 2 ** 30, disk: 3 * 2 ** 30 });
});
test.each([
  ['levels[0]: expected one of processMemory, emptyDir and hostPath, found nothing', [{}]],
  ['levels: expected at most one level with processMemory', [{ processMemory: { quota: '1' } }, { processMemory: { quota: '1' } }]],
  ['levels[0].emptyDir.quota: expected an amount above 0', [{ emptyDir: { quota: '0' } }]],
  ['levels[0].hostPath.quotas: expected 2 amounts', [{ hostPath: { paths: ['/a', '/b'], quotas: ['1Gi'] } }]],
  ['levels[0].hostPath.paths[0]: expected', [{ hostPath: { paths: ['a/../b'], quotas: ['1Gi'] } }]],
])('%s', (message, levels) => expect(() => tiers(...levels)).toThrow(message));
