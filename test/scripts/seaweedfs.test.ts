/** The scripts of examples/seaweedfs, as Python runs them, with a program in place of `weed` that writes down what it was given. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { root } from '../cli/run.ts';
import { objectsIn } from '../support/objects.ts';
import { canRun } from '../support/can-run.ts';

const PYTHON = '/usr/bin/python3';

const [classObject] = objectsIn(readFileSync(join(root, 'examples/seaweedfs/class.yaml'), 'utf8')) as readonly (KubeObject & {
  readonly extraResources: { readonly configMaps: readonly { readonly data: Readonly<Record<string, string>> }[] };
})[];
const scripts = classObject?.extraResources.configMaps[0]?.data ?? {};

const bucketAt = (mountPoint: string) => ({ mountPoint, path: '/images' });

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Arguments of each run of `weed`, a line each run, and what it read. */
  readonly argv: string;
  readonly input: string;
  readonly variables: string;
}

describe.skipIf(!canRun('scripts of SeaweedFS', existsSync(PYTHON) ? undefined : `no ${PYTHON}`))('the scripts of SeaweedFS', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-seaweedfs-'));
    for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, 'bin'));
    writeFileSync(
      join(folder, 'bin/weed'),
      `#!/bin/sh
cd "${folder}"
for each in "$@"; do printf '%s ' "$each" >> argv; done; echo >> argv
env > variables
[ "$1" != shell ] || { cat | tee -a input | grep -q '^remote.mount$' && cat mappings || echo done; }
`,
      { mode: 0o755 },
    );
    writeFileSync(join(folder, 'key'), 'the key\n');
    writeFileSync(join(folder, 'secret'), 'the secret');
    mapped({});
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const mapped = (mappings: object) => writeFileSync(join(folder, 'mappings'), JSON.stringify({ mappings }));
  const keys = () => ({ 'access-key': join(folder, 'key'), 'secret-key': join(folder, 'secret') });
  const bucket = (changed: object = {}) => ({ mountPoint: 's3://bucket/a/b', path: '/images', encryptOptions: keys(), ...changed });

  function run(script: string, mounts: readonly object[], env: Readonly<Record<string, string>> = {}, masters = 1): Ran {
    const levels = [{ mountPaths: [join(folder, 'level')], quotas: ['10Gi'] }];
    const runtime = {
      mounts,
      master: { replicas: masters, service: { name: 'svc' }, options: { 'master.volumeSizeLimitMB': '1024' } },
      worker: { replicas: 2, tieredStoreLevels: levels },
      client: {},
    };
    writeFileSync(join(folder, 'runtime.json'), JSON.stringify(runtime));
    const { status, stdout, stderr } = spawnSync(PYTHON, [join(folder, script)], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
        FLUID_RUNTIME_CONFIG_PATH: join(folder, 'runtime.json'),
        FLUID_RUNTIME_MOUNT_PATH: join(folder, 'target'),
        FLUID_DATASET_NAMESPACE: 'ml',
        FLUID_DATASET_NAME: 'demo',
        HOSTNAME: 'demo-worker-0',
        POD_IP: '10.0.0.1',
        ...env,
      },
    });
    const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
    return { status, stdout, stderr, argv: read('argv'), input: read('input'), variables: read('variables') };
  }

  test('mount what is missing, and unmount what the Dataset no longer has, or has elsewhere', () => {
    mapped({
      '/dataset/gone': { name: 's1', bucket: 'old', path: '/' },
      '/dataset/images': { name: 's1', bucket: 'old', path: '/' },
    });
    const { input, stdout, stderr } = run('mount.py', [bucket({ options: { endpoint: 'http://minio:9000' } })]);
    expect(stderr).toBe('');
    const store = /-name=(s[0-9a-f]{16}) /.exec(input)?.[1] ?? '';
    expect(input.split('\n')).toEqual([
      'remote.mount',
      'remote.unmount -dir=/dataset/gone',
      'fs.rm -rf /dataset/gone',
      'remote.unmount -dir=/dataset/images',
      'fs.rm -rf /dataset/images',
      `remote.configure -name=${store} -type=s3 -s3.endpoint=http://minio:9000 -s3.region=us-east-1`,
      `remote.mount -dir=/dataset/images -remote=${store}/bucket/a/b`,
      'remote.mount',
      '',
    ]);
    expect(JSON.parse(stdout)).toEqual({ mounted: ['/images'] });
  });

  test.each([
    ['several masters', [bucketAt('s3://bucket/a')], 3, 'spec.master.replicas of the CacheRuntime: expected 1, found 3'],
    ['no mount', [], 1, 'spec.mounts of the Dataset: expected a mountPoint s3://<bucket>, found none'],
    ['no bucket', [bucketAt('https://host/a')], 1, 'spec.mounts of the Dataset: expected a mountPoint s3://<bucket>, found none'],
  ])('serve nothing with %s, and say what is expected', (_, mounts, masters, message) => {
    const { status, stderr, argv } = run('serve.py', mounts, { FLUID_RUNTIME_COMPONENT_TYPE: 'master' }, masters);
    expect([status, argv]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  test('change nothing when all is mounted', () => {
    const store = /-name=(s\w+) /.exec(run('mount.py', [bucket()]).input)?.[1] ?? '';
    rmSync(join(folder, 'input'));
    mapped({ '/dataset/images': { name: store, bucket: 'bucket', path: '/a/b' } });
    expect(run('mount.py', [bucket()]).input).toBe('remote.mount\nremote.mount\n');
  });

  test('pass keys in the environment alone, and start a program for each component', () => {
    const ran = (component: string) => run('serve.py', [bucket()], { FLUID_RUNTIME_COMPONENT_TYPE: component });
    const { variables } = ran('master');
    expect(variables).toContain('AWS_ACCESS_KEY_ID=the key\n');
    expect(variables).toContain('AWS_SECRET_ACCESS_KEY=the secret');
    expect(ran('worker').variables).toContain('AWS_SECRET_ACCESS_KEY=the secret');
    const last = ran('client');
    expect(last.variables).not.toContain('the secret');
    expect(last.argv).not.toContain('the key');
    expect(last.argv.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        / server .*-volume=false .*-master.defaultReplication=001 .*-master.telemetry=false -master.volumeSizeLimitMB=1024 $/,
      ),
      expect.stringMatching(/ volume -dir=\S+\/level\/ml\/demo\/demo-worker-0 -max=10 -master=svc:9333 /),
      expect.stringMatching(/ mount -filer=svc:8888 -filer.path=\/dataset -dir=\S+\/target -readOnly=true$/),
    ]);
  });

  test('refuse several pairs of keys', () => {
    const { status, stderr } = run('mount.py', [bucket(), bucket({ path: '/more', encryptOptions: {} })]);
    expect(status).not.toBe(0);
    expect(stderr).toContain('several pairs of access-key and secret-key');
  });

  const HOSTILE = [
    "a'b",
    'a b',
    'a;remote.unmount -dir=/dataset',
    'a"b',
    'a\nremote.unmount',
    'a\\b',
    '$(touch hacked)',
    '`touch hacked`',
    '../etc',
  ];
  test.each(HOSTILE)('give SeaweedFS no %j to run', (text) => {
    for (const [script, mount] of [
      ['mount.py', { mountPoint: `s3://${text}` }],
      ['mount.py', { path: `/${text}` }],
      ['mount.py', { options: { endpoint: text } }],
      ['mount.py', { options: { region: text } }],
      ['load.py', {}],
    ] as const) {
      const { status, stderr, input } = run(script, [bucket(mount)], { FLUID_DATALOAD_DATA_PATH: `/${text}` });
      expect({ status, input }).toEqual({ status: 1, input: '' });
      expect(stderr).toContain('expected letters, digits and');
      expect(existsSync(join(folder, 'hacked'))).toBe(false);
    }
  });
});
