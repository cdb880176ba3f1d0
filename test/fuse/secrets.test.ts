/** Options that are secrets, where config.json holds their values and does not say which they are. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { argvOf, clientsOf, type MountTemplate, mountScript, parseFuseConfig, readFuseConfig, viewOf } from '../../src/fuse/index.ts';
import { template } from './given.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-secret-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = JSON.stringify({
  mounts: [{ mountPoint: 's3://bucket', name: 'a', options: { key: 'hunter2', url: 'u' } }],
  targetPath: '/mnt',
});
const each = [{ each: 'mount.options', args: ['--${option.name}=${option.value}'] }];
const script = (of: MountTemplate, ...secretOptions: readonly string[]) =>
  mountScript(clientsOf(of, parseFuseConfig(config, 'config.json', secretOptions)), '/run/mount');

describe('the value of an option that is a secret', () => {
  test.each([
    ['among all options', template({ args: each }), ['key']],
    ['by its name', template({ args: ['--key=${mount.options.key}', '--url=${mount.options.url}'] }), ['key']],
    ['among all options, where the template itself takes it for one', template({ args: each, env: { KEY: '${secret.key}' } }), []],
  ])('is given to the client as the path of a file: %s', (_, of, secretOptions) => {
    const { text, files } = script(of, ...secretOptions);
    const [path = ''] = Object.keys(files);
    expect(files).toEqual({ [path]: 'hunter2' });
    expect(text).not.toContain('hunter2');
    expect(text).toContain(`exec client --key=${path} --url=u\n`);
  });
  test('is not in a variable of the environment that was meant to be plain', () =>
    expect(script(template({ env: { KEY: '${mount.options.key}' } }), 'key').text).toMatch(/export KEY=\/run\/mount\/secret-\w+$/m));
  test('is refused as an argument where no file can hold it', () => {
    const clients = clientsOf(template({ args: each }), parseFuseConfig(config, 'config.json', ['key']));
    for (const make of [() => mountScript(clients), () => clients.map((client) => argvOf(client, {}))])
      expect(make).toThrow('options["key"]: expected the path of a file of a Secret, or a directory to put the secret in');
  });
  test('is not shown', () => {
    const shown = viewOf(parseFuseConfig(config, 'config.json', ['key']), template({ args: ['${mount.options.key}'] }), true);
    expect(JSON.parse(shown)).toMatchObject({ mounts: [{ options: { key: { hidden: true }, url: 'u' } }] });
  });
});

describe('which options are secrets', () => {
  /** As the kubelet has a volume: files are links into a directory that is replaced. */
  const volume = (version: string, files: Readonly<Record<string, string>>) => {
    mkdirSync(join(folder, version));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, version, name), text);
    symlinkSync(version, join(folder, 'data.new'));
    renameSync(join(folder, 'data.new'), join(folder, 'data'));
  };
  const file = join(folder, 'config.json');
  const read = async () => (await readFuseConfig([file])).config.secretOptions;
  test('stands beside config.json, in the same version', async () => {
    symlinkSync('data/config.json', file);
    volume('1', { 'config.json': config });
    expect(await read()).toEqual([]);
    volume('2', { 'config.json': config, 'secret-options.json': '["key"]' });
    expect(await read()).toEqual(['key']);
  });
  test.each(['{}', '[1]', '["hunter2'])('is asked for where it is %s, without a word of it', async (text) => {
    volume(`with ${text}`, { 'config.json': config, 'secret-options.json': text });
    const fault = read().catch(String);
    expect(await fault).toContain(`${join(folder, 'secret-options.json')}: the whole file: expected a list of names of options, in JSON`);
    expect(await fault).not.toContain('hunter2');
  });
});
