import type { Clock } from '../../kube/clock.ts';
import type { Limiter } from '../../kube/turns/limiter.ts';

/** A time after which nobody waits for the API server any more. */
export interface Deadline {
  /** The answer of a request that has its turn; fails at the deadline. One that has waited until then is not begun. */
  ask<T>(limiter: Limiter, group: string, request: (signal: AbortSignal) => Promise<T>): Promise<T>;
  readonly isOver: boolean;
  /** Nothing waits any more. */
  end(): void;
}

export function deadlineAfter(ms: number, clock: Clock): Deadline {
  const late = new AbortController();
  const { signal } = late;
  const end = clock.after(Math.max(0, ms), () => late.abort(new Error('the API server did not answer in time')));
  const over = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  over.catch(() => {});
  return {
    async ask(limiter, group, request) {
      const answer = limiter.acquire(signal, group).then(() => request(signal).finally(() => limiter.release(group)));
      // One that lost the race fails for no one.
      answer.catch(() => {});
      return Promise.race([answer, over]);
    },
    get isOver() {
      return signal.aborted;
    },
    end,
  };
}
