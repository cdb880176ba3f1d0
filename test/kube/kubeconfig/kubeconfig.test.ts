import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ClusterConnection } from '../../../src/kube/client/connection.ts';
import { createClient } from '../../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import { podExec } from '../../../src/kube/client/pod-exec.ts';
import { apiServer, caData, connectProxy, folder, pair } from './world.ts';

let now = 1_000_000;
afterEach(() => void (now = 1_000_000));
const times = { wall: () => now, monotonic: () => now };
const surroundings = { env: process.env, isTerminal: false };
const read = (file: string, more: object = {}) => connectionFromKubeconfig([file], { times, surroundings, ...more });

const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
function clientOf(connection: ClusterConnection) {
  const client = createClient(connection, { fieldManager: 'sluice-tests' });
  onTestFinished(() => client.close());
  return client;
}
const get = async (connection: ClusterConnection) => void (await clientOf(connection).list(PODS));
const run = (connection: ClusterConnection) =>
  podExec(connection)({ namespace: 'ml', pod: 'p', container: 'c' }, ['true'], 60_000).catch((error: Error) => error.message);

describe('impersonation', () => {
  const user = {
    token: 'admin',
    as: 'jürgen',
    'as-uid': '7',
    'as-groups': ['viewers', 'ml'],
    'as-user-extra': { 'example.com/reason %': ['a', 'b'] },
  };
  test('is sent with requests, watches and commands', async () => {
    const server = await apiServer();
    const connection = read(folder().kubeconfig({ server: server.url, ...caData }, user));
    await get(connection);
    const stop = new AbortController();
    for await (const _ of clientOf(connection).watch(PODS, { resourceVersion: '1', timeoutSeconds: 60, signal: stop.signal })) break;
    await run(connection);
    expect(server.seen.map(({ upgrade }) => upgrade)).toEqual([false, false, true]);
    for (const { headers, raw } of server.seen) {
      expect(headers).toMatchObject({ authorization: 'Bearer admin', 'impersonate-uid': '7' });
      expect(Buffer.from(String(headers['impersonate-user']), 'latin1').toString('utf8')).toBe('jürgen');
      const values = (name: string) => raw.filter((_, i) => raw[i - 1]?.toLowerCase() === name && i % 2 === 1);
      expect(values('impersonate-group')).toEqual(['viewers', 'ml']);
      expect(values('impersonate-extra-example.com%2freason%20%25')).toEqual(['a', 'b']);
    }
  });
  test.each([
    ['as-groups without as', { 'as-groups': ['g'] }, 'users[u].user.as-groups: expected a user in `as` beside it, found none'],
    ['a user of two lines', { as: 'a\r\nX: y' }, 'users[u].user.as: expected text of one line'],
  ])('is refused with %s', (_, user, message) => {
    expect(() => read(folder().kubeconfig({ server: 'https://a:1' }, user))).toThrow(message);
  });
});

describe('certificates', () => {
  test('of files are read again when they were rotated, and old connections are left', async () => {
    const server = await apiServer();
    const files = folder();
    const put = async (user: string) => {
      const { cert, key } = await pair(user);
      files.write('next', `${cert}\n${key}\n`);
      renameSync(join(files.path, 'next'), join(files.path, 'current.pem'));
    };
    await put('old');
    const connection = read(
      files.kubeconfig({ server: server.url, ...caData }, { 'client-certificate': 'current.pem', 'client-key': 'current.pem' }),
    );
    const client = clientOf(connection);
    await client.list(PODS);
    await put('new');
    now += 60_000;
    await client.list(PODS);
    await run(connection);
    expect(server.seen.map(({ user }) => user)).toEqual(['old', 'new', 'new']);
  });
  test('and keys that are no pair, in the middle of a rotation, leave the old pair', async () => {
    const files = folder();
    const [one, two] = [await pair('one'), await pair('two')];
    files.write('cert', one.cert);
    files.write('key', one.key);
    const connection = read(files.kubeconfig({ server: 'https://a:1' }, { 'client-certificate': 'cert', 'client-key': 'key' }));
    const certificate = () => (typeof connection.cert === 'function' ? connection.cert() : connection.cert);
    files.write('cert', two.cert);
    now += 60_000;
    expect(certificate()).toBe(one.cert);
    files.write('key', two.key);
    now += 60_000;
    expect(certificate()).toBe(two.cert);
  });
  test('are checked for the name of tls-server-name', async () => {
    const server = await apiServer({ host: 'kubernetes' });
    const cluster = { server: `https://127.0.0.1:${server.port}`, ...caData };
    const connection = read(folder().kubeconfig({ ...cluster, 'tls-server-name': 'kubernetes' }));
    await get(connection);
    expect(await run(connection)).toContain('401');
    expect(server.seen.map(({ servername }) => servername)).toEqual(['kubernetes', 'kubernetes']);
    await expect(clientOf(read(folder().kubeconfig(cluster))).list(PODS, { retries: 0 })).rejects.toThrow(/altnames|IP/);
  });
});

describe('tokens', () => {
  test('of a file go before token, and the file is read again after a minute or a 401', async () => {
    const files = folder();
    files.write('token', 'one\n');
    let good = 'one';
    const server = await apiServer({ refuses: ({ headers }) => headers.authorization !== `Bearer ${good}` });
    const client = clientOf(read(files.kubeconfig({ server: server.url, ...caData }, { token: 'fixed', tokenFile: 'token' })));
    await client.list(PODS);
    files.write('token', 'two\n');
    await client.list(PODS);
    good = 'two';
    await client.list(PODS);
    files.write('token', (good = 'three'));
    now += 60_000;
    await client.list(PODS);
    expect(server.seen.map(({ headers }) => headers.authorization?.slice(7))).toEqual(['one', 'one', 'one', 'two', 'three']);
  });
  test('count while their file was never there, as for kubectl; then the file counts, also when it is gone', () => {
    const files = folder();
    const { token } = read(files.kubeconfig({ server: 'https://a:1' }, { token: 'fixed', tokenFile: 'token' }));
    const later = (text: string) => {
      files.write('token', text);
      now += 60_000;
      return token?.();
    };
    expect(token?.()).toBe('fixed');
    expect([later('\n'), later('one\n'), later('')]).toEqual(['fixed', 'one', 'one']);
  });
  test('user and password are sent as such', async () => {
    const server = await apiServer();
    await get(read(folder().kubeconfig({ server: server.url, ...caData }, { username: 'a', password: 'b:c' })));
    expect(server.seen[0]?.headers.authorization).toBe(`Basic ${btoa('a:b:c')}`);
  });
});

describe('a plugin', () => {
  const API = 'client.authentication.k8s.io/v1';
  /** Prints one credential after the other, and keeps what it was told. */
  function plugin(...statuses: readonly object[]) {
    const files = folder();
    statuses.forEach((status, i) => files.write(`out${i}`, JSON.stringify({ apiVersion: API, kind: 'ExecCredential', status })));
    files.write(
      'plugin',
      `#!/bin/sh\ncd "${files.path}"\nn=$(ls | grep -c '^asked')\nprintf '%s\\n' "$KUBERNETES_EXEC_INFO" "$*" "$STAGE" > asked$n\ncat out$n\n`,
      0o700,
    );
    const exec = {
      apiVersion: API,
      command: './plugin',
      args: ['--for', 'me'],
      env: [{ name: 'STAGE', value: 'prod' }],
      interactiveMode: 'Never',
    };
    return { files, exec };
  }
  const at = (ms: number) => new Date(ms).toISOString();

  test('is asked again shortly before its token ends, and not before', async () => {
    const { files, exec } = plugin({ token: 'a', expirationTimestamp: at(now + 900_000) }, { token: 'b' });
    const { token } = read(files.kubeconfig({ server: 'https://a:1' }, { exec }));
    expect([await token?.(), await token?.()]).toEqual(['a', 'a']);
    now += 880_000;
    expect(await token?.()).toBe('a');
    now += 15_000;
    expect(await token?.()).toBe('b');
    now += 1e9;
    expect(await token?.()).toBe('b');
  });
  test('is asked once more after a 401, by all requests together', async () => {
    const { files, exec } = plugin({ token: 'a' }, { token: 'b' });
    const server = await apiServer({ refuses: ({ headers }) => headers.authorization !== 'Bearer b' });
    const client = clientOf(read(files.kubeconfig({ server: server.url, ...caData }, { exec })));
    await Promise.all([client.list(PODS), client.list(PODS), client.list(PODS)]);
    expect(server.seen.map(({ headers }) => headers.authorization?.slice(7)).toSorted()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  });
  test('may give a certificate, which later connections have', async () => {
    const [one, two] = [await pair('one'), await pair('two')];
    const status = ({ cert, key }: typeof one, expires: number) => ({
      clientCertificateData: cert,
      clientKeyData: key,
      expirationTimestamp: at(expires),
    });
    const { files, exec } = plugin(status(one, now + 60_000), status(two, now + 600_000));
    const server = await apiServer();
    const connection = read(files.kubeconfig({ server: server.url, ...caData }, { exec }));
    const client = clientOf(connection);
    await client.list(PODS);
    await run(connection);
    now += 60_000;
    await client.list(PODS);
    expect(server.seen.map(({ user }) => user)).toEqual(['one', 'one', 'two']);
  });
  test('gets its arguments, its variables and, if it wants it, the cluster', async () => {
    const { files, exec } = plugin({ token: 'a' });
    const cluster = {
      server: 'https://a:1',
      'tls-server-name': 'b',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
    };
    await read(files.kubeconfig(cluster, { exec: { ...exec, provideClusterInfo: true } })).token?.();
    const { readFileSync } = await import('node:fs');
    const [info = '', args, stage] = readFileSync(join(files.path, 'asked0'), 'utf8').split('\n');
    expect([args, stage]).toEqual(['--for me', 'prod']);
    expect(JSON.parse(info)).toEqual({
      apiVersion: API,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://a:1', 'tls-server-name': 'b', config: { audience: 'x' } } },
    });
  });
  test('is never a program of the current directory', async () => {
    const { files, exec } = plugin({ token: 'a' });
    const connection = read(files.kubeconfig({ server: 'https://a:1' }, { exec: { ...exec, command: 'plugin', installHint: 'get it' } }), {
      surroundings: { env: { PATH: `.::${files.path.slice(1)}` }, isTerminal: false },
    });
    await expect(connection.token?.()).rejects.toThrow('users[u].user.exec.command: expected a program in PATH (get it), found plugin');
  });
  test.each([
    ['no version', { apiVersion: undefined }, 'exec.apiVersion: expected client.authentication.k8s.io/v1 or client'],
    ['no mode', { interactiveMode: undefined }, 'exec.interactiveMode: expected Never, IfAvailable, Always, found nothing'],
    [
      'a need for a terminal',
      { interactiveMode: 'Always' },
      'exec.interactiveMode: expected Never or IfAvailable: standard input is no terminal',
    ],
  ])('is refused with %s', (_, change, message) => {
    const { files, exec } = plugin();
    expect(() => read(files.kubeconfig({ server: 'https://a:1' }, { exec: { ...exec, ...change } }))).toThrow(message);
  });
  test.each([
    ['no JSON', 'secret-token', 'an ExecCredential as JSON'],
    ['another version', '{"kind":"ExecCredential","apiVersion":"x","status":{"token":"secret-token"}}', `an ExecCredential of ${API}`],
    ['a certificate without a key', { clientCertificateData: 'secret-token' }, 'clientCertificateData and clientKeyData together'],
    ['nothing', {}, 'status.token or status.clientCertificateData'],
  ])('that prints %s is named, and not quoted', async (_, output, message) => {
    const { files, exec } = plugin(typeof output === 'string' ? {} : output);
    if (typeof output === 'string') files.write('out0', output);
    const asked = read(files.kubeconfig({ server: 'https://a:1' }, { exec })).token?.() as Promise<unknown>;
    const error = await asked.then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    expect(error).toContain(message);
    expect(error).not.toContain('secret-token');
  });
});

describe('a proxy', () => {
  test('of proxy-url leads requests and commands, with its password', async () => {
    const [server, proxy] = [await apiServer({ host: 'api.invalid' }), await connectProxy()];
    const cluster = { server: server.url, ...caData, 'proxy-url': `http://me:s%40crt@127.0.0.1:${proxy.port}` };
    const connection = read(folder().kubeconfig(cluster, { token: 't' }));
    await get(connection);
    expect(await run(connection)).toContain('401');
    const target = `api.invalid:${server.port}`;
    const authorization = `Basic ${btoa('me:s@crt')}`;
    expect(proxy.asked).toEqual([
      { target, authorization },
      { target, authorization },
    ]);
    expect(server.seen.map(({ headers, servername }) => [headers.authorization, servername])).toEqual([
      ['Bearer t', 'api.invalid'],
      ['Bearer t', 'api.invalid'],
    ]);
  });
  test('that refuses is named, without its password', async () => {
    const proxy = await connectProxy({ refuses: true });
    const cluster = { server: 'https://api.invalid:6443', 'proxy-url': `http://me:secret@127.0.0.1:${proxy.port}` };
    const asked = clientOf(read(folder().kubeconfig(cluster))).list(PODS, { retries: 0 });
    await expect(asked).rejects.toThrow(`proxy http://127.0.0.1:${proxy.port}: no connection to api.invalid:6443: it answered 403`);
  });
  test('of another sort is refused, and the field is named', () => {
    expect(() => read(folder().kubeconfig({ server: 'https://a:1', 'proxy-url': 'socks5://me:secret@p:1' }))).toThrow(
      /config: clusters\[c\]\.cluster\.proxy-url: expected the URL of an http or https proxy, found one of socks5:\/\/$/,
    );
  });
});

describe('fields', () => {
  test.each([
    [
      { server: 'https://a:1' },
      { 'auth-provider': { name: 'oidc' } },
      'users[u].user.auth-provider: expected exec, found an auth-provider',
    ],
    [{ server: 'https://a:1' }, { token: 7 }, 'users[u].user.token: expected a string, found a number'],
    [{ server: 'https://a:1' }, { tokenFile: 'none' }, 'users[u].user.tokenFile: expected a file that can be read'],
    [
      { server: 'https://a:1' },
      { 'client-certificate-data': 'QQ==' },
      'users[u].user.client-key: expected it beside client-certificate, found nothing',
    ],
    [{ server: 'a:1' }, {}, 'clusters[c].cluster.server: expected a URL such as https://api.example.com:6443, found a:1'],
    [
      { server: 'https://a:1', 'insecure-skip-tls-verify': true, ...caData },
      {},
      'clusters[c].cluster.insecure-skip-tls-verify: expected false',
    ],
  ])('that cannot be are named: %#', (cluster, user, message) => {
    expect(() => read(folder().kubeconfig(cluster, user))).toThrow(message);
  });
  test('that have no meaning here are passed over', () => {
    const cluster = { server: 'https://a:1/k8s/', 'disable-compression': true, extensions: [{ name: 'minikube', extension: {} }] };
    expect(read(folder().kubeconfig(cluster))).toEqual({ server: 'https://a:1/k8s', context: 'x' });
  });
});

test('of several files the first that has an entry holds, missing files are passed over, and paths lead from their file', async () => {
  const [one, two] = [folder(), folder()];
  two.write('token', 'from two');
  one.write('a', JSON.stringify({ contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'ml' } }] }));
  two.kubeconfig({ server: 'https://two:1' }, { tokenFile: 'token' });
  const files = [join(one.path, 'a'), join(one.path, 'missing'), join(two.path, 'config')];
  const connection = connectionFromKubeconfig(files, { times, surroundings });
  expect([connection.server, connection.namespace, await connection.token?.()]).toEqual(['https://two:1', 'ml', 'from two']);
  expect(() => connectionFromKubeconfig(files, { context: 'y' })).toThrow('expected a context named y, found x');
});
