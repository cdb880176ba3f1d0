import type { Clock } from './clock.ts';

/** Notices when a watch does not show what is known to exist: it seems well, and will not tell. */
export interface Lookout {
  /** Something that the watch selects is known to have this version. */
  expect(version: string): void;
  /** The watch has shown everything up to this version. */
  reached(version: string): void;
  /** A list has. If that is older than what was expected, the server was put back to an earlier day. */
  listed(version: string): void;
  /** What the watch should have shown by now, and how often in a row it was found not to. */
  readonly missing: Missing | undefined;
  stop(): void;
}
export interface Missing {
  readonly version: number;
  readonly times: number;
}

/** An event is on its way for milliseconds; what is not there after this is not coming. Twice this is less than 15 s. */
const LATE_MS = 7_000;

/** @param onLate told each time that the watch is found behind, `missing` being set */
export function createLookout(clock: Clock, onLate: (missing: Missing) => void): Lookout {
  // Opaque until Kubernetes 1.35 said that they can be compared; by construction (etcd revisions) they always could.
  let seen = 0;
  let expected = 0;
  let missing: Missing | undefined;
  let cancel: (() => void) | undefined;

  /** One timer at a time, however much is written: what comes meanwhile is looked for in the next round. */
  function watchOut(): void {
    if (seen >= expected) return;
    const version = expected;
    cancel ??= clock.after(LATE_MS, () => {
      cancel = undefined;
      // A list may have said meanwhile that it does not exist.
      if (seen < Math.min(version, expected)) {
        missing = { version, times: (missing?.times ?? 0) + 1 };
        onLate(missing);
      }
      watchOut();
    });
  }

  function reached(version: string): void {
    seen = Number(version);
    if (missing && seen >= missing.version) missing = undefined;
  }

  return {
    expect(version) {
      expected = Math.max(expected, Number(version) || 0);
      watchOut();
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
