/** `sluice fuse-config --watch` beside the script that it writes, on files as a kubelet mounts them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root, sluice } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-watch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [config, directory, log] = ['config', 'mount', 'log'].map((name) => join(folder, name)) as [string, string, string];
const soon = { timeout: 60_000 };

const template = (client: string) =>
  `program: sh\nargs: [-c, "${client}", sh, "\${mount.bucket}", ${log}]\nenv: { KEY: "\${secret.key}" }\nonChange: remount\n`;
const CLIENT = template('echo start $1 $KEY >> $2; exec sleep 1000');
const mounted = (bucket: string, key = 'hunter2') => ({
  mounts: [{ mountPoint: `s3://${bucket}`, name: 'a', options: { key } }],
  targetPath: join(folder, 'mnt'),
});
const logged = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');

let version = 0;
/** The files of a ConfigMap's volume are links into a directory, which is replaced by renaming a link to it. */
function publish(files: Readonly<Record<string, string>>): void {
  const data = `..${String(++version)}`;
  mkdirSync(join(config, data), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(config, data, name), text);
    if (version === 1) symlinkSync(join('..data', name), join(config, name));
  }
  symlinkSync(data, join(config, '..data_tmp'));
  renameSync(join(config, '..data_tmp'), join(config, '..data'));
}

const ARGS = ['fuse-config', '--file', join(config, 'config.json'), '--template', join(config, 't.yaml'), '-o', 'script'];

test('clients follow config.json and template; what is wrong leaves them as they were', { timeout: 180_000 }, async () => {
  publish({ 'config.json': JSON.stringify(mounted('one')), 't.yaml': CLIENT });
  expect(await sluice([...ARGS, '--directory', directory])).toEqual({ code: 0, stdout: '', stderr: '' });
  const script = spawn('sh', [join(directory, 'mount.sh')], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const ended = once(script, 'exit');
  const watcher = spawn(process.execPath, [join(root, 'src/cli/main.ts'), ...ARGS, '--directory', directory, '--watch']);
  const watcherEnded = once(watcher, 'exit');
  let printed = '';
  for (const stream of [watcher.stdout, watcher.stderr]) stream.on('data', (text: Buffer) => (printed += text.toString('utf8')));
  try {
    await expect.poll(logged, soon).toBe('start one hunter2\n');
    publish({ 'config.json': JSON.stringify(mounted('two')), 't.yaml': CLIENT });
    await expect.poll(logged, soon).toBe('start one hunter2\nstart two hunter2\n');
    publish({ 'config.json': JSON.stringify({ mounts: [] }), 't.yaml': CLIENT });
    await expect.poll(() => printed, soon).toContain('targetPath: expected');
    publish({ 'config.json': JSON.stringify(mounted('two', 'hunter3')), 't.yaml': CLIENT });
    await expect.poll(logged, soon).toBe('start one hunter2\nstart two hunter2\nstart two hunter3\n');
    publish({ 'config.json': JSON.stringify(mounted('two', 'hunter3')), 't.yaml': template('echo new $1 >> $2; exec sleep 1000') });
    await expect.poll(logged, soon).toBe('start one hunter2\nstart two hunter2\nstart two hunter3\nnew two\n');
    expect(printed).not.toContain('hunter');
    watcher.kill('SIGTERM');
    expect(await watcherEnded).toEqual([0, null]);
    script.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    watcher.kill('SIGKILL');
    if (script.pid !== undefined && script.exitCode === null) process.kill(-script.pid, 'SIGKILL');
  }
});

test.each([
  ['no place to write to', CLIENT, [], '--watch: expected --output script, --template and --directory'],
  ['a template that does not remount', 'program: a', ['--directory', directory], 'expected onChange: remount, for --watch'],
])('is refused with %s', async (_, text, more, message) => {
  publish({ 'config.json': JSON.stringify(mounted('one')), 't.yaml': text });
  const { code, stderr } = await sluice([...ARGS, ...more, '--watch']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
