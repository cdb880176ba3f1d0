import type { Clock } from '../clock.ts';
import { createWatchLag, type Missing } from './watch-lag.ts';
import { ended, failed, type Listed, listed, reached, resumed, type State, UNLISTED, watching } from './watch-state.ts';

/** How far a reflector has come, and what its watch is known to lack. */
export interface WatchProgress {
  readonly state: State;
  /** Set while the watch does not show a version that is known to exist. */
  readonly missing: Missing | undefined;
  /** This version is known to exist. */
  expect(version: string): void;
  /** A complete list has this version. */
  listed(version: string): void;
  /** A watch begins. @param end closes its connection */
  begins(from: Listed, end: () => void): void;
  /** The watch has shown everything up to this version. */
  reached(version: string): void;
  /** The server has resumed a watch from the version. */
  resumed(): void;
  /** The server has ended the watch, or it was closed. @throws Error when it was found behind while it was open */
  ended(): void;
  /** A list or a watch has failed. */
  failed(error: unknown): void;
  /** Closes the watch. */
  stop(): void;
}

/** @param onBehind called with the version that the watch should have shown, before the watch is closed for that */
export function createProgress(clock: Clock, onBehind: (missing: Missing, state: State) => void): WatchProgress {
  let state: State = UNLISTED;
  /** Missing already when the watch began. */
  let before: Missing | undefined;
  const lag = createWatchLag(clock, (missing) => {
    onBehind(missing, state);
    endWatch();
  });

  function endWatch(): void {
    if (state.is === 'watching') state.end();
  }

  return {
    get state() {
      return state;
    },
    get missing() {
      return lag.missing;
    },
    expect: lag.expect,
    listed(version) {
      state = listed(version);
      lag.listed(version);
    },
    begins(from, end) {
      state = watching(from, end);
      before = lag.missing;
    },
    reached(version) {
      lag.reached(version);
      state = reached(state, version);
    },
    resumed: () => void (state = resumed(state)),
    ended() {
      const { missing } = lag;
      if (missing && missing !== before) throw new Error(`the watch does not show version ${missing.version}, which exists`);
      state = ended(state);
    },
    failed: (error) => void (state = failed(state, error, lag.missing?.times ?? 0)),
    stop() {
      endWatch();
      lag.stop();
    },
  };
}
