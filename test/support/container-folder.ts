/** A folder in the place of a container's file system, for scripts that run in containers. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Folder {
  readonly path: string;
  /** A path of a container, in here. */
  of(path: string): string;
  /** A script of a container, with its paths in here. */
  rooted(script: string): string;
  program(name: string, script: string): void;
  remove(): void;
}

/** Paths of a container that scripts write, and programs whose place they know. */
const PATHS = [
  '/tmp/progress',
  '/dev/termination-log',
  '/usr/local/bin/juicefs',
  '/usr/bin/juicefs',
  '/run/operation-ssh',
  '/etc/fluid/ssh',
];

export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'sluice-migrate-'));
  const of = (name: string) => join(path, name);
  for (const name of ['tmp', 'dev', 'bin', 'run', 'home', 'usr/bin', 'usr/local/bin', 'etc/fluid/ssh', 'scripts'])
    mkdirSync(of(name), { recursive: true });
  return {
    path,
    of,
    rooted: (script) =>
      PATHS.reduce((text, each) => text.replaceAll(each, of(each)), script).replaceAll('$(unset HOME; echo ~)', of('home')),
    program(name, script) {
      writeFileSync(of(name), script);
      chmodSync(of(name), 0o755);
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}
