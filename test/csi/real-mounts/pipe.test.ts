/** A pipe that a pod has put in the place of a mount that its fuse pod left. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIND_FUNCTIONS } from '../../../src/csi/mounts/bind-script.ts';

test('a pipe in the place of a mount is refused, and not opened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pipe-'));
  const script = `${BIND_FUNCTIONS}\nmkfifo "$1" && sluice_detach "$1" 1`;
  const { status, stderr, error } = spawnSync('sh', ['-c', script, 'sh', join(folder, 'pipe')], { encoding: 'utf8', timeout: 20_000 });
  rmSync(folder, { recursive: true });
  expect(error).toBeUndefined();
  expect(status).not.toBe(0);
  expect(stderr).toContain('cannot open');
});
