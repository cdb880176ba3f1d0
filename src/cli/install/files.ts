import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Writes files below the folder, by path; those of the same names are replaced. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    const file = join(resolve(folder), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
