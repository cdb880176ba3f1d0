/**
 * The mount table for all callers. The kernel reports changes only through poll(2), which Node does not offer, and a reading takes two
 * milliseconds for a thousand mounts: so concurrent callers share one reading, and all that wait share another.
 */
import type { Clock } from '../../kube/clock.ts';
import type { Log } from '../../kube/types.ts';
import type { MountTableReading } from './table.ts';
import { isWithin, type MountInfo } from './mountinfo.ts';

export interface MountWatch {
  /** Reads the table after this call; concurrent callers share a reading. */
  now(): Promise<readonly MountInfo[]>;
  /** The table as it was last read, for any caller. */
  last(): readonly MountInfo[];
  /** The same if it was read within 300 ms and `touch` was not called for this path since; else undefined. */
  recent(path: string): readonly MountInfo[] | undefined;
  /** Something is about to be mounted or unmounted at this path, or just was. */
  touch(path: string): void;
  /**
   * Whether something at the path, above it or below it was mounted or unmounted since these mounts were read; false when the time is up
   * before. A mount that took the place of its very like is no change. Rejects when the signal is aborted.
   */
  changed(since: readonly MountInfo[], path: string, patience: Patience): Promise<boolean>;
}

export interface Patience {
  /** How late a change may be seen, ms. */
  readonly everyMs: number;
  /** How long to wait, ms. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

export interface MountWatchOptions {
  readonly read: () => MountTableReading;
  readonly clock: Clock;
  readonly log: Log;
}

/** A reading this old, made for recovery, is good enough for callers that check again. */
const RECENT_MS = 300;
/** Where a reading takes longer, those who ask in one turn of the event loop share it. */
const SOON_MS = 0.2;
/** Ticks leave so many times as long to others as a reading takes. */
const REST = 50;

interface Waiter {
  readonly path: string;
  readonly everyMs: number;
  readonly wake: () => void;
}

export function watchMounts({ read, clock, log }: MountWatchOptions): MountWatch {
  const waiters = new Set<Waiter>();
  let mounts: readonly MountInfo[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  const touched = new Set<string>();
  let coming: Promise<readonly MountInfo[]> | undefined;
  let cancelTick: (() => void) | undefined;
  let tickAt = Number.POSITIVE_INFINITY;

  function readNow(): readonly MountInfo[] {
    coming = undefined;
    const began = clock.monotonic();
    const { mounts: next, changed } = read();
    mounts = next;
    readAt = clock.monotonic();
    tookMs = readAt - began;
    touched.clear();
    for (const { path, wake } of waiters) if (changed.some(({ mountPoint }) => touches(mountPoint, path))) wake();
    return mounts;
  }

  function tick(): void {
    tickAt = Number.POSITIVE_INFINITY;
    try {
      // A reading that a caller of now() started meanwhile has served all waiters.
      if (clock.monotonic() >= dueAt()) readNow();
    } catch (error) {
      // Too many files are open, and next time perhaps no more.
      readAt = clock.monotonic();
      log.warn({ error: String(error) }, 'the mount table cannot be read');
    }
    if (waiters.size > 0) schedule();
  }

  const dueAt = (): number => readAt + Math.max(REST * tookMs, Math.min(...[...waiters].map(({ everyMs }) => everyMs)));

  function schedule(): void {
    const at = dueAt();
    if (at >= tickAt) return;
    cancelTick?.();
    tickAt = at;
    cancelTick = clock.after(Math.max(0, at - clock.monotonic()), tick);
  }

  return {
    now() {
      // A short table is read sooner than the event loop turns.
      coming ??= new Promise<void>((resolve) => (tookMs < SOON_MS ? process.nextTick(resolve) : setImmediate(resolve))).then(readNow);
      return coming;
    },

    last: () => mounts,

    recent(path) {
      if (clock.monotonic() - readAt > RECENT_MS || [...touched].some((each) => touches(each, path))) return undefined;
      return mounts;
    },

    touch: (path) => void touched.add(path),

    changed(since, path, { everyMs, ms, signal }) {
      if (since !== mounts && around(since, path) !== around(mounts, path)) return Promise.resolve(true);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const end = () => {
          cancel();
          signal.removeEventListener('abort', abort);
          waiters.delete(waiter);
          if (waiters.size > 0) return;
          cancelTick?.();
          tickAt = Number.POSITIVE_INFINITY;
        };
        const wake = () => {
          end();
          resolve(true);
        };
        const abort = () => {
          end();
          reject(signal.reason);
        };
        const cancel = clock.after(ms, () => {
          end();
          resolve(false);
        });
        const waiter: Waiter = { path, everyMs, wake };
        signal.addEventListener('abort', abort, { once: true });
        waiters.add(waiter);
        schedule();
      });
    },
  };
}

/** A mount above a path hides what it shows, too. */
const touches = (mountPoint: string, path: string): boolean => isWithin(mountPoint, path) || isWithin(path, mountPoint);

const around = (mounts: readonly MountInfo[], path: string): string =>
  mounts
    .filter(({ mountPoint }) => touches(mountPoint, path))
    .map(({ line }) => line)
    .join('\n');
