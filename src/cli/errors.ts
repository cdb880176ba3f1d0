export { messageOf } from '../kube/errors.ts';

/** An error that the command says in words. Each line may have text of others, with line breaks of theirs. */
class WordedError extends Error {
  readonly lines: readonly string[];

  constructor(lines: string | readonly string[], options?: ErrorOptions) {
    super(typeof lines === 'string' ? lines : lines.join('\n'), options);
    this.lines = typeof lines === 'string' ? [lines] : lines;
  }
}

/** The command line, or a file that it names, is wrong: exit code 2, one line a fault. */
export class UsageError extends WordedError {
  override readonly name = 'UsageError';
}

/** The command cannot or should not run now, for a reason that the user can remove: exit code 1. */
export class Refused extends WordedError {
  override readonly name = 'Refused';
}
