/** Which programs the scripts need in the image of the client: what docs/thin-runtime.md says, and no others. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { realigning, script } from './given.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-needs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const where = (program: string) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' }).stdout.trim();
const [dash, node] = [where('sh'), process.execPath];

const page = readFileSync(new URL('../../docs/thin-runtime.md', import.meta.url), 'utf8');
/** The table "What the image needs": program, and its purpose. */
const documented = [...page.matchAll(/^\| `(mkdir|umount|cat|mktemp|sleep|mkfifo)` \| (.*) \|$/gm)].map(([, name = '']) => name);

let folders = 0;
/** A PATH with nothing in it but these. */
function only(...programs: readonly string[]): string {
  const path = join(folder, `bin-${folders++}`);
  mkdirSync(path);
  for (const name of programs) symlinkSync(where(name), join(path, name));
  return path;
}
writeFileSync(join(folder, 'key'), 'hunter2');
mkdirSync(join(folder, 'mount'));
const value = {
  mounts: [{ mountPoint: 's3://bucket', name: 'a', options: { key: 'hunter2', to: join(folder, 'written') } }],
  targetPath: join(folder, 'mnt'),
};
const client = (...words: readonly string[]) => ({ program: node, args: ['-e', 'console.log(process.argv.slice(1).join())', ...words] });

test.each([
  ['a client', ['mkdir'], client('${mount.name}')],
  ['secrets', ['mkdir', 'cat'], { ...client('${mount.name}'), env: { KEY: '${secret.key}' } }],
  ['files', ['mkdir', 'cat', 'mktemp'], { ...client('${mount.name}', '${file.f}'), files: { f: '${secret.key}' } }],
])('%s: %j, and not less', (_, programs, template) => {
  expect(documented).toEqual(expect.arrayContaining(programs));
  const { text, files } = script(template, value, join(folder, 'mount'));
  for (const [path, secret] of Object.entries(files)) writeFileSync(path, secret);
  const run = (PATH: string) => spawnSync(dash, ['-c', text], { env: { PATH, TMPDIR: folder }, encoding: 'utf8' });
  const { status, stdout, stderr } = run(only(...programs));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^a/);
  for (const missing of programs) expect(run(only(...programs.filter((name) => name !== missing))).status, missing).not.toBe(0);
});

test.each([
  ['clients that are begun again', ['mkdir', 'sleep'], {}],
  ['clients that change', ['mkdir', 'sleep', 'mkfifo'], { onChange: 'remount' }],
])('%s: %j, and not less, either', async (_, programs, more) => {
  expect(documented).toEqual(expect.arrayContaining(programs));
  const own = mkdtempSync(join(folder, 'own-'));
  const starts = join(own, 'starts');
  const template = { ...more, each: 'mounts', program: node, args: ['-e', 'fs.appendFileSync(process.argv[1], "again\\n")', starts] };
  const two = { targetPath: join(own, 'mnt'), mounts: ['a', 'b'].map((name) => ({ mountPoint: `s3://${name}`, name })) };
  const { text, files } = 'onChange' in more ? realigning(template, two, own) : script(template, two, own);
  for (const [path, content] of Object.entries(files)) writeFileSync(path, content);
  const start = (PATH: string) => {
    const child = spawn(dash, ['-c', text], { env: { PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    const ended = once(child, 'exit');
    const end = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    return { said: () => said, end };
  };
  // The FIFO first: once it exists, no other process creates it.
  for (const missing of programs.toReversed()) {
    const { said, end } = start(only(...programs.filter((name) => name !== missing)));
    await expect.poll(said, { timeout: 60_000 }).toContain(`${missing}: not found`);
    await end();
  }
  rmSync(starts, { force: true });
  const { said, end } = start(only(...programs));
  // Both end at once, and begin again after a second.
  await expect
    .poll(() => (existsSync(starts) ? readFileSync(starts, 'utf8').split('\n').length : 0), { timeout: 60_000 })
    .toBeGreaterThan(4);
  await end();
  expect(said()).not.toContain('not found');
});
