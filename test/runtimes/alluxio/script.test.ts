import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import { bucket, container, given, recorded, secret } from './given.ts';

/** A directory with the programs that a pod has, and the files of a Secret. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'alluxio-script-'));
  mkdirSync(join(root, 'minio'));
  writeFileSync(join(root, 'minio', 'key'), "it's $HOME\\\n");
});
afterEach(() => rmSync(root, { recursive: true }));

const program = (name: string, script: string) => writeFileSync(join(root, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
const placed = (argv: readonly string[]) =>
  argv.map((arg) =>
    arg
      .replaceAll('/etc/fluid/secrets', root)
      .replaceAll('/tmp/underfs-version', `${root}/version`)
      .replaceAll('/entrypoint.sh', `${root}/entrypoint.sh`)
      // Each master has an address of its own.
      .replaceAll(/demo-master-(\d)/g, '127.0.0.1$1'),
  );
const environment = () => ({ PATH: `${root}:${process.env['PATH'] ?? ''}`, ALLUXIO_HOME: root });
function run(argv: readonly string[]) {
  const [command = '', ...args] = placed(argv);
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  return { status, stdout, stderr };
}
/** While this process goes on; without an input that bash takes for that of a remote shell. */
const runBeside = async (argv: readonly string[]) =>
  promisify(execFile)('sh', ['-c', 'exec "$@" < /dev/null', 'sh', ...placed(argv)], { env: environment() });
const encrypted = { ...bucket, options: { a: 'b c' }, encryptOptions: [secret('s3a.secretKey', 'key', 'minio')] };

test('a mount reads its secrets in the pod', () => {
  program('alluxio', `printf '<%s>' "$@" | tee -a "$ALLUXIO_HOME/said"`);
  const { mounts } = alluxio.bind(given({ mounts: [encrypted] }));
  const [command] = mounts?.change({ unmount: ['/old'], mount: mounts.wanted }) ?? [];
  expect(run(command?.argv ?? [])).toMatchObject({
    status: 0,
    stdout: '<fs><unmount></old>',
  });
  expect(readFileSync(join(root, 'said'), 'utf8')).toBe(
    "<fs><unmount></old><fs><mount><--option><a=b c><--option><sluice.secret.s3a.secretKey=minio/key><--option><s3a.secretKey=it's $HOME\\></data><s3://bucket/data>",
  );
});

test('a mount that is refused keeps no other from being made or unmade', () => {
  program('alluxio', `echo "$*" >> "$ALLUXIO_HOME/said"; case $* in *bad*) echo "no $3" >&2; exit 7 ;; esac`);
  const { mounts } = alluxio.bind(
    given({
      mounts: [
        { mountPoint: 's3://bad', name: 'data' },
        { mountPoint: 's3://good', name: 'more' },
      ],
    }),
  );
  const [command] = mounts?.change({ unmount: ['/bad', '/old'], mount: mounts.wanted }) ?? [];
  expect(run(command?.argv ?? [])).toMatchObject({ status: 7, stderr: 'no /bad\nno /data\n' });
  expect(readFileSync(join(root, 'said'), 'utf8').split('\n').toSorted()).toEqual([
    '',
    'fs mount /data s3://bad',
    'fs mount /more s3://good',
    'fs unmount /bad',
    'fs unmount /old',
  ]);
});

test('a mount whose new secret the pod does not have yet stays as it is', () => {
  program('alluxio', `echo "$*" >> "$ALLUXIO_HOME/said"`);
  rmSync(join(root, 'minio', 'key'));
  const { mounts } = alluxio.bind(given({ mounts: [encrypted, { mountPoint: 's3://more', name: 'more' }] }));
  const [command] = mounts?.change({ unmount: ['/data'], mount: mounts.wanted }) ?? [];
  const { status, stderr } = run(command?.argv ?? []);
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('minio/key: No such file or directory')]);
  expect(readFileSync(join(root, 'said'), 'utf8')).toBe('fs mount /more s3://more\n');
});

test('a mount within another comes after it, and goes before it', () => {
  program('alluxio', `echo "$*" >> "$ALLUXIO_HOME/said"`);
  const { mounts } = alluxio.bind(
    given({
      mounts: [
        { mountPoint: 's3://in', path: '/a/b', name: 'in' },
        { mountPoint: 's3://a', name: 'a' },
      ],
    }),
  );
  const [command] = mounts?.change({ unmount: ['/a', '/a/b'], mount: mounts.wanted }) ?? [];
  expect(run(command?.argv ?? []).status).toBe(0);
  expect(readFileSync(join(root, 'said'), 'utf8')).toBe('fs unmount /a/b\nfs unmount /a\nfs mount /a s3://a\nfs mount /a/b s3://in\n');
});

test('a mount that Alluxio rejects prints only its last line, which has no options', () => {
  program('alluxio', `printf 'key: "%s"\\n' "$@"; echo 'no such bucket' >&2; exit 255`);
  const { mounts } = alluxio.bind(given({ mounts: [encrypted] }));
  const [command] = mounts?.change({ unmount: [], mount: mounts.wanted }) ?? [];
  expect(run(command?.argv ?? [])).toEqual({ status: 255, stdout: '', stderr: 'no such bucket\n' });
});

describe('a directory that is in the way of a mount', () => {
  const LEFT = `echo "$*" >> "$ALLUXIO_HOME/said"
case "$1 $2" in
  'fs ls') cat "$ALLUXIO_HOME/tree" ;;
  'fs rm') touch "$ALLUXIO_HOME/free" ;;
  *) [ -e "$ALLUXIO_HOME/free" ] || { echo 'Mount point target path /data already exists in Alluxio namespace. Try another.' >&2; exit 255; } ;;
esac`;
  const mounted = (tree: string) => {
    program('alluxio', LEFT);
    writeFileSync(join(root, 'tree'), tree);
    const { mounts } = alluxio.bind(given({ mounts: [bucket] }));
    const [command] = mounts?.change({ unmount: [], mount: mounts.wanted }) ?? [];
    return { ...run(command?.argv ?? []), said: readFileSync(join(root, 'said'), 'utf8').trim().split('\n') };
  };
  test('is forgotten by Alluxio where all of it is in its source', () =>
    expect(mounted('-rwx------ root root 4 PERSISTED 11-22-2026 20:22:32:129 0% /data/one')).toMatchObject({
      status: 0,
      said: ['fs mount /data s3://bucket/data', 'fs ls -R /data', 'fs rm -R --alluxioOnly /data', 'fs mount /data s3://bucket/data'],
    }));
  test('stays where something was written that is nowhere else', () =>
    expect(mounted('-rwx------ root root 4 NOT_PERSISTED 11-22-2026 20:22:32:129 100% /data/one')).toMatchObject({
      status: 255,
      stderr: 'Mount point target path /data already exists in Alluxio namespace. Try another.\n',
      said: ['fs mount /data s3://bucket/data', 'fs ls -R /data'],
    }));
});

test('a master finds the secrets of / in a file, not among its arguments', () => {
  program(
    'entrypoint.sh',
    `printf '<%s>' "$@"; printf '%s\\n' "$ALLUXIO_MASTER_JAVA_OPTS"; cat "\${ALLUXIO_MASTER_JAVA_OPTS##*=}"/*; stat -c %a "\${ALLUXIO_MASTER_JAVA_OPTS##*=}"/*`,
  );
  const { command, args } = container(given({ mounts: [{ ...encrypted, options: {}, path: '/' }] }), 'master', 'alluxio-master');
  const { status, stdout, stderr } = run([...command, ...args]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^<master-only><--no-format> -Dalluxio\.site\.conf\.dir=\S+\n/);
  expect(stdout).toContain("\nalluxio.master.mount.table.root.option.s3a.secretKey=it's $HOME\\\\\n600\n");
});

describe("the master's web port", () => {
  /** Answers by path, over HTTP; and the plan that knows the server. */
  async function answering(answers: Readonly<Record<string, string>>) {
    const server = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200).end(answer ?? 'not found: {"mountPoints":');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return alluxio.bind(given({ spec: { properties: { 'alluxio.master.web.port': String(port) } } }));
  }
  const configured = (text: string) => text.replace('"configuration": {}', '"configuration":{"alluxio.underfs.version":"3.3.4"}');

  test('answers a probe, without any command', async () => {
    program('alluxio', 'exit 3');
    const { probes } = await answering({
      '/metrics/json/': recorded('metrics.json'),
      '/api/v1/master/info': configured(recorded('master-info.json')),
    });
    const { stdout, stderr } = await runBeside(probes.cache?.commands[0]?.argv ?? []);
    expect(stderr).toBe('');
    // Not all of what is some 50 KB.
    expect(stdout.length).toBeLessThan(2000);
    expect(probes.cache?.parse([[stdout]])).toEqual({
      capacity: 67_108_864,
      used: 1_988_895,
      version: '3.3.4',
      read: { local: 0, remote: 1_988_895, ufs: 0 },
      throughput: { local: 0, remote: 994_447, ufs: 0 },
      since: { local: 0, remote: 1_988_895, ufs: 0 },
    });
  });

  test('lists mounts, without any command', async () => {
    program('alluxio', 'exit 3');
    const { mounts } = await answering({ '/api/v1/master/info': recorded('master-info.json') });
    const { stdout } = await runBeside(mounts?.list.commands[0]?.argv ?? []);
    expect(mounts?.list.parse([[stdout]])).toMatchObject([{ path: '/data', source: 's3://bucket/', options: { '--readonly': '' } }]);
  });

  test('that does not know these pages is done without', async () => {
    program('alluxio', 'echo "$*"');
    const { mounts, probes } = await answering({});
    const { stdout } = await runBeside(mounts?.list.commands[0]?.argv ?? []);
    expect(stdout).toBe('fs mount\n');
    expect((await runBeside(probes.cache?.commands[0]?.argv ?? [])).stdout).toMatch(/^fsadmin report metrics\n/);
  });

  test('is not listened to where it says more than an exec takes', async () => {
    program('alluxio', 'echo "$*"');
    const { mounts } = await answering({ '/api/v1/master/info': JSON.stringify({ mountPoints: {}, workers: 'x'.repeat(1_000_000) }) });
    expect((await runBeside(mounts?.list.commands[0]?.argv ?? [])).stdout).toBe('fs mount\n');
  });
});

test('a client drops its metadata by a path that is new each time, and a client that cannot is no failure', () => {
  const { mounts } = alluxio.bind(given());
  const argv = mounts?.change({ unmount: ['/old'], mount: [] }).at(-1)?.argv ?? [];
  program('ls', `printf '%s\n' "$2" >> "$ALLUXIO_HOME/asked"; exit 1`);
  for (let i = 0; i < 2; i++) expect(run(argv)).toEqual({ status: 0, stdout: '', stderr: '' });
  const names = readFileSync(join(root, 'asked'), 'utf8').trim().split('\n');
  for (const name of names)
    expect(name).toMatch(/^\/runtime-mnt\/alluxio\/ml\/demo\/alluxio-fuse\/\.alluxiocli\.metadatacache\.dropAll\.\d+$/);
  expect(new Set(names).size).toBe(2);
});

test('a report asks for a summary only where the metrics say nothing of capacity', () => {
  const argv = alluxio.bind(given()).probes.cache?.commands[0]?.argv ?? [];
  program('alluxio', 'echo "$*"');
  expect(run(argv).stdout).toBe('fsadmin report metrics\nfsadmin report summary\nunderfs version: getConf alluxio.underfs.version\n');
  program('alluxio', 'echo Cluster.CapacityTotal');
  expect(run(argv).stdout).toBe('Cluster.CapacityTotal\nunderfs version: getConf alluxio.underfs.version\n');
  program('alluxio', 'exit 3');
  expect(run(argv).status).toBe(3);
});

test('cleaning empties the directories of the node, and touches nothing else', () => {
  const caches = ["it's a cache", 'other'].map((name) => join(root, name));
  for (const cache of caches) mkdirSync(join(cache, 'alluxioworker'), { recursive: true });
  writeFileSync(join(caches[0]!, 'alluxioworker', '16777216'), 'block');
  const input = given({ spec: { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '1Gi' }] } } });
  const [{ argv } = { argv: [] }] = alluxio.bind(input).cleanup?.commands(undefined) ?? [];
  expect(argv.at(-1)).toBe('/cache/ml/demo');
  expect(run([...argv.slice(0, -1), ...caches]).status).toBe(0);
  expect(caches.map((cache) => readdirSync(cache))).toEqual([[], []]);
  expect(readFileSync(join(root, 'minio', 'key'), 'utf8')).not.toBe('');
});

describe('of several masters', () => {
  type State = 'leads' | 'follows' | 'is down';
  const METRICS = { 'Cluster.CapacityTotal': { value: 7 }, 'Cluster.CapacityUsed': { value: 5 } };
  /** One that leads serves pages; a real one that does not accepts a connection and closes it. None listens at the address of one that is down. */
  async function masters(...states: readonly State[]) {
    let port = 0;
    for (const [i, state] of states.entries()) {
      if (state === 'is down') continue;
      const server =
        state === 'leads'
          ? createServer((_, response) => response.end(JSON.stringify(METRICS)))
          : createTcpServer((socket) => socket.on('error', () => {}).end());
      await new Promise<void>((resolve) => server.listen(port, `127.0.0.1${i}`, resolve));
      onTestFinished(() => void server.close());
      ({ port } = server.address() as AddressInfo);
    }
    return alluxio.bind(given({ spec: { master: { replicas: states.length, ports: { web: port } } } }));
  }
  const led = async (...states: readonly State[]) => {
    const { leader } = await masters(...states);
    const { stdout, stderr } = await runBeside(leader?.commands[0]?.argv ?? []);
    expect(stderr).toBe('');
    return leader?.parse([[stdout.replaceAll('127.0.0.1', 'demo-master-')]]);
  };

  test('the one whose web port answers leads', async () => {
    expect(await led('follows', 'follows', 'leads')).toBe('demo-master-2');
    expect(await led('leads', 'follows', 'is down')).toBe('demo-master-0');
  });
  test('none leads where no web port answers', async () => expect(await led('follows', 'is down', 'follows')).toBeUndefined());
  test('any one reads the counters of the one that leads, without any command', async () => {
    program('alluxio', 'exit 3');
    const { probes } = await masters('follows', 'leads', 'follows');
    const { stdout } = await runBeside(probes.cache?.commands[0]?.argv ?? []);
    expect(probes.cache?.parse([[stdout]])).toMatchObject({ capacity: 7, used: 5 });
  });
  test('a command reads the counters where none serves pages', async () => {
    program('alluxio', 'echo "$*"');
    const { probes } = await masters('follows', 'follows', 'is down');
    expect((await runBeside(probes.cache?.commands[0]?.argv ?? [])).stdout).toMatch(/^fsadmin report metrics\n/);
  });
});
