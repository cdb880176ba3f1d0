/** How many tests passed, failed and were skipped, from vitest's JSON report. Pure. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface VitestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

export function sum(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** `status` is vitest's exit code: a run that ended badly without a failed test (a broken setup, an unhandled error) counts as one. */
export function countReport(report: VitestReport | undefined, status: number): Counts {
  const counts = (report?.testResults ?? []).map(countFile).reduce(sum, NONE);
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function countFile({ status, assertionResults }: VitestReport['testResults'][number]): Counts {
  const having = (wanted: string) => assertionResults.filter((result) => result.status === wanted).length;
  const passed = having('passed');
  const failed = having('failed');
  // A file that could not be loaded, or whose setup failed, has no failed test of its own.
  return { passed, failed: status === 'failed' && failed === 0 ? 1 : failed, skipped: assertionResults.length - passed - failed };
}

export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
