import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import { bucket, container, given, secret } from './given.ts';

/** A directory with the programs that a pod has, and the files of a Secret. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'alluxio-script-'));
  mkdirSync(join(root, 'minio'));
  writeFileSync(join(root, 'minio', 'key'), "it's $HOME\\\n");
});
afterEach(() => rmSync(root, { recursive: true }));

const program = (name: string, script: string) => writeFileSync(join(root, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
function run(argv: readonly string[]) {
  const [command = '', ...args] = argv.map((arg) =>
    arg
      .replaceAll('/etc/fluid/secrets', root)
      .replaceAll('/tmp/underfs-version', `${root}/version`)
      .replaceAll('/entrypoint.sh', `${root}/entrypoint.sh`),
  );
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${root}:${process.env['PATH'] ?? ''}`, ALLUXIO_HOME: root },
  });
  return { status, stdout, stderr };
}
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
    "<fs><unmount></old><fs><mount><--option><a=b c><--option><s3a.secretKey=it's $HOME\\></data><s3://bucket/data>",
  );
  rmSync(join(root, 'minio', 'key'));
  expect(run(command?.argv ?? [])).toMatchObject({ status: 1, stdout: '<fs><unmount></old>' });
});

test('of a mount that is refused only the last line is told, in which no option stands', () => {
  program('alluxio', `printf 'key: "%s"\\n' "$@"; echo 'no such bucket' >&2; exit 255`);
  const { mounts } = alluxio.bind(given({ mounts: [encrypted] }));
  const [command] = mounts?.change({ unmount: [], mount: mounts.wanted }) ?? [];
  expect(run(command?.argv ?? [])).toEqual({ status: 255, stdout: '', stderr: 'no such bucket\n' });
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

test('a report asks for a summary only where the metrics say nothing of capacity', () => {
  const argv = alluxio.bind(given()).probes.cache?.commands[0]?.argv ?? [];
  program('alluxio', 'echo "$*"');
  expect(run(argv).stdout).toBe('fsadmin report metrics\nfsadmin report summary\nunderfs version: getConf alluxio.underfs.version\n');
  program('alluxio', 'echo Cluster.CapacityTotal');
  expect(run(argv).stdout).toBe('Cluster.CapacityTotal\nunderfs version: getConf alluxio.underfs.version\n');
  program('alluxio', 'exit 3');
  expect(run(argv).status).toBe(3);
});
