/** A reporter of vitest that writes what scripts/test.ts counts: each test file, how long it took, and what became of its tests. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import type { FileReport } from './test-counts.ts';

/** Where it writes, as JSON. */
export const REPORT_FILE = 'SLUICE_TEST_REPORT';

export default class TestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env[REPORT_FILE];
    if (file) writeFileSync(file, JSON.stringify(modules.map(reportOf)));
  }
}

function reportOf(module: TestModule): FileReport {
  const tests = [...module.children.allTests()];
  const having = (state: string) => tests.filter((test) => test.result().state === state).length;
  return {
    file: relative(module.project.config.root, module.moduleId),
    project: module.project.name,
    ms: module.diagnostic().duration,
    broken: module.state() === 'failed',
    passed: having('passed'),
    failed: having('failed'),
    skipped: having('skipped'),
  };
}
