import type { Clock } from '../clock.ts';
import { isNotFound, messageOf } from '../errors.ts';
import type { Log } from '../types.ts';

/** For metrics, and to explain what is wrong. */
export interface ReflectorHealth {
  readonly lists: number;
  readonly watches: number;
  /** Failures in a row: 0 when all is well. */
  readonly failures: number;
  /** The server does not serve the kind: its CRD is not installed. */
  readonly unknownKind: boolean;
  readonly lastError: string | undefined;
  /** ms since the epoch, of the last complete list. */
  readonly lastSyncAt: number | undefined;
  /** Since anything came from the server, ms; up to a minute where nothing happens. Infinity before the first list. */
  readonly silentMs: number;
  /** For how long no watch has been open, ms; the silence of a connection that turned out dead counts. */
  readonly awayMs: number;
}

/** The record of a reflector's requests. It logs a trouble once, and its end. */
export interface HealthRecord {
  readonly current: ReflectorHealth;
  /** The kind has been unknown for this long: it was uninstalled, and its objects with it. */
  readonly isUninstalled: boolean;
  listBegins(): void;
  /** A list is complete. */
  listed(): void;
  watchBegins(): void;
  /** The server has begun to answer a watch, or another piece of its answer came. */
  heard(): void;
  watchEnded(): void;
  /** A list or a watch failed. Logs nothing: `logFailure` does, once its consequences are carried out. */
  failed(error: unknown): void;
  logFailure(): void;
  /** A watch works. */
  recovered(): void;
}

/** A single broken connection is normal; the second failure in a row is logged, once. */
const WORTH_A_LINE = 2;
/** No API server that restarts takes so long to serve its kinds. */
const UNINSTALLED_MS = 300_000;

/** @param resource for log lines */
export function createHealthRecord(resource: string, clock: Clock, log: Log): HealthRecord {
  const count = { lists: 0, watches: 0, failures: 0 };
  let lastError: string | undefined;
  /** The trouble that was logged and has not ended. */
  let logged: string | undefined;
  let lastSyncAt: number | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  /** Since when the server has not served the kind; undefined while it does. */
  let unknownSince: number | undefined;
  /** When the last watch ended; undefined while one is open. */
  let awaySince: number | undefined = clock.monotonic();

  const silentMs = (): number => Math.round(clock.monotonic() - heardAt);
  function awayMs(): number {
    if (awaySince === undefined) return 0;
    return Math.round(clock.monotonic() - (count.failures > 0 ? Math.min(awaySince, heardAt) : awaySince));
  }

  return {
    get current() {
      return { ...count, unknownKind: unknownSince !== undefined, lastError, lastSyncAt, silentMs: silentMs(), awayMs: awayMs() };
    },
    get isUninstalled() {
      return unknownSince !== undefined && clock.monotonic() - unknownSince >= UNINSTALLED_MS;
    },
    listBegins: () => void count.lists++,
    listed() {
      heardAt = clock.monotonic();
      lastSyncAt = clock.wall();
      unknownSince = undefined;
    },
    watchBegins: () => void count.watches++,
    heard() {
      heardAt = clock.monotonic();
      awaySince = undefined;
    },
    watchEnded() {
      awaySince = clock.monotonic();
    },
    failed(error) {
      lastError = messageOf(error);
      count.failures++;
      unknownSince = isNotFound(error) ? (unknownSince ?? clock.monotonic()) : undefined;
    },
    logFailure() {
      const isUnknown = unknownSince !== undefined;
      const trouble = isUnknown ? 'kind not installed' : 'watch failed; retrying';
      const isNews = trouble !== logged && (isUnknown || count.failures >= WORTH_A_LINE);
      if (isNews) logged = trouble;
      log[isNews ? 'warn' : 'debug']({ resource, error: lastError, failures: count.failures }, trouble);
    },
    recovered() {
      if (count.failures === 0) return;
      if (logged !== undefined) log.info({ resource, failures: count.failures }, 'watching again');
      logged = undefined;
      count.failures = 0;
      lastError = undefined;
    },
  };
}
