/** Runs of vitest as programs, with a report of each test file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileReport } from './test-counts.ts';
import { REPORT_FILE } from './test-reporter.ts';

export interface TestRun {
  readonly files: readonly FileReport[];
  /** The exit code. */
  readonly status: number;
}

export interface Runner {
  /** The exit code; 1 when a signal ended it. */
  run(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<number>;
  /** Runs tests of these projects; the files are empty when vitest ended before it reported any. */
  vitest(projects: readonly string[], args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<TestRun>;
}

/** Programs that write where this process does, and end with it. */
export function createRunner(): Runner {
  const running = new Set<ChildProcess>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // Ctrl-C has reached it already, and a second one would not let it clean up.
      if (signal !== 'SIGINT') for (const child of running) child.kill(signal);
      process.exit(130);
    });
  const run: Runner['run'] = (command, args, env = {}) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    running.add(child);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        running.delete(child);
        resolve(code ?? 1);
      });
    });
  };
  return {
    run,
    async vitest(projects, args = [], env = {}) {
      const dir = mkdtempSync(join(tmpdir(), 'sluice-test-'));
      const remove = () => rmSync(dir, { recursive: true, force: true });
      process.once('exit', remove);
      const report = join(dir, 'report.json');
      const chosen = projects.flatMap((name) => ['--project', name]);
      const reporters = ['--reporter=default', '--reporter=./scripts/test-reporter.ts'];
      const status = await run('vitest', ['run', ...chosen, ...reporters, ...args], { ...env, [REPORT_FILE]: report });
      const files = readReport(report);
      process.off('exit', remove);
      remove();
      return { files, status };
    },
  };
}

function readReport(file: string): readonly FileReport[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly FileReport[];
  } catch {
    return [];
  }
}
