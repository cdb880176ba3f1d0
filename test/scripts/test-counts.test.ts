import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closingLine, countReport, type FileReport, timeLines } from '../../scripts/test-counts.ts';

const root = join(import.meta.dirname, '../..');
const file = (name: string, given: Partial<FileReport> = {}): FileReport => ({
  file: name,
  project: 'unit',
  ms: 10,
  broken: false,
  passed: 1,
  failed: 0,
  skipped: 0,
  ...given,
});

describe('countReport', () => {
  test('adds up the files of all projects', () => {
    const files = [file('a', { passed: 1, skipped: 2 }), file('b', { passed: 1, failed: 1, broken: true })];
    expect(countReport(files, 1)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test('counts a file that did not load as one failure', () => {
    expect(countReport([file('a', { passed: 0, broken: true }), file('b')], 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('counts a run that ended badly as one failure, though no test failed', () => {
    expect(countReport([file('a')], 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
    expect(countReport([], 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

test('the lines before the last name seconds by test file, the longest first', () => {
  const files = [file('short', { ms: 400 }), file('long', { ms: 61_230 }), file('shorter', { ms: 20 }), file('longer', { ms: 90_000 })];
  expect(timeLines(files)).toEqual(['   90.0 s  longer', '   61.2 s  long', '    0.4 s  2 files of less than a second']);
});

test('the closing line mentions skipped tests only when there are any', () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

test('the reporter reports the result of each test, and files that do not load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-report-'));
  try {
    const vitest = JSON.stringify(join(root, 'node_modules/vitest/dist/index.js'));
    writeFileSync(
      join(folder, 'some.test.mjs'),
      `import { test } from ${vitest};
test('passes', () => {});
test('fails', () => { throw new Error('always'); });
test.skip('is skipped', () => {});`,
    );
    writeFileSync(join(folder, 'broken.test.mjs'), `throw new Error('not to be loaded');`);
    const report = join(folder, 'report.json');
    const reporter = join(root, 'scripts/test-reporter.ts');
    const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', '--root', folder, `--reporter=${reporter}`], {
      env: { ...process.env, SLUICE_TEST_REPORT: report },
      stdio: 'ignore',
    });
    const files = (JSON.parse(readFileSync(report, 'utf8')) as FileReport[]).toSorted((a, b) => a.file.localeCompare(b.file));
    expect(files).toMatchObject([
      { file: 'broken.test.mjs', broken: true, passed: 0 },
      {
        file: 'some.test.mjs',
        broken: true,
        passed: 1,
        failed: 1,
        skipped: 1,
      },
    ]);
    expect(countReport(files, status ?? 1)).toEqual({ passed: 1, failed: 2, skipped: 1 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
