/** Asks again every 50 ms until there is an answer. `given` is thrown as soon as it says why there never will be one. */
import { setTimeout as sleep } from 'node:timers/promises';

export async function until<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | undefined | false>,
  hopeless: () => string | undefined = () => undefined,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const reason = hopeless();
    if (reason !== undefined) throw new Error(`${what}: ${reason}`);
    if (performance.now() > deadline) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(50);
  }
}
