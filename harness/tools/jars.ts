/** Fetches the jars of the Alluxio that runs on test nodes, with Maven and as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot, MODULES } from './tools.ts';
import { duration, type Progress } from './build.ts';
import { once } from './once.ts';

const POM = join(MODULES, 'node/alluxio/pom.xml');

/** The folder of the jars; there once they are fetched. */
export function jarsDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const hash = createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 16);
  return join(cacheRoot(env), `node-alluxio-${hash}`);
}

/** Returns at once when they are there, or when this machine has no Maven: the tests that need them say so. */
export async function fetchJars(progress: Progress): Promise<void> {
  if (!existsSync('/usr/bin/mvn')) return;
  await once(jarsDir(), 'jars', progress, async (made) => {
    progress.line('fetching the jars of Alluxio (once; about 1 min)');
    const began = performance.now();
    const target = join(made, 'jars');
    // A repository of its own, thrown away: the developer's would keep a second copy of everything.
    const into = [`-Dmaven.repo.local=${join(made, 'repository')}`, `-DoutputDirectory=${target}`];
    await promisify(execFile)('/usr/bin/mvn', ['-B', '-q', '-f', POM, ...into, '-DincludeScope=runtime', 'dependency:copy-dependencies']);
    const jars = readdirSync(target).map((name) => statSync(join(target, name)).size);
    const megabytes = Math.round(jars.reduce((sum, size) => sum + size, 0) / 1e6);
    progress.line(`  ${jars.length} jars, ${megabytes} MB, in ${duration((performance.now() - began) / 1000)}`);
    return target;
  });
}
