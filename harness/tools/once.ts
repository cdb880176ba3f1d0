/** What is fetched from a registry once per machine, into the cache of the tools. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import type { Progress } from './jobs.ts';
import { lock } from './lock.ts';
import { cacheRoot } from './tools.ts';

/**
 * Makes a folder, unless it exists: `make` fills another one and returns what is to become the target. Another process that makes it at the
 * same time is waited for.
 */
export async function once(target: string, what: string, progress: Progress, make: (folder: string) => Promise<string>): Promise<void> {
  if (existsSync(target)) return;
  mkdirSync(cacheRoot(), { recursive: true });
  const unlock = await lock(`${target}.lock`, () => progress.status(`waiting for another process, which fetches ${what}`));
  try {
    // Checked again: another process may have fetched it while it held the lock.
    if (existsSync(target)) return;
    const folder = mkdtempSync(`${target}.`);
    try {
      renameSync(await make(folder), target);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    unlock();
  }
}
