/** Programs and libraries from npm that `npm ci` leaves out: npm installs those of a folder under tools/ when they are first asked for. */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { once } from './once.ts';
import { cacheFolder, MODULES } from './tools.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Packages of `npm run check`, `gen` and `format`. */
export const CHECKS = join(MODULES, 'checks');
/** Packages of the tests of the published package. */
export const PACKAGE = join(MODULES, 'package');
/** The library that draws the diagrams of the pages. */
export const DOCS = join(MODULES, 'docs');

/**
 * The node_modules of a folder that has a package.json and its lock, once per machine: two processes that ask at once install it once.
 *
 * @param env PATH has npm; the other variables say where the cache is
 * @throws Error with what npm said; nothing of the attempt is left, but for npm's own cache of what it downloaded
 */
export function npmModules(folder: string, env: Env = process.env): Promise<string> {
  const before = asked.get(folder);
  if (before) return before;
  const installed = install(folder, env);
  asked.set(folder, installed);
  // The next one tries again.
  installed.catch(() => asked.delete(folder));
  return installed;
}

const asked = new Map<string, Promise<string>>();

async function install(folder: string, env: Env): Promise<string> {
  const name = basename(folder);
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const target = cacheFolder(name, [`${process.platform} ${process.arch}\n`, lock], env);
  const line = (text: string) => void process.stderr.write(`${text}\n`);
  await once(target, `the packages of tools/${name}`, sayOnce(line), async (made) => {
    line(`installing the packages of tools/${name} (npm ci, once) into ${target}`);
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(folder, file), join(made, file));
    try {
      await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: made, env });
    } catch (error) {
      const { message, stderr = '' } = error as Error & { readonly stderr?: string };
      throw new Error(`cannot install the packages of tools/${name}: ${stderr.trim() || message}`, { cause: error });
    }
    return made;
  });
  return join(target, 'node_modules');
}

/** The path of a program of such a folder. */
export async function npmProgram(folder: string, name: string): Promise<string> {
  return join(await npmModules(folder), '.bin', name);
}

function sayOnce(say: (text: string) => void): (text: string) => void {
  let isSaid = false;
  return (text) => {
    if (!isSaid) say(text);
    isSaid = true;
  };
}
