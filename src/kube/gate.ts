import type { Clock } from './clock.ts';

/**
 * Who may send, and when: at most `slots` requests at a time, first come first served, and nobody while the server
 * asked for quiet. Waiting here rather than inside undici means that a request's timeout and its fencing are counted
 * from the moment it is really sent.
 *
 * After a quiet time half as many may send at once, and one more for each round that goes well, as in TCP (RFC 5681 §3.1): whoever
 * comes back with all that was turned away is turned away again, and for longer.
 */
export interface Gate {
  /** Resolves when the caller holds a slot; rejects with the signal's reason. */
  enter(signal?: AbortSignal): Promise<void>;
  leave(): void;
  /** Nobody enters for `ms`; pauses do not add up, the longest counts. Refusals of one round are one refusal. */
  pause(ms: number): void;
}

export function createGate(slots: number, clock: Clock): Gate {
  const waiting = new Set<() => void>();
  let inside = 0;
  let limit = slots;
  let openAt = 0;
  let cancelWake: (() => void) | undefined;

  function admit(): void {
    const pause = openAt - clock.elapsed();
    if (pause > 0) {
      if (waiting.size > 0) cancelWake ??= clock.after(pause, wake);
      return;
    }
    for (const go of waiting) {
      if (inside >= Math.floor(limit)) return;
      waiting.delete(go);
      inside++;
      go();
    }
  }

  function wake(): void {
    cancelWake = undefined;
    admit();
  }

  return {
    enter(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (inside < Math.floor(limit) && waiting.size === 0 && clock.elapsed() >= openAt) {
        inside++;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const go = () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = () => {
          waiting.delete(go);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        waiting.add(go);
        admit();
      });
    },
    leave() {
      inside--;
      if (clock.elapsed() >= openAt) limit = Math.min(slots, limit + 1 / limit);
      admit();
    },
    pause(ms) {
      const now = clock.elapsed();
      if (now >= openAt) limit = Math.max(1, limit / 2);
      openAt = Math.max(openAt, now + ms);
    },
  };
}
