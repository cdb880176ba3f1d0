/** The table of versions of Kubernetes, and the tests that it counts. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileReport } from '../../scripts/test-counts.ts';
import { withRow } from '../../scripts/versions/table.ts';
import { SHORT_FILES, TOPIC_FILES } from '../../scripts/versions/topics.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/compatibility.md'), 'utf8');
const passed = TOPIC_FILES.map(
  (file): FileReport => ({ file, project: 'cluster', ms: 1, broken: false, passed: 2, failed: 0, skipped: 0 }),
);
const rows = (text: string) => text.split('\n').filter((line) => /^\| 1\.\d+\.\d+/.test(line));

test('each file of the table exists, once', () => {
  expect(TOPIC_FILES.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(new Set(TOPIC_FILES).size).toBe(TOPIC_FILES.length);
  expect(TOPIC_FILES).toEqual(expect.arrayContaining([...SHORT_FILES]));
});

test('a version has one row, among the others in their order', () => {
  const empty = page.replace(/(?<=npm run versions -->\n).*?(?=<!-- end -->)/s, '');
  const both = withRow(withRow(empty, '1.34', passed), '1.29', passed);
  expect(rows(both).map((row) => row.split(' | ').slice(0, 2))).toEqual([
    ['| 1.29.15', '6'],
    ['| 1.34.4, the default', '6'],
  ]);
  expect(withRow(both, '1.29', passed)).toBe(both);
});

test('a cell says what failed, what was skipped, and what did not run', () => {
  const reports = passed
    .filter(({ file }) => !file.includes('/install.'))
    .map((report) => (/\/(?:crds|kube)\./.test(report.file) ? { ...report, passed: 1, failed: 1, broken: true, skipped: 3 } : report));
  const [row = ''] = rows(withRow(page, '1.37', reports)).slice(-1);
  expect(row.split(' | ').slice(0, 6)).toEqual([
    '| 1.37.2',
    '**1 of 6 fail**, 3 skipped',
    '6',
    '6',
    '**1 of 2 fail**, 3 skipped',
    'not run',
  ]);
});

test('a file that could not be loaded is a failure', () => {
  const broken = passed.map((report) => (report.file.includes('/kube.') ? { ...report, passed: 0, broken: true } : report));
  expect(withRow(page, '1.29', broken)).toContain('**1 of 1 fail**');
});

test('a page without a place for the table is refused', () => {
  expect(() => withRow('text', '1.29', [])).toThrow('expected <!-- written by: npm run versions -->');
});
