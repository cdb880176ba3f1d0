/** The scripts by which pods of an operation reach each other, with the SSH of this machine; and the keys that are made for them. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SshKeys } from '../../../src/constructs/index.ts';
import { SSH_SCRIPTS } from '../../../src/constructs/ssh-scripts.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import { sshKeysOf } from '../../../src/reconciler/operations/ssh-keys.ts';
import { canRun } from '../../support/can-run.ts';
import { createFolder } from '../../support/container-folder.ts';

const missing = ['/usr/sbin/sshd', '/usr/bin/ssh', '/usr/bin/ssh-keygen', '/usr/bin/scp'].filter((program) => !existsSync(program));
const isRoot = process.getuid?.() === 0;
const lacking = !isRoot ? 'sshd is for root' : missing.length > 0 ? `missing here: ${missing.join(', ')}` : undefined;

const made = () =>
  sshKeysOf(
    { get: () => Promise.reject(new ApiError({ method: 'GET', path: '/secrets' }, 404, 'no such Secret')) },
    { kind: 'DataMigrate', name: 'op', namespace: 'ml', uid: 'u' },
  );

/** A pod of an operation, with the keys that are given to it. */
function createPod(port: number) {
  const folder = createFolder();
  // ssh and scp read their configuration in the home directory of the password file.
  for (const program of ['ssh', 'scp'])
    folder.program(`bin/${program}`, `#!/bin/sh\nexec /usr/bin/${program} -F ${folder.of('home/.ssh/config')} "$@"\n`);
  for (const [name, text] of Object.entries(SSH_SCRIPTS)) writeFileSync(folder.of(`scripts/${name}`), folder.rooted(text));
  const env = (timeout = 20) => ({ PATH: `${folder.of('bin')}:/usr/bin:/bin`, SSH_PORT: String(port), SSH_READY_TIMEOUT: String(timeout) });
  const sh = (script: string, timeout?: number) =>
    spawnSync('bash', ['-c', script], {
      cwd: folder.of('scripts'),
      encoding: 'utf8',
      env: env(timeout),
      // With a socket as input, bash takes itself for a remote shell.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    ...folder,
    env,
    sh,
    give({ privateKey, publicKey }: SshKeys) {
      writeFileSync(folder.of('etc/fluid/ssh/ssh-privatekey'), privateKey);
      writeFileSync(folder.of('etc/fluid/ssh/ssh-publickey'), publicKey);
    },
    wait: (host: string, timeout?: number) => sh(`bash ${folder.of('scripts/ssh.sh')} ${host}`, timeout),
  };
}

describe.skipIf(!canRun('tests of SSH', lacking))('pods of one operation', () => {
  let pod: ReturnType<typeof createPod>;
  beforeEach(async () => {
    pod = createPod(await freePort());
    pod.give(await made());
  });
  afterEach(() => pod.remove());

  /** The container of a worker, while something else is done. */
  async function serving<T>(what: () => T | Promise<T>): Promise<T> {
    const server = spawn('bash', [pod.of('scripts/sshd.sh')], { env: pod.env(), stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(server, 'exit');
    try {
      for await (const line of server.stderr.iterator({ destroyOnReturn: false })) if (String(line).includes('listening')) break;
      server.stderr.resume();
      return await what();
    } finally {
      server.kill();
      await ended;
    }
  }

  test('run commands and copy files in each other, by keys that were made for them', async () => {
    const done = await serving(() => ({
      waited: pod.wait('127.0.0.1'),
      ran: pod.sh(`ssh 127.0.0.1 A=1 "sh -c 'echo \\$A it works'"`),
      copied: pod.sh(`scp sshd.sh 127.0.0.1:${pod.of('tmp/copied')} && cmp sshd.sh ${pod.of('tmp/copied')}`),
      ready: pod.sh('ssh localhost true'),
    }));
    expect(done).toMatchObject({
      waited: { status: 0 },
      ran: { status: 0, stdout: '1 it works\n' },
      copied: { status: 0 },
      ready: { status: 0 },
    });
  });
  test('take keys of a user, of another kind, at whose end no line ends', async () => {
    pod.sh(`ssh-keygen -q -t ed25519 -N '' -C 'user@host' -f key`);
    const [privateKey, publicKey] = ['key', 'key.pub'].map((name) => pod.sh(`cat ${name}`).stdout);
    pod.give({ privateKey: privateKey?.trimEnd() ?? '', publicKey: publicKey?.trimEnd() ?? '' });
    expect(await serving(() => pod.wait('127.0.0.1'))).toMatchObject({ status: 0 });
  });
  test('give in to no host that has another key', async () => {
    const stranger = createPod(Number(pod.env().SSH_PORT));
    stranger.give(await made());
    const { status, stderr } = await serving(() => stranger.wait('127.0.0.1', 1));
    stranger.remove();
    expect([status, stderr]).toEqual([1, expect.stringContaining('did not answer by SSH within 1 s: Host key verification failed')]);
  });
  test('wait no longer than they are told to', () => {
    const { status, stderr } = pod.wait('127.0.0.1', 1);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^pod 127\.0\.0\.1 did not answer by SSH within 1 s: .*Connection refused/),
    ]);
  });
  test('name a key that has a passphrase', async () => {
    pod.sh("ssh-keygen -q -t ed25519 -N 'pass' -f locked");
    pod.give({ privateKey: pod.sh('cat locked').stdout, publicKey: pod.sh('cat locked.pub').stdout });
    const { status, stderr } = pod.wait('127.0.0.1');
    expect([status, stderr]).toEqual([1, expect.stringContaining('ssh-privatekey: expected a private key without a passphrase')]);
  });
  test('treat other hosts as before, and keep what the image says of them', () => {
    mkdirSync(pod.of('home/.ssh'));
    writeFileSync(pod.of('home/.ssh/config'), 'Host elsewhere\n  User someone\n');
    pod.wait('', 1);
    const settings = (host: string) => pod.sh(`ssh -G ${host}`).stdout.split('\n');
    expect(settings('elsewhere')).toEqual(expect.arrayContaining(['user someone', 'port 22', 'stricthostkeychecking ask']));
    expect(settings('localhost')).toEqual(
      expect.arrayContaining([`port ${pod.env().SSH_PORT}`, 'stricthostkeychecking true', 'hostkeyalias operation']),
    );
  });
  test('have a public key that OpenSSH derives from the private one as well', async () => {
    const { privateKey, publicKey } = await made();
    writeFileSync(pod.of('scripts/key'), privateKey, { mode: 0o600 });
    expect(pod.sh('ssh-keygen -y -f key').stdout.trim()).toBe(publicKey);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast: it listens on a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
