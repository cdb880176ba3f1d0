import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openShells, Stuck } from '../../../src/csi/mounts/shells.ts';

const shells = openShells(`in_two() ( printf '%s' "$1"; printf '%s' "$2" >&2; exit 7 )`);
const dir = mkdtempSync(join(tmpdir(), 'sluice-shells-'));
afterAll(() => {
  shells.close();
  rmSync(dir, { recursive: true });
});
const MS = 20_000;
/** The shell that runs it. */
const shell = async (of = shells) => Number((await of.run(['sh', '-c', 'echo "$PPID"'], MS)).output);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('arguments arrive as they are', async () => {
  const texts = [
    ...String.raw`-n|it's|"|\|\n|\`id\`|$(id)|$HOME|~|*|;|& exit|#|!|%s|a=b| `.split('|'),
    '',
    'a\nb',
    '\n',
    '\t',
    // Bytes that dash uses for itself, and others.
    ...'ä|ā|ȃ|\u0081\u0082\u0088|漢字|😀|\u001b[0m|\u007f|\ufffd'.split('|'),
    'x'.repeat(100_000),
  ];
  const { code, output } = await shells.run(['printf', '<%s>', ...texts], MS);
  expect({ code, output }).toEqual({ code: 0, output: texts.map((text) => `<${text}>`).join('') });
  expect(await shells.run(['/usr/bin/printf', '<%s>', ...texts], MS)).toEqual({ code: 0, output });
});

test('an argument that no program can be given is refused, rather than passed on without its NUL', async () => {
  await expect(shells.run(['printf', '%s', 'a\0b'], MS)).rejects.toThrow('an argument has a NUL');
});

test('says how a program ended, and what it said', async () => {
  expect(await shells.run(['in_two', 'out', 'err'], MS)).toEqual({ code: 7, output: 'outerr' });
  expect(await shells.run(['no-such-program'], MS)).toMatchObject({ code: 127, output: expect.stringContaining('not found') });
  expect(await shells.run(['sh', '-c', 'kill -9 $$'], MS)).toMatchObject({ code: 137 });
  expect(await shells.run(['cat'], MS)).toEqual({ code: 0, output: '' });
});

test('a shell is used again, and two at once have one each', async () => {
  expect(await shell()).toBe(await shell());
  const meet = (mine: string, other: string) =>
    shells.run(['sh', '-c', `echo >${dir}/${mine}; until [ -e ${dir}/${other} ]; do :; done; echo "$PPID"`], MS);
  const [a, b] = await Promise.all([meet('a', 'b'), meet('b', 'a')]);
  expect(a.output).not.toBe(b.output);
});

test('those that wait hold up no other, however many they are', async () => {
  const others = openShells();
  const pids = Array.from({ length: 8 }, () => others.run(['sh', '-c', `until [ -e ${dir}/go ]; do sleep 0.01; done`], MS));
  await others.run(['sh', '-c', `echo >${dir}/go`], MS);
  expect(await Promise.all(pids)).toEqual(pids.map(() => ({ code: 0, output: '' })));
  others.close();
});

test('a program that hangs is killed with all that it has started, and holds up no other', async () => {
  const hung = shells.run(['sh', '-c', 'sleep 1000 & echo $!; sleep 1000'], 300).catch((error: unknown) => error);
  expect(await shells.run(['printf', 'well'], MS)).toMatchObject({ output: 'well' });
  const error = await hung;
  expect(error).toBeInstanceOf(Stuck);
  await (error as Stuck).gone;
  expect(await shells.run(['printf', 'well'], MS)).toMatchObject({ output: 'well' });
});

test('a shell that was ended is replaced', async () => {
  const pid = await shell();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await shell()).not.toBe(pid);
  await expect(shells.run(['sh', '-c', 'kill -9 "$PPID"; sleep 1000'], MS)).rejects.toThrow('its shell was ended');
});

test('a script that runs when they are closed ends, and nothing stays', async () => {
  const others = openShells();
  const [idle] = await Promise.all([shell(others), others.run(['true'], MS)]);
  const busy = shell(others);
  others.close();
  await expect.poll(() => isAlive(idle)).toBe(false);
  const pid = await busy;
  await expect.poll(() => isAlive(pid)).toBe(false);
});
