/** An order cannot go on, for a reason that an operator can remove. Each line may have text of others. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly lines: readonly string[];

  constructor(lines: readonly string[], options?: ErrorOptions) {
    super(lines.join('\n'), options);
    this.lines = lines;
  }
}
