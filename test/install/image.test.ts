/** The image: built twice, unpacked, and run as the controller's pod runs it. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { KEYRING } from '../../scripts/image/debian.ts';
import { type Built, buildImage } from '../../scripts/image.ts';
import { root, sluice } from '../cli/run.ts';
import { canRun } from '../support/can-run.ts';

const has = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const lacking = [
  ...['apt-get', 'dpkg-deb', 'flock', 'unshare'].filter((program) => !has(program)),
  ...(existsSync(KEYRING) ? [] : ['debian-archive-keyring']),
  ...(process.getuid?.() === 0 ? [] : ['root, for chroot']),
];

const canBuild = canRun('tests of the image', lacking.length > 0 ? `missing here: ${lacking.join(', ')}` : undefined);

describe.skipIf(!canBuild)('the image', () => {
  let dir: string;
  let first: Built;
  let secondId: string | undefined;
  let unpacked: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'sluice-image-'));
    // Beside each other, as tests and benches on one machine do.
    const other = join(dir, 'second');
    const building = promisify(execFile)(process.execPath, [join(root, 'scripts/image.ts'), '--name', 'sluice:test', '--out', other]);
    first = await buildImage('sluice:test', join(dir, 'first'));
    [, secondId] = /^sluice:test (\S+)/.exec((await building).stdout) ?? [];
    unpacked = join(dir, 'root');
    mkdirSync(unpacked);
    for (const layer of ['system.tar', 'program.tar']) execFileSync('tar', ['-C', unpacked, '-xf', join(dir, 'first', layer)]);
  }, 300_000);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const text = (path: string): string => execFileSync('tar', ['-xOf', first.path, path], { encoding: 'utf8' });
  const manifest = () => (JSON.parse(text('manifest.json')) as readonly [{ Config: string; RepoTags: string[]; Layers: string[] }])[0];
  const config = () =>
    (JSON.parse(text(manifest().Config)) as { readonly config: { Entrypoint: readonly string[]; User: string; Env: readonly string[] } })
      .config;
  /** In a mount namespace of its own, where the root is read-only; as the user of the image, without any rights. */
  const run = (program: string, ...args: readonly string[]) => {
    const script =
      'root=$1 user=$2; shift 2; mount --bind "$root" "$root" && mount -o remount,bind,ro "$root" && exec chroot --userspec="$user" "$root" "$@"';
    return promisify(execFile)('unshare', ['--mount', 'sh', '-c', script, 'sh', unpacked, config().User, program, ...args], {
      env: { PATH: process.env['PATH'] },
      maxBuffer: 16 << 20,
    });
  };
  const entry = (...args: readonly string[]) => run(...(config().Entrypoint as [string, ...string[]]), ...args);

  test('has the same bytes each time it is built', () => {
    expect(secondId).toBe(first.id);
    expect(readFileSync(join(dir, 'second/image.tar')).equals(readFileSync(first.path))).toBe(true);
  });
  test('takes at most 250 MB', () => {
    console.log(`image: ${(first.size / 1e6).toFixed(0)} MB`);
    expect(first.size).toBeLessThanOrEqual(250e6);
  });
  test('says the name it was built under', () => expect(manifest().RepoTags).toEqual(['sluice:test']));
  test('runs the bundled command line, without root and with a read-only root file system', async () => {
    expect(await entry('--version')).toEqual({ stdout: (await sluice(['--version'])).stdout, stderr: '' });
    expect(await entry('crds')).toEqual({ stdout: (await sluice(['crds'])).stdout, stderr: '' });
    const install = ['install', '--image', 'registry.example/sluice:1'];
    expect(await entry(...install)).toEqual({ stdout: (await sluice(install)).stdout, stderr: '' });
  });
  test('says that what needs a checkout is elsewhere', () =>
    expect(entry('new-runtime')).rejects.toMatchObject({
      code: 1,
      stderr: 'sluice: this command needs the npm package: npx @sluice-data/sluice new-runtime\n',
    }));
  test.each(['mount', 'umount', 'mkdir', 'cat', 'stat', 'sleep'])('has %s, which finds its libraries', async (name) =>
    expect((await run(`/usr/bin/${name}`, '--version')).stdout).toMatch(/util-linux|coreutils/),
  );
  test('has every program that the node plugin starts', async () => {
    const folder = join(root, 'src/csi');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const sources = files.map((file) => readFileSync(join(folder, file), 'utf8'));
    const started = sources.flatMap((source) =>
      [...source.matchAll(/\b(?:run\(\s*\[|reach\([^[]*\[)'([^']+)'/g)].flatMap(([, name]) => name ?? []),
    );
    expect(started).toEqual(expect.arrayContaining(['mount', 'umount', 'stat']));
    // Functions of the plugin's own shells begin so.
    const programs = started.filter((name) => !name.startsWith('sluice_'));
    for (const name of new Set(programs)) expect(existsSync(join(unpacked, 'usr/bin', name)), name).toBe(true);
  });
  test('has a shell', async () => expect((await run('/bin/sh', '-c', 'echo "$1"', 'sh', 'a b')).stdout).toBe('a b\n'));
  describe('in the pipelines of examples/ci', () => {
    const example = (file: string): unknown => parse(readFileSync(join(root, 'examples/ci', file), 'utf8'));
    /** As a pipeline does it: in a checkout that the user of the image can read. */
    const inCheckout = (command: string) => run('/bin/sh', '-c', `cd /src && ${command}`);
    beforeAll(() => {
      mkdirSync(join(unpacked, 'src/caches'), { recursive: true });
      const fault = 'apiVersion: data.fluid.io/v1alpha1\nkind: Dataset\nmetadata: { name: demo }\nspec:\n  mounts: 3\n';
      writeFileSync(join(unpacked, 'src/caches/demo.yaml'), fault);
    });
    test('GitHub gets annotations', async () => {
      const { jobs } = example('github.yaml') as {
        readonly jobs: { readonly check: { readonly steps: readonly { readonly run?: string }[] } };
      };
      const [, args] = / -v "\$PWD:\/src:ro" -w \/src registry\.example\/sluice:\S+ (.*)$/.exec(jobs.check.steps.at(-1)?.run ?? '') ?? [];
      await expect(inCheckout([...config().Entrypoint, args].join(' '))).rejects.toMatchObject({
        code: 2,
        stdout: expect.stringMatching(/^::error file=caches\/demo\.yaml,line=5,/) as string,
      });
    });
    test('GitLab, which starts a shell, gets a file of SARIF', async () => {
      const { caches } = example('gitlab.yaml') as { readonly caches: { readonly script: readonly [string] } };
      const [command, file] = caches.script[0].split(' > ');
      expect(file).toBe('caches.sarif');
      await expect(inCheckout(command ?? '')).rejects.toMatchObject({
        code: 2,
        stdout: expect.stringContaining('"uri": "caches/demo.yaml"') as string,
      });
    });
  });
  test('has nothing that is set-uid', async () => {
    const { stdout } = await promisify(execFile)('find', [unpacked, '-perm', '/6000']);
    expect(stdout).toBe('');
  });
  test('is what the Dockerfile makes of the same layers', () => {
    const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n');
    const value = (instruction: string) => lines.find((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1);
    const { Entrypoint, User, Env } = config();
    expect([JSON.parse(value('ENTRYPOINT') ?? ''), value('USER'), [value('ENV')]]).toEqual([Entrypoint, User, Env]);
    expect(lines.filter((line) => line.startsWith('ADD'))).toEqual(['ADD system.tar /', 'ADD program.tar /']);
  });
});
