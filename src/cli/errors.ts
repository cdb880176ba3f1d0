/** Something is wrong with how we were called: exit code 2, one line a fault. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(lines: string | readonly string[]) {
    super(typeof lines === 'string' ? lines : lines.join('\n'));
  }
}

/** What was asked for cannot or should not be done now, for a reason that the user can do something about: exit code 1. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
