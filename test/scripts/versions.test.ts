/** `npm run versions` as a program: what it refuses. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../scripts/versions.ts');
const run = (...args: readonly string[]): Promise<{ readonly code: unknown; readonly stderr: string }> =>
  new Promise((resolve) =>
    execFile(process.execPath, [SCRIPT, ...args], (error, _, stderr) => resolve({ code: error?.code ?? 0, stderr })),
  );

test('a version that is not promised is refused before anything is built', async () =>
  expect(await run('1.34', '1.28')).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^versions: expected one of 1\.29, 1\.30, .*, found 1\.28\n$/) as string,
  }));
