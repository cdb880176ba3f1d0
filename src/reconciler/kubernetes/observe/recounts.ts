import type { Monotonic } from '../../../kube/clock.ts';

/** Times are monotonic, in milliseconds. */
interface Counted {
  /** The mark of the data that was counted last. */
  mark: string;
  /** Since when it has that mark. */
  at: number;
  /** How long it keeps it at least. */
  pauseMs: number;
  /** The mark of the data that is being counted, or waits for a pod that can. */
  counting?: string;
}

/** The least time between two counts. */
export const PAUSE_MS = 300_000;
/** The longest time from a count that failed to the next one. */
export const LONGEST_PAUSE_MS = 3_600_000;
/** The pause between two counts is so many times as long as a count took: at most a twentieth of the time is spent on counts. */
const PACE = 20;

/**
 * When data is counted again, by UID of its runtime: once the mark that its cache probe returns is another one than at the last count. To count
 * files costs an engine much, to read the mark costs nothing. A process that has just started takes what it finds counted for current.
 */
export function createRecounts(clock: Monotonic) {
  const all = new Map<string, Counted>();
  return {
    /** The mark of the count that is due or under way. */
    due(uid: string, mark: string | undefined): string | undefined {
      const known = all.get(uid);
      const now = clock.monotonic();
      if (mark === undefined) return known?.counting;
      if (!known) {
        all.set(uid, { mark, at: now, pauseMs: PAUSE_MS });
        return undefined;
      }
      if (!known.counting && known.mark !== mark && now - known.at >= known.pauseMs) known.counting = mark;
      return known.counting;
    },
    /** The count was made between these times, and its result is reported. Those that failed before it are not part of it. */
    done(uid: string, startedAt: number, endedAt: number): void {
      const { counting } = all.get(uid) ?? {};
      if (counting === undefined) return;
      all.set(uid, { mark: counting, at: endedAt, pauseMs: Math.max(PAUSE_MS, (endedAt - startedAt) * PACE) });
    },
    forget: (uid: string) => void all.delete(uid),
  };
}

/** The mark of the data in an answer to a cache probe, if there is one. */
export const dataMarkOf = (cache: unknown): string | undefined =>
  typeof cache === 'object' && cache !== null && 'dataMark' in cache && typeof cache.dataMark === 'string' ? cache.dataMark : undefined;
