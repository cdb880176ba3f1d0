/** Hostile values as real FUSE clients take them: what reaches the client is seen in what it mounts. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { tellNews } from '../../../src/fuse/index.ts';
import { parseMountinfo, topAt } from '../../../src/csi/mounts/mountinfo.ts';
import { nodeTools } from '../../../harness/tools/tools.ts';
import { canRun } from '../../support/can-run.ts';
import { realigning, script } from '../../fuse/given.ts';

const SFTP_SERVER = '/usr/lib/openssh/sftp-server';
const missing = ['/dev/fuse', '/usr/bin/s3fs', '/usr/bin/sshfs', SFTP_SERVER].filter((path) => !existsSync(path));
const reason =
  process.getuid?.() === 0 ? (missing.length > 0 ? `missing here: ${missing.join(', ')}` : undefined) : 'FUSE is tested as root';
const canMount = canRun('tests of FUSE clients', reason);

/** Names of directories, hence without a slash. */
const NAMES = [`it's "quoted"`, '$(touch pwned)`touch pwned`', 'two\nlines ; touch pwned', '${HOME} ~ * \\ & | <>', '-n, --'];

describe.skipIf(!canMount)('real clients', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clients-'));
  const target = join(folder, 'mnt');
  const mounted = () => topAt(parseMountinfo(readFileSync('/proc/self/mountinfo', 'utf8')), target);
  afterAll(() => {
    for (let left = 8; left > 0 && mounted(); left--) spawnSync('umount', ['-l', target]);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
    rmSync(folder, { recursive: true, force: true });
  });

  /** The output of a command that runs while the client has mounted. */
  async function whileMounted<T>(template: object, options: Readonly<Record<string, string>>, use: () => T): Promise<T> {
    const value = { mounts: [{ mountPoint: 's3://bucket', name: 'a', options }], targetPath: target, accessModes: ['ReadWriteMany'] };
    const { text, files } = script(template, value, folder);
    for (const [path, secret] of Object.entries(files)) writeFileSync(path, secret);
    const child = spawn('sh', ['-c', text], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    try {
      await expect.poll(() => mounted()?.fsType ?? (child.exitCode !== null && printed), { timeout: 90_000 }).toMatch(/^fuse\./);
      return use();
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  }
  const read = () => readFileSync(join(target, 'file'), 'utf8');
  const directory = (name: string): string => {
    mkdirSync(join(folder, 'src', name), { recursive: true });
    writeFileSync(join(folder, 'src', name, 'file'), name);
    return join(folder, 'src', name);
  };

  test.each(NAMES)('rclone serves a directory called %j', { timeout: 240_000 }, async (name) => {
    const template = { program: nodeTools().rclone, args: ['mount', '--config=', '${mount.options.dir}', '${mount.target}'] };
    expect(await whileMounted(template, { dir: directory(name) }, read)).toBe(name);
  });

  test.each(NAMES)('sshfs serves a directory called %j', { timeout: 240_000 }, async (name) => {
    // The program that sshfs runs to speak with a server: here the server itself, without a network between.
    const server = join(folder, 'sftp');
    writeFileSync(server, `#!/bin/sh\nexec ${SFTP_SERVER}\n`, { mode: 0o755 });
    const template = { program: 'sshfs', args: ['host:${mount.options.dir}', '${mount.target}', '-f', '-o', `ssh_command=${server}`] };
    expect(await whileMounted(template, { dir: directory(name) }, read)).toBe(name);
  });

  test('rclone that hangs gives way to another, and no call waits for its mount to answer', { timeout: 240_000 }, async () => {
    const own = join(folder, 'realigned');
    mkdirSync(own);
    const template = { program: nodeTools().rclone, args: ['mount', '--config=', '${mount.options.dir}', '${mount.target}'] };
    const serve = async (name: string) => {
      const mounts = [{ mountPoint: 's3://bucket', name: 'a', options: { dir: directory(name) } }];
      const { text, files } = realigning({ ...template, onChange: 'remount' }, { mounts, targetPath: target }, own);
      for (const [path, content] of Object.entries(files)) writeFileSync(path, content);
      await tellNews(own);
      return text;
    };
    const shell = spawn('sh', ['-c', await serve('hangs')], { stdio: 'ignore', detached: true });
    const ended = once(shell, 'exit');
    try {
      await expect.poll(() => mounted()?.source, { timeout: 90_000 }).toContain('hangs');
      const { stdout } = spawnSync('pgrep', ['-g', String(shell.pid), 'rclone'], { encoding: 'utf8' });
      expect(Number(stdout)).toBeGreaterThan(1);
      process.kill(Number(stdout), 'SIGSTOP');
      await serve('answers');
      await expect.poll(() => mounted()?.source, { timeout: 90_000 }).toContain('answers');
      expect(read()).toBe('answers');
      shell.kill('SIGTERM');
      await ended;
      expect(mounted()).toBeUndefined();
    } finally {
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
    }
  });

  describe('of an object store', () => {
    const user = `us'er "$(touch pwned)"`;
    const password = 'pass`touch pwned` \'"\\ ${HOME} $(id) ;&';
    let url = '';
    let stop: () => Promise<unknown>;
    beforeAll(async () => {
      const address = `127.0.0.1:${await freePort()}`;
      url = `http://${address}`;
      mkdirSync(join(folder, 'store/bucket'), { recursive: true });
      const env = { MINIO_ROOT_USER: user, MINIO_ROOT_PASSWORD: password, MINIO_BROWSER: 'off', HOME: folder };
      const minio = spawn(nodeTools().minio, ['server', join(folder, 'store'), '--address', address], { env, stdio: 'ignore' });
      const ended = once(minio, 'exit');
      stop = () => (minio.kill('SIGKILL'), ended);
      await vi.waitFor(async () => expect((await fetch(`${url}/minio/health/ready`)).status).toBe(200), { timeout: 90_000 });
    }, 180_000);
    afterAll(async () => await stop?.());

    const template = (source: string) => ({
      program: 's3fs',
      args: [source, '${mount.target}', '-f', '-o', 'url=${mount.options.url}', '-o', 'use_path_request_style'],
      env: { AWS_ACCESS_KEY_ID: '${secret.user}', AWS_SECRET_ACCESS_KEY: '${secret.password}' },
    });
    test('s3fs signs with secrets that a shell would run, and serves a prefix called like that', { timeout: 240_000 }, async () => {
      const options = { url, user, password };
      await whileMounted(template('${mount.bucket}'), options, () => {
        for (const name of NAMES.filter((each) => !each.includes('\n'))) {
          mkdirSync(join(target, name));
          writeFileSync(join(target, name, 'file'), name);
        }
      });
      for (const name of NAMES.filter((each) => !each.includes('\n')))
        expect(await whileMounted(template('${mount.bucket}:/${mount.options.prefix}'), { ...options, prefix: name }, read)).toBe(name);
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
