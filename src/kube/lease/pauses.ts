import type { Clock } from '../clock.ts';

/** The waits of one process's part in an election, and whether that part has been stopped. At most one wait at a time. */
export interface Pauses {
  readonly isStopped: boolean;
  /** Resolves after `ms`, or earlier when woken; at once when stopped. */
  pause(ms: number): Promise<void>;
  /** Ends the wait under way. */
  wake(): void;
  /** Ends the wait under way, and all later ones. */
  stop(): void;
}

export function createPauses(clock: Clock): Pauses {
  let isStopped = false;
  let end: (() => void) | undefined;

  return {
    get isStopped() {
      return isStopped;
    },
    wake: () => end?.(),
    stop() {
      isStopped = true;
      end?.();
    },
    pause(ms) {
      if (ms <= 0 || isStopped) return Promise.resolve();
      return new Promise((resolve) => {
        const cancel = clock.after(ms, resolve);
        end = () => {
          cancel();
          resolve();
        };
      });
    },
  };
}
