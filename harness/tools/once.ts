/** Downloads from a registry, once per machine, into the cache of the tools. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lock } from './lock.ts';

/**
 * Makes a folder, unless it exists: `make` fills another one and returns what is to become the target. Another process that makes it at the
 * same time is waited for. However the process ends, no half of it is taken for the whole, and the next one removes what was left.
 */
export async function once(
  target: string,
  what: string,
  waiting: (text: string) => void,
  make: (folder: string) => Promise<string>,
): Promise<void> {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  const unlock = await lock(lockOf(target), () => waiting(`waiting for another process, which fetches ${what}`));
  try {
    // Checked again: another process may have fetched it while it held the lock.
    if (existsSync(target)) return;
    for (const left of leftovers(target)) rmSync(left, { recursive: true, force: true });
    const folder = mkdtempSync(`${target}.`);
    const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    // As Ctrl-C ends it, where the program has it do so.
    process.once('exit', remove);
    try {
      renameSync(await make(folder), target);
    } finally {
      process.off('exit', remove);
      remove();
    }
  } finally {
    unlock();
  }
}

const lockOf = (target: string) => `${target}.lock`;

/** Folders of processes that were killed: the holder of the lock is alone. */
function leftovers(target: string): readonly string[] {
  const folder = dirname(target);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(target)}.`))
    .map((name) => join(folder, name))
    .filter((path) => path !== lockOf(target));
}
