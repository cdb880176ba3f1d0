/** Removes the remains of killed keepers (where pdeathsig does not exist, or the machine went down) at the next start. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, readPid } from '../processes.ts';

export const DIR_PREFIX = 'sluice-cp-';

/** Written by whoever asked for the folder to stay. */
export const KEEP_MARK = 'keep';

/** Marks a folder to stay after its programs have ended, where its owner asked for that, or SLUICE_TEST_KEEP=1 does for all. */
export function keepsFolder(dir: string, asked = process.env['SLUICE_TEST_KEEP'] === '1'): boolean {
  if (!asked) return false;
  writeFileSync(join(dir, KEEP_MARK), '');
  console.error(`kept: ${dir}`);
  return true;
}

/** Removes the private folders whose owner is gone, and ends the processes recorded in them. */
export function sweep(): void {
  for (const entry of readdirSync(tmpdir())) {
    const dir = join(tmpdir(), entry);
    if (!entry.startsWith(DIR_PREFIX) || existsSync(join(dir, KEEP_MARK)) || !isStale(dir)) continue;
    // The pid may belong to another process by now: only a command line that names the folder is ours.
    for (const pid of recorded(dir)) if (commandOf(pid).includes(dir)) process.kill(pid, 'SIGKILL');
    try {
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Another user's, or another start sweeps at the same time.
    }
  }
}

function isStale(dir: string): boolean {
  const owner = readPid(join(dir, 'owner.pid'));
  const keeper = readPid(join(dir, 'keeper.pid'));
  // Without either it is being made right now.
  const responsible = keeper ?? owner;
  return responsible !== undefined && !isAlive(responsible);
}

function recorded(dir: string): readonly number[] {
  const folder = join(dir, 'pids');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => readPid(join(folder, name)))
    .filter((pid) => pid !== undefined);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
