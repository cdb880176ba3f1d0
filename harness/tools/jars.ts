/** Fetches the jars of the Alluxio that runs on test nodes, with Maven and as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, MODULES } from './tools.ts';
import type { Job } from './jobs.ts';
import { fetchJobs } from './fetch.ts';

const POM = join(MODULES, 'node/alluxio/pom.xml');

/** The folder of the jars; there once they are fetched. */
export function jarsDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return cacheFolder('node-alluxio', [readFileSync(POM)], env);
}

/** Unless they are there. */
export const jarsJobs = (): readonly Job[] =>
  fetchJobs({
    name: 'the jars of Alluxio',
    seconds: 60,
    megabytes: 125,
    target: jarsDir(),
    by: '/usr/bin/mvn',
    async make(folder) {
      const target = join(folder, 'jars');
      // A repository of its own, thrown away: the developer's would keep a second copy of everything.
      const into = [`-Dmaven.repo.local=${join(folder, 'repository')}`, `-DoutputDirectory=${target}`];
      await promisify(execFile)('/usr/bin/mvn', ['-B', '-q', '-f', POM, ...into, '-DincludeScope=runtime', 'dependency:copy-dependencies']);
      return target;
    },
  });
