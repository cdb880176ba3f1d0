import type { Clock } from './clock.ts';

/**
 * Who may send, and when: at most `slots` requests at a time, first come first served, and nobody while the server
 * asked for quiet. Waiting here rather than inside undici means that a request's timeout and its fencing are counted
 * from the moment it is really sent.
 */
export interface Gate {
  /** Resolves when the caller holds a slot; rejects with the signal's reason. */
  enter(signal?: AbortSignal): Promise<void>;
  leave(): void;
  /** Nobody enters for `ms`; pauses do not add up, the longest counts. */
  pause(ms: number): void;
}

export function createGate(slots: number, clock: Clock): Gate {
  const waiting = new Set<() => void>();
  let inside = 0;
  let openAt = 0;
  let cancelWake: (() => void) | undefined;

  function admit(): void {
    const pause = openAt - clock.elapsed();
    if (pause > 0) {
      if (waiting.size > 0) cancelWake ??= clock.after(pause, wake);
      return;
    }
    for (const go of waiting) {
      if (inside >= slots) return;
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
      if (inside < slots && waiting.size === 0 && clock.elapsed() >= openAt) {
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
      admit();
    },
    pause(ms) {
      openAt = Math.max(openAt, clock.elapsed() + ms);
    },
  };
}
