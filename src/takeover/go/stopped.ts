import { type MissingRight, rightText } from '../fluid/reads.ts';

/** A take-over cannot go on, for a reason that an operator can remove. Each line may have text of others. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly lines: readonly string[];

  constructor(lines: readonly string[], options?: ErrorOptions) {
    super(lines.join('\n'), options);
    this.lines = lines;
  }
}

/** @throws Stopped if there are any: what may not be read must not count as gone */
export function checkRights(missing: readonly MissingRight[]): void {
  if (missing.length > 0) throw new Stopped(missing.map((right) => `expected the right to ${rightText(right)}; the API server refused it`));
}
