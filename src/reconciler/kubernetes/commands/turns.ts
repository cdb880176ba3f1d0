import { createTurnstile } from '../../../kube/turnstile.ts';

/** Who takes longer goes on beside those whose turn it is: pods that hang keep nobody waiting for minutes. */
const TURN_MS = 10_000;

/**
 * Does `slots` things at a time, and of namespaces that wait one each in turn: one with a thousand pods that hang makes another
 * wait for one of them. A library's queue has one line for all.
 *
 * The result of `work` is the caller's; its turn is over when it is done, or after ten seconds.
 */
export function createTurns(slots: number): <T>(namespace: string, work: () => Promise<T>) => Promise<T> {
  const line = createTurnstile<() => void>(Number.POSITIVE_INFINITY);
  let taken = 0;

  function next(): void {
    while (taken < slots) {
      const begin = line.shift();
      if (!begin) return;
      taken++;
      begin();
    }
  }
  function over(namespace: string): void {
    taken--;
    line.leave(namespace);
    next();
  }

  return (namespace, work) =>
    new Promise((resolve) => {
      line.push(namespace, () => {
        let isOver = false;
        const end = () => {
          if (!isOver) over(namespace);
          isOver = true;
        };
        const timer = setTimeout(end, TURN_MS);
        resolve(
          // What throws at once is over as well.
          (async () => work())().finally(() => {
            clearTimeout(timer);
            end();
          }),
        );
      });
      next();
    });
}
