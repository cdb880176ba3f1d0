/**
 * Whether tests can run that need what not every machine has; for `describe.skipIf(!canRun(…))`. Where they cannot, it says so. In CI it
 * throws: a suite that is skipped there proves nothing, and its reason is read by no one.
 *
 * @param tests what would be skipped
 * @param lacking why; undefined when they can run
 */
export function canRun(tests: string, lacking: string | undefined): boolean {
  if (lacking === undefined) return true;
  if (process.env['CI']) throw new Error(`${tests} cannot run, and CI skips nothing: ${lacking}`);
  console.warn(`${tests}: skipped: ${lacking}`);
  return false;
}
