import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidSpec } from '../api/errors.ts';
import { withoutTrailing } from '../api/trailing.ts';
import { type FuseConfig, parseFuseConfig } from './config.ts';
import type { Secret } from './values.ts';

/** Where Fluid has put the file, the newer place first. */
const CONFIG_FILES: readonly string[] = ['/etc/fluid/config/config.json', '/etc/fluid/config.json'];

export interface FoundConfig {
  readonly file: string;
  readonly text: string;
  readonly config: FuseConfig;
}

/**
 * Reads the first of the files that exists. Default: the places where Fluid mounts config.json.
 * @throws InvalidSpec when none exists, or the one that exists is not valid.
 * @example
 * const { file, config } = await readFuseConfig();
 */
export async function readFuseConfig(files: readonly string[] = CONFIG_FILES): Promise<FoundConfig> {
  for (const file of files) {
    const found = await readBeside(file);
    if (found) return { file, text: found.text, config: parseFuseConfig(found.text, file, secretOptionsIn(found.names, file)) };
  }
  throw new InvalidSpec({ path: 'config.json', expected: `a file ${files.join(' or ')}`, found: 'none' });
}

/** Names of options, in a list: which values of config.json are secrets. Beside it where the controller keeps it in a Secret. */
const SECRET_OPTIONS = 'secret-options.json';

/** Both files of one version: the kubelet replaces the directory that they are in. */
async function readBeside(file: string): Promise<{ readonly text: string; readonly names: string | undefined } | undefined> {
  for (;;) {
    const path = await realpath(file).catch(unlessMissing);
    if (path === undefined) return undefined;
    const text = await readFile(path, 'utf8').catch(unlessMissing);
    const names = await readFile(join(dirname(path), SECRET_OPTIONS), 'utf8').catch(unlessMissing);
    if (text !== undefined && (await realpath(file).catch(unlessMissing)) === path) return { text, names };
  }
}

function secretOptionsIn(text: string | undefined, file: string): readonly string[] {
  if (text === undefined) return [];
  const object = join(dirname(file), SECRET_OPTIONS);
  try {
    const names = JSON.parse(text) as unknown;
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  } catch {
    // Reported below.
  }
  throw new InvalidSpec({ path: 'the whole file', expected: 'a list of names of options, in JSON', found: 'something else' }, { object });
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * The secret itself, without newlines at its end: `$(cat file)` in a shell drops them too.
 * @example
 * await secretText({ option: 'token', value: 'abc\n' }); // → 'abc'
 */
export async function secretText(secret: Secret): Promise<string> {
  const text = 'file' in secret ? await readFile(secret.file, 'utf8') : secret.value;
  return withoutTrailing(text, '\n');
}
