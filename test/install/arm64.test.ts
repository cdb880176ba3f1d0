/** The image for arm64: what is in its archive, and its programs run by an emulator on this machine's processors. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYRING } from '../../scripts/image/debian.ts';
import { buildExecutables } from '../../scripts/executable.ts';
import { type Built, buildImage } from '../../scripts/image.ts';
import { sluice } from '../cli/run.ts';
import { canRun } from '../support/can-run.ts';

/** QEMU's emulator of one process. */
const EMULATOR = '/usr/bin/qemu-aarch64-static';
/** Values of `e_machine` in an ELF header (elf(5)). */
const AARCH64 = 183;

const lacking = [EMULATOR, KEYRING, '/usr/bin/apt-get', '/usr/bin/dpkg-deb'].filter((file) => !existsSync(file));
const isPossible = canRun('tests of the image for arm64', lacking.length > 0 ? `missing here: ${lacking.join(', ')}` : undefined);

describe.skipIf(!isPossible || process.arch === 'arm64')('the image for arm64', () => {
  let dir: string;
  let built: Built;
  let unpacked: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'sluice-arm64-'));
    built = await buildImage('sluice:test', join(dir, 'image'), { architecture: 'arm64' });
    unpacked = join(dir, 'root');
    mkdirSync(unpacked);
    for (const layer of ['system.tar', 'program.tar']) execFileSync('tar', ['-C', unpacked, '-xf', join(dir, 'image', layer)]);
  }, 300_000);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const text = (path: string): string => execFileSync('tar', ['-xOf', built.path, path], { encoding: 'utf8' });
  /** Programs look for their interpreter and their libraries below the image's root. */
  const run = (program: string, ...args: readonly string[]) =>
    promisify(execFile)(EMULATOR, ['-L', unpacked, join(unpacked, program), ...args], { maxBuffer: 16 << 20 });

  test('says which processors it is for', () => {
    const [{ Config }] = JSON.parse(text('manifest.json')) as readonly [{ readonly Config: string }];
    expect(JSON.parse(text(Config))).toMatchObject({ architecture: 'arm64', os: 'linux' });
  });
  test('has programs and libraries of these processors alone', () => {
    const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const contents = files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))] as const);
    const machines = contents
      .filter(([, bytes]) => bytes.toString('latin1', 0, 4) === '\x7fELF')
      .map(([name, bytes]) => [name, bytes.readUInt16LE(18)]);
    expect(machines.map(([name]) => name)).toEqual(expect.arrayContaining(['node', 'mount', 'umount', 'stat', 'libc.so.6']));
    expect(machines.filter(([, machine]) => machine !== AARCH64)).toEqual([]);
  });
  test('runs the bundled command line', async () => {
    const entry = (...args: readonly string[]) => run('usr/bin/node', join(unpacked, 'opt/sluice/dist/bin/sluice.js'), ...args);
    expect((await entry('--version')).stdout).toBe((await sluice(['--version'])).stdout);
    expect((await entry('install')).stdout).toBe((await sluice(['install'])).stdout);
  });
  test('runs the file that needs no Node', async () => {
    const [file = ''] = await buildExecutables(['arm64'], join(dir, 'executable'));
    const { stdout } = await promisify(execFile)(EMULATOR, ['-L', unpacked, file, 'install', '--image', 'a/b:1'], { maxBuffer: 16 << 20 });
    expect(stdout).toBe((await sluice(['install', '--image', 'a/b:1'])).stdout);
  });
  test.each(['mount', 'umount', 'mkdir', 'cat', 'stat', 'sleep'])('has %s, which finds its libraries', async (name) =>
    expect((await run(`usr/bin/${name}`, '--version')).stdout).toMatch(/util-linux|coreutils/),
  );
});
