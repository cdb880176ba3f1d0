import type { Timers } from '../../../kube/clock.ts';
import { createTurnstile } from '../../../kube/turns/turnstile.ts';

/** After so long the next one begins, and the slow one goes on beside it: pods that hang delay no other for minutes. */
const TURN_MS = 10_000;

/**
 * Runs `slots` works at a time; namespaces take turns. So a namespace with a thousand pods that hang delays another one by one of them,
 * which the one queue of a library would not do. Resolves with the result of `work`, whose turn ends with it, or after ten seconds.
 */
export function createTurns(slots: number, clock: Timers): <T>(namespace: string, work: () => Promise<T>) => Promise<T> {
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
        const cancel = clock.after(TURN_MS, end);
        resolve(
          // The async wrapper ends the turn of a work that throws synchronously too.
          (async () => work())().finally(() => {
            cancel();
            end();
          }),
        );
      });
      next();
    });
}
