/** The file that runs without Node installed: built for both processors, and run where no other program is. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobIn, withBlob } from '../../scripts/executable/elf.ts';
import { buildExecutables } from '../../scripts/executable.ts';
import { ownArchitecture } from '../../src/cli/image/archive.ts';
import { type Ended, root, sluice } from '../cli/run.ts';
import { canRun } from '../support/can-run.ts';

const isPossible = canRun('tests of the executable', process.platform === 'linux' ? undefined : 'it is built on Linux');
/** Values of `e_machine` in an ELF header (elf(5)). */
const MACHINES = { amd64: 62, arm64: 183 } as const;
const PATIENCE = { timeout: 30_000 };

describe.skipIf(!isPossible)('the file that runs without Node', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-executable-test-'));
    await buildExecutables(['amd64', 'arm64'], folder);
    file = join(folder, `sluice-linux-${ownArchitecture()}`);
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** In the checkout's folder, as `sluice` does, without any variable but an empty PATH. */
  const run = (args: readonly string[], program = file): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(program, args, { cwd: root, env: { PATH: '' }, maxBuffer: 16 << 20 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
    });

  test.each([
    ['--version'],
    ['synth examples/juicefs.yaml --assume-secrets'],
    ['diff --offline examples/alluxio.yaml'],
    ['install --image registry.example/sluice:1'],
    ['images -o json'],
    ['crds'],
    ['--help'],
    ['explain --kubeconfig no-such-file'],
    ['fuse-config --file no-such-file'],
    ['install --no-such-flag'],
  ])('answers `sluice %s` as the package does', async (line) => {
    const args = line.split(' ');
    const expected = await sluice(args);
    expect(expected.stdout + expected.stderr).not.toBe('');
    expect(await run(args)).toEqual(expected);
  });

  test('completes what the package does, but for options of commands that need Node', async () => {
    const { stdout } = await sluice(['completion', 'bash']);
    const lines = stdout.split('\n').filter((line) => !/'(image|new-runtime) -/.test(line));
    const own = (await run(['completion', 'bash'])).stdout.split('\n').filter((line) => !/'(image|new-runtime) -/.test(line));
    expect(own).toEqual(lines);
  });

  test('is installed by what docs/installing.md says to type, also as plugin of kubectl', async () => {
    const page = readFileSync(join(root, 'docs/installing.md'), 'utf8');
    const [, typed = ''] = /^```sh\n(sha256sum --check .*?)^kubectl sluice explain\n```$/ms.exec(page) ?? [];
    expect(typed).toContain('/usr/local/bin/kubectl-sluice');
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const name = basename(file);
    writeFileSync(join(folder, 'SHA256SUMS'), `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${name}\n`);
    const script = typed.replaceAll('sudo ', '').replaceAll('/usr/local/bin', bin).replaceAll('sluice-linux-amd64', name);
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
    expect(await run(['--version'], join(bin, 'kubectl-sluice'))).toEqual(await sluice(['--version']));
  });

  test.each(['image --config a.ts', 'new-runtime acme', 'synth --config a.ts examples/juicefs.yaml'])(
    'says in one line that `sluice %s` needs Node',
    async (line) => {
      const { code, stdout, stderr } = await run(line.split(' '));
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^sluice: .* need(s)? Node and the npm package: npx @sluice-data\/sluice.*\n$/);
    },
  );

  test('runs the playground, whose controller and webhook end when it is killed', async () => {
    const child = spawn(file, ['playground'], { env: { PATH: '', TMPDIR: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let said = '';
    child.stderr.on('data', (data: Buffer) => (said += data.toString()));
    await expect.poll(() => said, PATIENCE).toContain('Ctrl-C ends it');
    expect(childrenOf(folder)).toHaveLength(2);
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => childrenOf(folder), PATIENCE).toEqual([]);
  });

  test('has the same program for both processors', () => {
    const [amd64, arm64] = (['amd64', 'arm64'] as const).map((architecture) => {
      const bytes = readFileSync(join(folder, `sluice-linux-${architecture}`));
      expect(bytes.readUInt16LE(18)).toBe(MACHINES[architecture]);
      return blobIn(bytes);
    });
    expect(amd64?.length).toBeGreaterThan(1e6);
    expect(arm64?.equals(amd64 ?? Buffer.alloc(0))).toBe(true);
  });

  test('has the same bytes when it is built again', async () => {
    const again = join(folder, 'again');
    await buildExecutables([ownArchitecture()], again);
    for (const name of readdirSync(again))
      expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name))), name).toBe(true);
    rmSync(again, { recursive: true });
  });

  test('comes with the licences of Node and of the bundled packages', () => {
    expect(readFileSync(join(folder, 'THIRD-PARTY.txt'), 'utf8')).toMatch(
      /^commander [^]*^Node\.js, version [^]*Copyright Node\.js contributors/m,
    );
  });

  test('is made of a Node that holds no program yet', () => {
    expect(() => withBlob(readFileSync(file), Buffer.from('another'))).toThrow('expected a Node with one unused fuse');
    expect(() => withBlob(Buffer.from('#!/bin/sh\n'), Buffer.from('a'))).toThrow('expected a 64-bit little-endian ELF file');
  });
});

/** Command lines of processes that have the kubeconfig of a playground in the folder. */
const childrenOf = (folder: string): readonly string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(`--kubeconfig\0${folder}`));
