/** `npm run demo` as a stranger's first minute has it: nothing but node_modules. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from './run.ts';

const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('sluice-demo-'));

test('the demo shows its scenes without a program of Kubernetes, and leaves nothing', async () => {
  const before = left();
  // No tools, and no kubectl.
  const env = { PATH: '/usr/bin:/bin', HOME: tmpdir(), XDG_CACHE_HOME: join(tmpdir(), 'sluice-no-cache') };
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'harness/demo/main.ts')], { env });
  const steps = [
    '✓ control plane      an API server in memory',
    '✓ sluice reconcile',
    '✓ minio-demo         Bound after',
    '✓ jfsdemo            Bound after',
    '✓ alluxiodemo        Bound after',
    'Objects created for AlluxioRuntime alluxiodemo',
    '✓ drift              the controller has created DaemonSet alluxiodemo-fuse again',
    '✓ operation          DataLoad warm is Complete',
    'SecretNotFound, for',
    '✓ removal            all 30 objects are deleted',
    '`npm run demo -- --real`',
  ];
  expect(steps.filter((step) => !stdout.includes(step))).toEqual([]);
  expect(left()).toEqual(before);
});

test('nothing is left when nobody reads on', async () => {
  const before = left();
  const { stdout, stderr } = await promisify(execFile)('sh', [
    '-c',
    `"${process.execPath}" "${join(root, 'harness/demo/main.ts')}" | head -n 1`,
  ]);
  expect(stdout).toContain('✓ control plane');
  expect(stderr).toBe('');
  expect(left()).toEqual(before);
});
