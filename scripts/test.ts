/**
 * `npm test`: the checks, then every test: unit, programs, simulation, adversary, cluster and node; closes with seconds by test file,
 * what passed only when it was tried again, and one line, `N passed, N failed`.
 *
 *   --use-cluster   run the cluster tests against the cluster of KUBECONFIG instead of a control plane of our own
 *   anything else   is passed to vitest, e.g. a file name
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closingLine, countReport, type Counts, type FileReport, NONE, secondTries, sum, timeLines } from './test-counts.ts';
import { REPORT_FILE } from './test-reporter.ts';

const asked = process.argv.slice(2);
const useCluster = asked.includes('--use-cluster');
const checks = sum(check(), packageCheck());
const { files, status } = vitest(asked.filter((argument) => argument !== '--use-cluster'));
const counts = sum(checks, countReport(files, status));
console.log(['', ...timeLines(files), '', ...secondTries(files), closingLine(counts)].join('\n'));
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

/** The checks count as one test; their unit tests are run below, with all others. */
function check(): Counts {
  return one(run('node', ['scripts/check.ts', 'types', 'layers', 'unused', 'generated', 'format', 'lint']));
}
/** So does what would be published. */
function packageCheck(): Counts {
  return one(run('node', ['scripts/package-check.ts']));
}
function one(status: number): Counts {
  return status === 0 ? { ...NONE, passed: 1 } : { ...NONE, failed: 1 };
}

function vitest(filters: readonly string[]): { readonly files: readonly FileReport[]; readonly status: number } {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  try {
    const report = join(dir, 'report.json');
    const projects = ['unit', 'programs', 'simulation', 'adversary', 'cluster', 'node'].flatMap((name) => ['--project', name]);
    const reporters = ['--reporter=default', '--reporter=./scripts/test-reporter.ts'];
    const status = run('vitest', ['run', ...projects, ...reporters, ...filters], {
      [REPORT_FILE]: report,
      ...(useCluster && { SLUICE_USE_CLUSTER: '1' }),
    });
    return { files: readReport(report), status };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The exit code; 1 when a signal ended it. */
function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}

/** Nothing when vitest ended before it wrote any. */
function readReport(file: string): readonly FileReport[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly FileReport[];
  } catch {
    return [];
  }
}
