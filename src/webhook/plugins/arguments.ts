/** For a plugin that has none. Throws an Error that says what was found. */
export function noArguments(args: unknown): void {
  if (args !== undefined && args !== null) throw new Error(`args: expected none, found ${JSON.stringify(args)}`);
}
