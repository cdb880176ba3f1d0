/** The counts of a test run, from the reports of its files. Pure. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface FileReport extends Counts {
  /** From the project's root. */
  readonly file: string;
  readonly project: string;
  /** Milliseconds of its tests and hooks. */
  readonly ms: number;
  /** A test failed, or the file could not be loaded. */
  readonly broken: boolean;
}

export const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

export function sum(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** `status` is vitest's exit code: a run that ended badly without a failed test (a broken setup, an unhandled error) counts as one. */
export function countReport(files: readonly FileReport[], status: number): Counts {
  const counts = files.map(countFile).reduce(sum, NONE);
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** A file that could not be loaded, or whose setup failed, has no failed test of its own. */
function countFile({ passed, failed, skipped, broken }: FileReport): Counts {
  return { passed, failed: broken && failed === 0 ? 1 : failed, skipped };
}

/** Seconds by test file, the longest first; files of less than a second together. */
export function timeLines(files: readonly FileReport[]): readonly string[] {
  const long = files.filter(({ ms }) => ms >= 1000).toSorted((a, b) => b.ms - a.ms);
  const shortMs = files.filter(({ ms }) => ms < 1000).reduce((total, { ms }) => total + ms, 0);
  const line = (ms: number, what: string) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${what}`;
  return [
    ...long.map(({ ms, file }) => line(ms, file)),
    ...(files.length > long.length ? [line(shortMs, `${files.length - long.length} files of less than a second`)] : []),
  ];
}

export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
