import type { Clock } from '../clock.ts';

/** Detects a watch that does not show a version that is known to exist, although its connection seems healthy. */
export interface WatchLag {
  /** Something that the watch selects is known to have this version. */
  expect(version: string): void;
  /** The watch has shown everything up to this version. */
  reached(version: string): void;
  /** A list has. If that is older than what was expected, the server was restored from a backup. */
  listed(version: string): void;
  /** The version that the watch should have shown by now, and how often in a row it had not. */
  readonly missing: Missing | undefined;
  stop(): void;
}
export interface Missing {
  readonly version: number;
  readonly times: number;
}

/** An event takes milliseconds; one that has not come after this is lost. Twice this is less than 15 s. */
const LATE_MS = 7_000;

/** @param onLate called each time that the watch is found behind, `missing` being set */
export function createWatchLag(clock: Clock, onLate: (missing: Missing) => void): WatchLag {
  // Comparable as numbers: documented since Kubernetes 1.35, and always so by construction (etcd revisions).
  let seen = 0;
  let expected = 0;
  let missing: Missing | undefined;
  let cancel: (() => void) | undefined;

  /** One timer at a time, however much is written: versions that are expected meanwhile are checked in the next round. */
  function schedule(): void {
    if (seen >= expected) return;
    const version = expected;
    cancel ??= clock.after(LATE_MS, () => {
      cancel = undefined;
      // A list may have shown meanwhile that the version does not exist.
      if (seen < Math.min(version, expected)) {
        missing = { version, times: (missing?.times ?? 0) + 1 };
        onLate(missing);
      }
      schedule();
    });
  }

  function reached(version: string): void {
    seen = Number(version);
    if (missing && seen >= missing.version) missing = undefined;
  }

  return {
    expect(version) {
      expected = Math.max(expected, Number(version) || 0);
      schedule();
    },
    reached,
    listed(version) {
      reached(version);
      missing = undefined;
      expected = Math.min(expected, seen);
    },
    get missing() {
      return missing;
    },
    stop: () => cancel?.(),
  };
}
