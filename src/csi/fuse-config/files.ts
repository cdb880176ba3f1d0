import { readFile } from 'node:fs/promises';
import { InvalidSpec } from '../../api/errors.ts';
import { type FuseConfig, parseFuseConfig } from './config.ts';
import type { Secret } from './values.ts';

/** Where Fluid has put the file, the newer place first. */
const CONFIG_FILES: readonly string[] = ['/etc/fluid/config/config.json', '/etc/fluid/config.json'];

export interface FoundConfig {
  readonly file: string;
  readonly text: string;
  readonly config: FuseConfig;
}

/** The first of these files that is there. Throws InvalidSpec where there is none, or it is not right. */
export async function readFuseConfig(files: readonly string[] = CONFIG_FILES): Promise<FoundConfig> {
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(unlessMissing);
    if (text !== undefined) return { file, text, config: parseFuseConfig(text, file) };
  }
  throw new InvalidSpec({ path: 'config.json', expected: `a file ${files.join(' or ')}`, found: 'none' });
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The secret itself, without newlines at its end: as a shell's `$(cat file)` has it, and as editors and `echo` add them. */
export async function secretText(secret: Secret): Promise<string> {
  const text = 'file' in secret ? await readFile(secret.file, 'utf8') : secret.value;
  return text.replace(/\n+$/, '');
}
