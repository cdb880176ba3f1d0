import { expect, test } from 'vitest';
import { usageOf } from '../../../src/csi/publish/stats.ts';

test('volume statistics are bytes and inodes, within 63 bits', () => {
  expect(usageOf('4096 100 40 50 10 4\n')).toEqual([
    { unit: 1, total: 409_600n, available: 163_840n, used: 204_800n },
    { unit: 2, total: 10n, available: 4n, used: 6n },
  ]);
  // s3fs, of a bucket.
  const most = 2n ** 63n - 1n;
  expect(usageOf('16777216 1099511627775 1099511627775 1099511627775 18446744073709551615 18446744073709551615\n')).toEqual([
    { unit: 1, total: most, available: most, used: 0n },
    { unit: 2, total: most, available: most, used: 0n },
  ]);
});
