/** How the playground ends, and what it leaves: nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../docs/pages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-ends-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs it with a folder of its own for what is temporary. */
function playground(...args: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), 'playground', ...args], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said.text += data.toString()));
  return { child, said, ended: new Promise<number | null>((resolve) => child.once('close', resolve)) };
}
const leftIn = (): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('sluice-playground-'));
/** Processes whose command line names the folder. */
const processes = (): readonly string[] =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes('--kubeconfig') && commandOf(pid).includes(folder));
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
const PATIENCE = { timeout: 30_000 };

test('controller and webhook end with a playground that is killed', async () => {
  const { child, said, ended } = playground();
  await expect.poll(() => said.text, PATIENCE).toContain('Ctrl-C ends it');
  expect(processes()).toHaveLength(2);
  child.kill('SIGKILL');
  await ended;
  await expect.poll(processes, PATIENCE).toEqual([]);
});

test.each(['SIGHUP', 'SIGTERM'] as const)('%s ends the command, and then all', async (signal) => {
  const { child, said, ended } = playground('--', 'sh', '-c', 'echo runs; exec sleep 600');
  await expect.poll(() => said.text, PATIENCE).toContain('runs');
  child.kill(signal);
  expect(await ended).toBe(signal === 'SIGHUP' ? 129 : 143);
  expect([...leftIn(), ...processes()]).toEqual([]);
});

test('Ctrl-C is the command’s own', async () => {
  const { child, said, ended } = playground(
    '--',
    'sh',
    '-c',
    'trap "" INT; echo runs; while :; do sleep 0.1; test -e "$TMPDIR/end" && exit 3; done',
  );
  await expect.poll(() => said.text, PATIENCE).toContain('runs');
  child.kill('SIGINT');
  child.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(child.exitCode).toBeNull();
  writeFileSync(join(folder, 'end'), '');
  expect(await ended).toBe(3);
  expect([...leftIn(), ...processes()]).toEqual([]);
});

test('the kubeconfig of a cluster is never replaced', async () => {
  const file = join(folder, 'config');
  writeFileSync(file, 'apiVersion: v1\nkind: Config\n');
  const { said, ended } = playground('--kubeconfig', file);
  expect(await ended).toBe(1);
  expect(said.text).toBe(`sluice: --kubeconfig ${file}: expected no file, or one that a playground wrote; this one stays as it is\n`);
  expect(readFileSync(file, 'utf8')).toBe('apiVersion: v1\nkind: Config\n');
  expect([...leftIn(), existsSync(file)]).toEqual([true]);
});

test('a port that is taken is an error, and the command ends', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { said, ended } = playground('--port', String(port));
  expect(await ended).toBe(1);
  expect(said.text).toMatch(new RegExp(`^sluice: --port ${port} cannot be served: .*EADDRINUSE`));
  expect(leftIn()).toEqual([]);
  taken.close();
});

test('npm in its command says what fails, though npm run -s began it', async () => {
  process.env['npm_config_loglevel'] = 'silent';
  const { said, ended } = playground('--', 'sh', '-c', 'echo "level <$npm_config_loglevel>"');
  delete process.env['npm_config_loglevel'];
  expect(await ended).toBe(0);
  expect(said.text).toContain('level <>');
});
