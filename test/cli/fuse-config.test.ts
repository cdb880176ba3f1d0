import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sluice } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-fuse-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const options = (key: string) => ({ 'minio-access-key': key, 'minio-url': 'http://minio:9000' });
const mount = (name: string, key: string) => ({ mountPoint: `minio://${name}`, name, options: options(key) });
const inFile = '/etc/fluid/secrets/minio-secret/minio-access-key';
const targetPath = '/runtime-mnt/thin/default/minio-demo/thin-fuse';
const config = file('config.json', JSON.stringify({ mounts: [mount('bucket', inFile)], targetPath }));
const inline = file('inline.json', JSON.stringify({ mounts: [mount('bucket', 'hunter2')], targetPath }));
const two = file('two.json', JSON.stringify({ mounts: [mount('a', inFile), mount('b', inFile)], targetPath }));
const template = file(
  't.yaml',
  'program: s3fs\nargs: ["${mount.bucket}", "${targetPath}", -f, -o, "url=${mount.options.minio-url}"]\nenv: { KEY: "${secret.minio-access-key}" }\n',
);
const argvTemplate = file('argv.yaml', 'program: s3fs\nargs: ["${mount.bucket}", "${env.NAME:-x}"]\n');
const fuseConfig = (...args: readonly string[]) => sluice(['fuse-config', ...args], { env: { NAME: 'from the environment' } });

describe('sluice fuse-config', () => {
  test('prints the configuration of the fuse container, typed', async () => {
    const { code, stdout } = await fuseConfig('--file', config);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      mounts: [{ scheme: 'minio', source: 'bucket', options: { 'minio-access-key': { file: inFile }, 'minio-url': { hidden: true } } }],
      targetPath,
      readOnly: true,
    });
  });
  test('shows options that a template knows not to be secret', async () => {
    const { stdout } = await fuseConfig('--file', inline, '--template', template);
    expect(JSON.parse(stdout)).toMatchObject({
      mounts: [{ options: { 'minio-access-key': { hidden: true }, 'minio-url': 'http://minio:9000' } }],
    });
  });
  test('prints a script', async () => {
    const { code, stdout } = await fuseConfig('--file', config, '--template', template, '-o', 'script');
    expect({ code, end: stdout.split('\n').slice(-3) }).toEqual({
      code: 0,
      end: ['export KEY="${sluice_secret_1}"', `exec s3fs bucket ${targetPath} -f -o url=http://minio:9000`, ''],
    });
  });
  test('writes script and secrets for their user alone, and prints nothing', async () => {
    const directory = join(folder, 'run');
    expect(await fuseConfig('--file', inline, '--template', template, '-o', 'script', '--directory', directory)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const modes = readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]);
    expect(modes).toEqual([
      ['mount.sh', 0o700],
      [expect.stringMatching(/^secret-\w+$/), 0o600],
    ]);
    expect(readFileSync(join(directory, String(modes[1]?.[0])), 'utf8')).toBe('hunter2');
    expect(readFileSync(join(directory, 'mount.sh'), 'utf8')).not.toContain('hunter2');
  });
  test('prints an environment', async () =>
    expect(await fuseConfig('--file', config, '--template', template, '-o', 'env')).toMatchObject({
      code: 0,
      stdout: `sluice_secret_1=$(cat ${inFile})\nexport KEY="\${sluice_secret_1}"\n`,
    }));
  test('prints the words of one of several clients', async () =>
    expect(await fuseConfig('--file', two, '--template', argvTemplate, '-o', 'argv', '--mount', 'b')).toMatchObject({
      code: 0,
      stdout: 's3fs\0b\0from the environment\0',
    }));
});

describe('sluice fuse-config refuses with one line a fault, and no secret in it,', () => {
  test.each<[string, readonly string[], string]>([
    ['no file', ['--file', join(folder, 'none.json')], `config.json: expected a file ${join(folder, 'none.json')}, found none`],
    ['no config.json', ['--file', template], `${template}: the whole file: expected JSON, found 142 characters that are none`],
    ['no template', ['--file', config, '-o', 'script'], '--template: expected a file, for --output script'],
    [
      'a template that does not exist',
      ['--file', config, '--template', '/none.yaml'],
      '/none.yaml: expected a file that can be read, found ENOENT',
    ],
    ['another format', ['--file', config, '-o', 'yaml'], "option '-o, --output <format>' argument 'yaml' is invalid"],
    ['a mount that does not exist', ['--file', two, '--mount', 'c'], '--mount: expected a mount among a, b, found c'],
    [
      'several mounts for one client',
      ['--file', two, '--template', template, '-o', 'script'],
      'mounts: expected one mount, since the template refers to ${mount.bucket} outside of each: mounts, found 2 mounts',
    ],
    [
      'a secret with no place to put it',
      ['--file', inline, '--template', template, '-o', 'script'],
      'options["minio-access-key"]: expected the path of a file of a Secret, or a directory to put the secret in, found the secret itself',
    ],
    [
      'an environment in argv',
      ['--file', config, '--template', template, '-o', 'argv'],
      'template env: expected none, since argv can hold none; --output script can, found KEY',
    ],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await fuseConfig(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('this is a defect');
  });
});
