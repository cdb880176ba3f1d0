/** A lock between processes that share a file system, held by a folder's existence and freshness. */
import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const REFRESH_MS = 5_000;
/** A dead lock is recognized by its age, not by the pid of its holder, which may run in another container. */
const STALE_MS = 30_000;

/** Takes the lock, waiting while a live process holds it; returns a function that releases it. */
export async function lock(dir: string, waiting: () => void, staleMs = STALE_MS): Promise<() => void> {
  while (!taken(dir)) {
    const age = ageOf(dir);
    if (age !== undefined && age > staleMs) rmSync(dir, { recursive: true, force: true });
    else {
      waiting();
      await sleep(Math.min(500, staleMs));
    }
  }
  const refresh = setInterval(() => {
    try {
      utimesSync(dir, new Date(), new Date());
    } catch {
      // Another process took the lock, or removed it: nothing is left to keep.
      clearInterval(refresh);
    }
  }, REFRESH_MS);
  refresh.unref();
  const unlock = () => {
    clearInterval(refresh);
    process.off('exit', unlock);
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', unlock);
  return unlock;
}

function taken(dir: string): boolean {
  try {
    mkdirSync(dir);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ageOf(dir: string): number | undefined {
  const modified = statSync(dir, { throwIfNoEntry: false })?.mtimeMs;
  return modified === undefined ? undefined : Date.now() - modified;
}
