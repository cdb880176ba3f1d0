/** `npm run demo` as a stranger's first minute has it: nothing but node_modules. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
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
  expect(recorded().filter((line) => line !== line.trimEnd())).toEqual([]);
  const [, block] = /<!-- demo -->\n```\n(.*?)\n```\n<!-- end demo -->/s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  expect(block?.split('\n')).toEqual(recorded());
});

/** The demo on a real API server, for which a stand-in for Go builds. */
function realDemo(build: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-go-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'go'), `#!/bin/sh\n[ "$1" != env ] || { echo go1.26.0; exit; }\n${build}\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, SLUICE_CACHE: folder };
  const demo = spawn(process.execPath, [join(root, 'harness/demo/main.ts'), '--real', '--simulated'], { env });
  const ended = new Promise((resolve) => demo.once('exit', resolve));
  return { demo, folder, ended, said: text(demo.stdout), complained: text(demo.stderr) };
}

test('Ctrl-C ends the builds of the demo on a real API server, and says that the next run goes on', async () => {
  const { demo, folder, ended, said, complained } = realDemo(`trap 'touch "$SLUICE_CACHE/ended"; exit 1' TERM
touch "$SLUICE_CACHE/begun"
while :; do sleep 0.1; done`);
  await vi.waitFor(() => expect(existsSync(join(folder, 'begun'))).toBe(true), { timeout: 60_000, interval: 100 });
  demo.kill('SIGINT');
  expect([await ended, await complained]).toEqual([130, '']);
  expect(await said).toMatch(/\nInterrupted\. What is built stays: the next run goes on from there\.\n$/);
  expect(existsSync(join(folder, 'ended'))).toBe(true);
  expect(readdirSync(join(folder, 'tools'), { recursive: true, encoding: 'utf8' }).filter((name) => /lock|new/.test(name))).toEqual([]);
});

test('a build of the demo that fails is said in words, with what works without it', async () => {
  const { ended, complained } = realDemo('echo "dial tcp: no route to host" >&2; exit 1');
  expect(await ended).toBe(1);
  expect(await complained).toMatch(
    /^\ndemo: go build of \S+ in \S+ ended with code 1:\ndial tcp: no route to host\nWhat is built stays\. `npm run demo` needs none of it\.\n$/,
  );
});

// A small disk of its own, which root can mount.
test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('a full disk is named, with the way out', async () => {
  const script = 'mount -t tmpfs -o size=4k tmpfs "$1" && : >"$1/full" && ! head -c 9999 /dev/zero >"$1/full" && TMPDIR=$1 exec "$2" "$3"';
  const folder = mkdtempSync(join(tmpdir(), 'sluice-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = [process.execPath, join(root, 'harness/demo/main.ts')];
  const error = await promisify(execFile)('unshare', ['--mount', 'sh', '-c', script, 'sh', folder, ...program]).then(
    () => undefined,
    (failed: { readonly stderr: string }) => failed.stderr,
  );
  expect(error).toContain(`cannot write ${folder}/sluice-demo-`);
  expect(error).toContain('ENOSPC: no space left on device, write; TMPDIR names another folder');
});
