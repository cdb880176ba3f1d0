import type { Clock } from '../clock.ts';
import { ApiError, isExpired, isNotFound } from '../errors.ts';
import { createWatchLag, type Missing } from './watch-lag.ts';

/** The version from which a collection is watched: how far a reflector has come, and when it must list again. */
export interface ResumePoint {
  /** Undefined: the collection must be listed. */
  readonly version: string | undefined;
  /** A version that is known to exist, and that the watch should have shown by now. */
  readonly missing: Missing | undefined;
  /** Something of the collection is known to have this version. */
  expect(version: string): void;
  /** A complete list has this version. */
  listed(version: string): void;
  /** The watch has shown everything up to this version. */
  reached(version: string): void;
  /** The server resumed a watch from here. */
  accepted(): void;
  /** A list or a watch failed. Gives the point up if resuming from it cannot succeed. */
  failed(error: unknown): void;
  stop(): void;
}

/** After this many rejections the server will not resume from this version: the collection is listed. */
const RESUMES = 5;
/** A watch that is behind is resumed first; then what it should have shown is listed. */
const TRIES_WHEN_BEHIND = 2;

/** @param onLate called each time that the watch is found behind, `missing` being set */
export function createResumePoint(clock: Clock, onLate: (missing: Missing) => void): ResumePoint {
  const lag = createWatchLag(clock, onLate);
  let version: string | undefined;
  let rejections = 0;

  return {
    get version() {
      return version;
    },
    get missing() {
      return lag.missing;
    },
    expect: lag.expect,
    listed(listed) {
      version = listed;
      rejections = 0;
      lag.listed(listed);
    },
    reached(seen) {
      version = seen;
      lag.reached(seen);
    },
    accepted() {
      rejections = 0;
    },
    failed(error) {
      if (rejectsResume(error)) rejections++;
      const isBehind = (lag.missing?.times ?? 0) >= TRIES_WHEN_BEHIND;
      if (!isExpired(error) && !isNotFound(error) && rejections < RESUMES && !isBehind) return;
      version = undefined;
      rejections = 0;
    },
    stop: lag.stop,
  };
}

/** Errors that resuming cannot cure: not 429 or 503, nor the silence of a server that restarts. */
const rejectsResume = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof ApiError && error.status !== 429 && error.status !== 503);
