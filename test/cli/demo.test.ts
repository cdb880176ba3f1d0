/** `npm run demo` as a stranger's first minute has it: nothing but node_modules. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { linesOf } from '../../harness/demo/recording.ts';
import { root } from './run.ts';

const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('sluice-demo-'));

/** Without what differs from run to run: times, the process, and how much this machine would have to build. */
const timeless = (lines: readonly string[]) =>
  lines.map((line) =>
    line
      .replace(/\b\d+(\.\d+)? ?s\b */g, 'N s')
      .replace(/process \d+/, 'process N')
      .replace(/^(All pods were simulated\. .* on a real API server).*/, '$1'),
  );
const recorded = () => linesOf(readFileSync(join(root, 'docs/demo.svg'), 'utf8'));

test('the demo shows its scenes without a program of Kubernetes, as they were recorded, and leaves nothing', async () => {
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
  const printed = ['$ npm run -s demo', ...stdout.trimEnd().split('\n')];
  expect(timeless(recorded()), 'docs/demo.svg: record it again, with npx node harness/demo/record.ts').toEqual(timeless(printed));
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

test('README has the recording as text', () => {
  const [, block] = /<!-- demo -->\n```\n(.*?)\n```\n<!-- end demo -->/s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  expect(block?.split('\n')).toEqual(recorded());
});
