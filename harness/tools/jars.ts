/** Fetches the jars of the Alluxio that runs on test nodes, with Maven and as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot, MODULES } from './tools.ts';
import { duration, type Progress } from './build.ts';
import { lock } from './lock.ts';

const POM = join(MODULES, 'node/alluxio/pom.xml');

/** The folder of the jars; there once they are fetched. */
export function jarsDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const hash = createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 16);
  return join(cacheRoot(env), `node-alluxio-${hash}`);
}

/** Returns at once when they are there, or when this machine has no Maven: the tests that need them say so. */
export async function fetchJars(progress: Progress): Promise<void> {
  if (existsSync(jarsDir()) || !existsSync('/usr/bin/mvn')) return;
  mkdirSync(cacheRoot(), { recursive: true });
  const unlock = await lock(join(cacheRoot(), 'jars.lock'), () => progress.status('waiting for another process, which fetches jars'));
  try {
    // Checked again: another process may have fetched them while it held the lock.
    if (!existsSync(jarsDir())) await fetchTo(jarsDir(), progress);
  } finally {
    unlock();
  }
}

async function fetchTo(target: string, progress: Progress): Promise<void> {
  progress.line('fetching the jars of Alluxio (once; about 1 min)');
  const began = performance.now();
  const made = mkdtempSync(`${target}.`);
  try {
    // A repository of its own, thrown away: the developer's would keep a second copy of everything.
    const into = [`-Dmaven.repo.local=${join(made, 'repository')}`, `-DoutputDirectory=${join(made, 'jars')}`];
    await promisify(execFile)('/usr/bin/mvn', ['-B', '-q', '-f', POM, ...into, '-DincludeScope=runtime', 'dependency:copy-dependencies']);
    renameSync(join(made, 'jars'), target);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  const jars = readdirSync(target).map((name) => statSync(join(target, name)).size);
  const megabytes = Math.round(jars.reduce((sum, size) => sum + size, 0) / 1e6);
  progress.line(`  ${jars.length} jars, ${megabytes} MB, in ${duration((performance.now() - began) / 1000)}`);
}
