/** Sluice's own image, as archives that a node takes: built for the first caller, once in a run of the tests. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../cli/run.ts';

export const SLUICE_IMAGE = 'localhost/sluice:test';

/** Where the files of one run find the folder that they share: set by global-setup.ts, and not set for the demo and benches. */
export const SHARED = 'SLUICE_TEST_IMAGE';

/** Lends the archive: what is not shared is removed afterwards. */
export async function withSluiceImage(use: (archive: string) => Promise<void>): Promise<void> {
  const shared = process.env[SHARED];
  const dir = shared ?? newFolder();
  try {
    // Files of a run are processes of their own.
    await promisify(execFile)('flock', [
      join(dir, 'lock'),
      'sh',
      '-ec',
      BUILD,
      'sh',
      dir,
      process.execPath,
      join(root, 'scripts/image.ts'),
      SLUICE_IMAGE,
    ]);
    await use(join(dir, 'image.tar'));
  } finally {
    if (shared === undefined) rmSync(dir, { recursive: true, force: true });
  }
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'sluice-image-'));

/** Half an image, of a build that failed, is built again. */
const BUILD = 'if [ ! -e "$1/built" ]; then "$2" "$3" --name "$4" --out "$1" && : > "$1/built"; fi';
