/** A part of a test that stands on the parts before it, and that could not run alone. A failure names it; its seconds are printed. */
export async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  } finally {
    console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${name}`);
  }
}
