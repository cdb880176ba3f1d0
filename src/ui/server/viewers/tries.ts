import type { Monotonic } from '../../../kube/clock.ts';
import { TooMany } from './viewers.ts';

/** Bounds how often the API server is asked about tokens that nobody has signed in with: anybody may send some. */
export interface Tries {
  /** @throws TooMany */
  begin(): void;
}

/** @param perSecond on average; twice as many at once */
export function createTries(perSecond: number, clock: Monotonic): Tries {
  let left = 2 * perSecond;
  let at = clock.monotonic();
  return {
    begin() {
      const now = clock.monotonic();
      left = Math.min(2 * perSecond, left + ((now - at) / 1000) * perSecond);
      at = now;
      if (left < 1) throw new TooMany('too many try to sign in: wait some seconds');
      left--;
    },
  };
}
