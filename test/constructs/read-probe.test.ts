/** The view of a pod that reads: by the script in real shells, and by their output. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BasePlan } from '../../src/constructs/index.ts';
import { readProbe } from '../../src/constructs/read-probe.ts';

const plan = { mountPath: '/mnt/data' } as BasePlan;
const { commands, late, parse } = readProbe(plan, { subject: 'the store' });
const [{ argv } = { argv: [] }] = commands;
const LOCK = '/tmp/.sluice-look-up';

describe.each(['/bin/dash', '/bin/bash', '/usr/bin/busybox'].filter((shell) => existsSync(shell)))('the script in %s', (shell) => {
  const words = (script: string, ...directories: string[]) => [
    ...(shell.endsWith('busybox') ? ['sh'] : []),
    '-c',
    script.replaceAll(LOCK, join(folder, 'lock')),
    'sh',
    ...directories,
  ];
  /** In a container whose file system is read-only. */
  const runReadOnly = (memory: string) =>
    execFileSync(shell, words((argv[2] ?? '').replaceAll(LOCK, '/nowhere/lock').replaceAll('/dev/shm', memory), folder), {
      encoding: 'utf8',
    });
  const folder = mkdtempSync(join(tmpdir(), 'look-up'));
  const run = (...directories: string[]) => execFileSync(shell, words(argv[2] ?? '', ...directories), { encoding: 'utf8' });

  test('finds nothing wrong with a directory, one that is not there, and one that it may not read', () => {
    onTestFinished(() => rmSync(join(folder, 'lock'), { force: true }));
    for (const directory of [folder, '/nowhere', '/etc/passwd']) expect(parse([[run(directory)]])).toEqual({});
  });
  test('prints the error of a file system that has lost its client', () => {
    // A character device without a driver, as the last of several directories.
    const answer = run(folder).replace('asked', `${shell}: 1: cannot open /mnt/data/.x: Transport endpoint is not connected\nasked`);
    expect(parse([[answer]]).fails).toBe(
      'A pod that looks up a file gets the error “Transport endpoint is not connected”: the store does not answer.',
    );
  });
  test('says that it begins, before it looks', () => expect(run(folder)).toMatch(/^looks\n/));
  test('adds no look-up while one hangs in a container that is read-only, and makes none where nothing can be written', () => {
    const memory = mkdtempSync(join(tmpdir(), 'look-up'));
    onTestFinished(() => rmSync(memory, { recursive: true }));
    expect(parse([[runReadOnly(memory)]])).toEqual({});
    writeFileSync(join(memory, '.sluice-look-up'), `${process.pid}\n`);
    expect(parse([[runReadOnly(memory)]]).fails).toBe('A pod that looks up a file waits: the store does not answer.');
    expect(() => parse([[runReadOnly('/nowhere')]])).toThrow('no look-up was made');
  });
  test('lets go of its lock when its command was abandoned', async () => {
    const alone = spawn(shell, words(argv[2] ?? '', folder), { stdio: ['ignore', 'pipe', 'ignore'] });
    alone.stdout.destroy();
    await new Promise((resolve) => alone.once('exit', resolve));
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe('\n');
  });
  test('adds no look-up while one hangs', async () => {
    const hanging = spawn('sleep', ['100']);
    onTestFinished(() => void hanging.kill());
    writeFileSync(join(folder, 'lock'), `${hanging.pid}\n`);
    expect(parse([[run(folder)]]).fails).toBe('A pod that looks up a file waits: the store does not answer.');
    hanging.kill();
    await new Promise((resolve) => hanging.once('exit', resolve));
    expect(parse([[run(folder)]])).toEqual({});
    rmSync(folder, { recursive: true });
  });
});

test('gives directories to the script as arguments, eight at most', () => {
  const directories = Array.from({ length: 20 }, (_, i) => `/mnt/$(reboot)/${i}`);
  const [command] = readProbe(plan, { subject: 'the store', directories: () => directories }).commands;
  expect(command?.argv).toEqual(['sh', '-c', expect.not.stringContaining('reboot'), 'sh', ...directories.slice(0, 8)]);
  expect(command).toMatchObject({ in: 'fuse', on: 'one' });
});
test('takes no name of a directory for an error', () =>
  expect(parse([['sh: 1: cannot open /mnt/timed out/.x: No such file\nasked\n']])).toEqual({}));
test('says nothing else of what an image of a user prints', () => {
  const { fails } = parse([['x: 17 Operation timed out after 12:01:07\nasked\n']]);
  expect(fails).toBe('A pod that looks up a file gets the error “Operation timed out”: the store does not answer.');
});
test.each(['Input/output error', 'I/O error', 'Stale file handle', 'Connection timed out', 'Transport endpoint is not connected'])(
  'takes “%s” for a file system that is not there',
  (error) => expect(parse([[`sh: 1: cannot open /mnt/data/.x: ${error}\nasked\n`]]).fails).toContain(error),
);
test('knows nothing from a shell that printed something else', () => {
  for (const answer of ['', 'sh: not found', 'asked?']) expect(() => parse([[answer]])).toThrow('no look-up was made');
});
test('counts a command that does not end as a reader who waits', () =>
  expect(late?.()).toEqual({ fails: 'A pod that looks up a file waits: the store does not answer.' }));
