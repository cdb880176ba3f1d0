/** The kubelet replaces a token at 80 % of its life, at the latest after 24 h: a minute late is early enough (client-go does the same). */
const REREAD_MS = 60_000;

export interface Reread<T> {
  /** Answers of the last minute. */
  value(): T;
  /** The next call of `value` reads it again. */
  forget(): void;
}

/**
 * Reads now, so that a missing file is found at start; a later failure keeps what was read before.
 *
 * @param elapsed ms of a monotonic clock
 */
export function reread<T>(read: () => T, elapsed: () => number): Reread<T> {
  let value = read();
  let readAt: number | undefined = elapsed();
  return {
    value() {
      if (readAt !== undefined && elapsed() - readAt < REREAD_MS) return value;
      readAt = elapsed();
      try {
        value = read();
      } catch {
        // A projected volume is swapped by symlink, and files by renaming: what was there a moment ago is valid for a good while yet.
      }
      return value;
    },
    forget: () => void (readAt = undefined),
  };
}
