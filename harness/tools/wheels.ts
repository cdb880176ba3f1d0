/** Fetches the programs of Vineyard, which are in a wheel, with pip and as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { duration, type Progress } from './build.ts';
import { once } from './once.ts';
import { cacheRoot, MODULES } from './tools.ts';

const REQUIREMENTS = join(MODULES, 'node/vineyard/requirements.txt');
/** Of Debian, which is on the machines that run nodes. */
const PIP = '/usr/bin/pip3';

/** The folder of the programs `vineyardd` and `vineyardctl`; there once they are fetched. */
export function vineyardDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const hash = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  return join(cacheRoot(env), `node-vineyard-${hash}`);
}

/** Returns at once when they are there, or when this machine has no pip, or another processor: the test that needs them says so. */
export async function fetchVineyard(progress: Progress): Promise<void> {
  if (!existsSync(PIP) || process.arch !== 'x64') return;
  await once(vineyardDir(), 'Vineyard', progress, async (made) => {
    const began = performance.now();
    const flags = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--no-deps', '--no-compile', '--require-hashes'];
    await promisify(execFile)(PIP, ['install', ...flags, '--target', made, '--requirement', REQUIREMENTS]);
    progress.line(`fetched Vineyard in ${duration((performance.now() - began) / 1000)}`);
    return join(made, 'vineyard/bdist');
  });
}
