import { describe, expect, test } from 'vitest';
import { closingLine, countReport } from '../../scripts/test-counts.ts';

const file = (status: string, ...results: readonly string[]) => ({
  status,
  assertionResults: results.map((result) => ({ status: result })),
});

describe('countReport', () => {
  test('adds up the files of all projects', () => {
    const report = { testResults: [file('passed', 'passed', 'skipped', 'todo'), file('failed', 'failed', 'passed')] };
    expect(countReport(report, 1)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test('counts a file that did not load as one failure', () => {
    expect(countReport({ testResults: [file('failed'), file('passed', 'passed')] }, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('counts a run that ended badly as one failure, though no test failed', () => {
    expect(countReport({ testResults: [file('passed', 'passed')] }, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
    expect(countReport(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

test('the closing line mentions skipped tests only when there are any', () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});
