/** A mount that a client left when it died is found by the kernel's spelling of its path. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { script } from '../../fuse/given.ts';
import { whyNoMounts } from './mount-node.ts';

const canMount = canRun('tests of mounts', whyNoMounts());

describe.skipIf(!canMount)('a script unmounts what is mounted at', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-detach-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  test.each(['plain', 'a#b', 'a b', 'a\tb', 'a\nb', 'a\\b', 'a\\040b', '#'])('%j', (name) => {
    const target = join(folder, name);
    const config = { mounts: [{ mountPoint: 's3://bucket', name: 'a' }], targetPath: target };
    const { text } = script({ program: 'cat', args: ['/proc/self/mountinfo'] }, config);
    const stale = 'mkdir -p "$1"; mount -t tmpfs stale "$1"; mount -t tmpfs stale "$1"; exec sh -c "$2"';
    const { stdout, stderr, status } = spawnSync('unshare', ['-m', 'sh', '-ec', stale, 'sh', target, text], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout).not.toContain(' stale ');
  });
});
