/**
 * Runs one command in one container and returns what it printed. Rejects when it cannot start, its exit code is not 0, it takes too long, or,
 * at once, when it prints more than `mostBytes`. Without `mostBytes`, nobody reads it, and what is too much is discarded.
 */
export type PodExec = (
  where: { readonly namespace: string; readonly pod: string; readonly container: string },
  argv: readonly string[],
  timeoutMs: number,
  mostBytes?: number,
) => Promise<string>;

/** A command that did not end in time. What had printed nothing may not have begun: its node may be lost. */
export class CommandTimeout extends Error {
  readonly hasPrinted: boolean;

  constructor(message: string, hasPrinted: boolean) {
    super(message);
    this.hasPrinted = hasPrinted;
  }
}
