import { describe, expect, test } from 'vitest';
import { readCount, readReport } from '../../../runtimes/alluxio/report.ts';
import { recorded } from './given.ts';

describe('a report', () => {
  test('of metrics has all figures', () => {
    expect(readReport(recorded('report-metrics.txt'))).toEqual({
      capacity: 67_108_864,
      used: 1_988_895,
      read: { local: 0, remote: 1942.28 * 1024, ufs: 0 },
      throughput: { local: 0, remote: 971.14 * 1024, ufs: 0 },
      since: { local: 0, remote: 1942.28 * 1024, ufs: 0 },
    });
  });
  test('of an older version has its capacity in the summary', () => {
    const text = `Cluster.BytesReadLocal  (Type: COUNTER, Value: 19.37MB)\n${recorded('report-summary.txt')}`;
    expect(readReport(text)).toMatchObject({ capacity: 64 * 2 ** 20, used: 1942.28 * 1024, read: { local: 19.37 * 2 ** 20 } });
  });
  test('is of what was read since the one before', () => {
    const report = (remote: string, ufs: string) =>
      `Cluster.BytesReadRemote  (Type: COUNTER, Value: ${remote})\nCluster.BytesReadUfsAll  (Type: COUNTER, Value: ${ufs})
Cluster.CapacityTotal  (Type: GAUGE, Value: 1,024)\nCluster.CapacityUsed  (Type: GAUGE, Value: 0)\n`;
    const first = readReport(report('1KB', '2KB'));
    expect(readReport(report('4KB', '3KB'), first).since).toEqual({ local: 0, remote: 3072, ufs: 1024 });
    // Counters restart with their processes.
    expect(readReport(report('0.5KB', '2KB'), first).since).toEqual({ local: 0, remote: 512, ufs: 0 });
  });
  test.each(['B', 'KB', 'MB', 'GB', 'TB', 'PB'].map((unit, power) => [unit, 1024 ** power] as const))(
    'has sizes in %s, which are powers of 1024',
    (unit, bytes) =>
      expect(
        readReport(`Cluster.CapacityTotal  (Type: GAUGE, Value: 2${unit})\nCluster.CapacityUsed  (Type: GAUGE, Value: 1${unit})\n`),
      ).toMatchObject({ capacity: 2 * bytes, used: bytes }),
  );
  test('without a capacity is none', () => expect(() => readReport('Master is not running')).toThrow('Master is not running'));
});

test('counts files and bytes', () => {
  expect(readCount(recorded('fs-count.txt'))).toEqual({ totalBytes: 1_988_895, files: 1 });
  expect(() => readCount('Path "/" does not exist.')).toThrow('does not exist');
});
