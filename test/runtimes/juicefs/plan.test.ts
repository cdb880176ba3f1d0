import { describe, expect, test } from 'vitest';
import juicefs from '../../../runtimes/juicefs/index.ts';
import type { JuiceFSRuntimeSpec } from '../../../runtimes/juicefs/spec.ts';
import type { TierLevel } from '../../../src/api/index.ts';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import { type Case, community, enterprise, mountOptions, planOf, refusal, scriptOf, secret, workload } from './given.ts';

const level = (more: Partial<TierLevel> = {}): TierLevel => ({ mediumtype: 'SSD', path: '/data', quota: '10Gi', ...more });
const tier = (...levels: readonly Partial<TierLevel>[]): JuiceFSRuntimeSpec => ({ tieredstore: { levels: levels.map(level) } });
const readWrite = { accessModes: ['ReadWriteMany' as const] };
const needsOf = (input: RuntimeInput<JuiceFSRuntimeSpec>) => juicefs.needs(input);

const line = (input: RuntimeInput<JuiceFSRuntimeSpec>) =>
  scriptOf(input, 'fuse')
    .split('\n')
    .find((text) => / (format|auth) --/.test(text))
    ?.replace(/^\S+ /, '');
const ports = (role: 'worker' | 'fuse', input: RuntimeInput<JuiceFSRuntimeSpec>) => workload(input, role).container.ports;
const images = (input: RuntimeInput<JuiceFSRuntimeSpec>) => Object.values(planOf(input).pods).map(({ container }) => container.image);
const generation = (fuse?: { image: string; generation: number; scriptHash?: string }) =>
  planOf(community({ ...(fuse && { facts: { fuse } }) })).fuse?.generation;
const mounts = (input: RuntimeInput<JuiceFSRuntimeSpec>, role: 'worker' | 'fuse' = 'worker') =>
  workload(input, role)
    .container.volumeMounts.filter(({ name }) => name.startsWith('cache-dir'))
    .map(({ name, mountPath }) => `${name} ${mountPath}`);
const volumes = (input: RuntimeInput<JuiceFSRuntimeSpec>, role: 'worker' | 'fuse' = 'worker') =>
  workload(input, role).pod.volumes.filter(({ name }) => name.startsWith('cache-dir'));
const resources = (input: RuntimeInput<JuiceFSRuntimeSpec>, role: 'worker' | 'fuse') => workload(input, role).container.resources;
const runtime = (spec: JuiceFSRuntimeSpec) => community({ spec });
const encrypted = (...names: readonly string[]) => ({
  mount: { encryptOptions: [secret('metaurl'), ...names.map((name) => secret(name))] },
});

describe('edition', () => {
  test.each<[string, RuntimeInput<JuiceFSRuntimeSpec>, string]>([
    ['a secret metaurl of the mount makes it community', community(), 'community'],
    [
      'a secret metaurl of all mounts does so too',
      community({ mount: { encryptOptions: [] }, dataset: { sharedEncryptOptions: [secret('metaurl')] } }),
      'community',
    ],
    ['anything else is enterprise', enterprise(), 'enterprise'],
  ])('%s', (_, input, edition) => expect(planOf(input).source.edition).toBe(edition));
});

describe('logging in', () => {
  test('community: in the order of Fluid, plain options sorted, then secret ones', () => {
    const options = { bucket: 'b', storage: 's3', 'trash-days': '1', 'block-size': '4096', 'buffer-size': '1' };
    const encryptOptions = ['session-token', 'secret-key', 'metaurl', 'access-key'].map((name) => secret(name));
    const input = community({ mount: { options, encryptOptions }, spec: { configs: [' hash-prefix=true ', ''] } });
    expect(line(input)).toBe(
      'format --hash-prefix=true --access-key="${ACCESS_KEY}" --secret-key="${SECRET_KEY}" --storage=s3 --bucket=b --block-size=4096 --trash-days=1 --session-token="${session_token}" "${METAURL}" minio',
    );
  });
  describe('community: without a place for objects the file system must exist', () => {
    test.each<[string, Record<string, string>, string]>([
      ['neither option', {}, 'storage and bucket'],
      ['no storage', { bucket: 'http://minio:9000/b' }, 'storage'],
      ['no bucket', { storage: 's3' }, 'bucket'],
    ])('%s', (_, options, missing) => {
      for (const role of ['worker', 'fuse'] as const) {
        const script = scriptOf(community({ mount: { options } }), role);
        expect(script).not.toContain('juicefs format');
        expect(script).toContain('if ! /usr/local/bin/juicefs status "${METAURL}" > /dev/null; then\n  echo ');
        expect(script).toContain(` mount lack ${missing}.' >&2\n  exit 1\nfi\n`);
      }
    });
    test.each<[string, Case]>([
      ['a directory that the user names', { mount: { options: { bucket: '/data' } } }],
      ['files', { mount: { options: { storage: 'file' } } }],
      ['spec.configs', { mount: { options: { bucket: 'b' } }, spec: { configs: ['storage=s3'] } }],
    ])('but not with %s', (_, given) => expect(scriptOf(community(given), 'fuse')).toContain('juicefs format --'));
  });
  test('a mount wins over what holds for all mounts', () => {
    const input = community({
      mount: { options: { storage: 'own', bucket: 'b' }, encryptOptions: [secret('metaurl', 'own')] },
      dataset: { sharedOptions: { storage: 'shared' }, sharedEncryptOptions: [secret('metaurl', 'shared')] },
    });
    expect(line(input)).toContain('--storage=own ');
    expect(planOf(input).source.env).toEqual([{ name: 'METAURL', valueFrom: { secretKeyRef: { name: 'jfs', key: 'own' } } }]);
  });
  test('enterprise: only what `juicefs auth` knows', () => {
    const encryptOptions = ['secret-key2', 'access-key', 'token', 'other'].map((name) => secret(name));
    const options = { bucket: 'b', bucket2: 'b2', storage: 's3', 'buffer-size': '1' };
    expect(line(enterprise({ mount: { options, encryptOptions }, spec: { configs: ['console-url=http://c'] } }))).toBe(
      'auth --console-url=http://c --token="${TOKEN}" --accesskey="${ACCESS_KEY}" --bucket=b --bucket2=b2 --secret-key2="${secret_key2}" vol',
    );
  });
  test('a quota is set for the directory, by readers', () => {
    const input = community({ mount: { mountPoint: 'juicefs:///a/b', options: { quota: '2048Mi' } } });
    expect(scriptOf(input, 'fuse')).toContain(
      'juicefs quota set "${METAURL}" --path /a/b --capacity 2 --create || /usr/local/bin/juicefs quota set "${METAURL}" --path /a/b --capacity 2\n',
    );
    expect(scriptOf(input, 'worker')).not.toContain('quota');
  });
});

describe('mount options', () => {
  test('of community readers and workers', () => {
    const input = community({
      mount: { mountPoint: 'juicefs:///sub', options: { 'buffer-size': '300', bucket: 'b' } },
      spec: tier({ low: '0.1' }),
    });
    const common = { subdir: '/sub', 'cache-dir': '/data', 'cache-size': '10240', 'free-space-ratio': '0.1' };
    const reading = { ro: '', 'attr-cache': '7200', 'entry-cache': '7200', 'buffer-size': '300' };
    expect(mountOptions(input, 'fuse')).toEqual({ ...common, ...reading, metrics: '0.0.0.0:14002' });
    expect(mountOptions(input, 'worker')).toEqual({ ...common, metrics: '0.0.0.0:14001' });
  });
  test('of enterprise readers and workers, who form one group', () => {
    const input = enterprise({ mount: { options: { bucket2: 'b2' } }, spec: { worker: { options: { 'no-sharing': '' } } } });
    const common = { 'cache-dir': '/var/jfsCache', 'cache-group': 'ml-demo', foreground: '', 'no-update': '' };
    const reading = { ro: '', attrcacheto: '7200', entrycacheto: '7200', 'no-sharing': '' };
    expect(mountOptions(input, 'fuse')).toEqual({ ...common, ...reading });
    expect(mountOptions(input, 'worker')).toEqual(common);
  });
  test('the runtime wins over the tier, the tier over the dataset, the dataset over defaults', () => {
    const options = { 'cache-size': '1', 'attr-cache': '1', 'free-space-ratio': '0.5' };
    const spec = { ...tier({ low: '0.1' }), fuse: { options: { 'free-space-ratio': '0.2' } } };
    expect(mountOptions(community({ mount: { options }, spec }), 'fuse')).toMatchObject({
      'cache-size': '10240',
      'free-space-ratio': '0.2',
      'attr-cache': '1',
      'entry-cache': '7200',
    });
  });
  test('an enterprise user may choose the group, not the foreground', () => {
    const options = { 'cache-group': 'g', foreground: 'no' };
    expect(mountOptions(enterprise({ spec: { fuse: { options } } }), 'fuse')).toMatchObject({ 'cache-group': 'g', foreground: '' });
  });
  test.each<[string, Case, boolean]>([
    ['by default', {}, true],
    ['of a read-only Dataset', { dataset: { accessModes: ['ReadOnlyMany'] } }, true],
    ['when the mount says so', { dataset: readWrite, mount: { readOnly: true } }, true],
    ['not of a Dataset with writers', { dataset: readWrite }, false],
  ])('readers may not write: %s', (_, given, readOnly) => expect('ro' in mountOptions(community(given), 'fuse')).toBe(readOnly));
});

describe('metrics', () => {
  test('a port of the node is asked for each role of the community edition', () => {
    expect(needsOf(community()).ports).toEqual([
      { name: 'worker', range: [14000, 15999], in: 'worker', portName: 'metrics' },
      { name: 'fuse', range: [14000, 15999], in: 'fuse', portName: 'metrics' },
    ]);
    expect(needsOf(community({ settings: { portRanges: { juicefs: [1, 2] } } })).ports?.[0]?.range).toEqual([1, 2]);
    expect(ports('worker', community())).toEqual([{ name: 'metrics', containerPort: 14001, protocol: 'TCP' }]);
  });
  test('a pod with a network of its own has the usual one', () => {
    const input = community({ spec: { worker: { networkMode: 'ContainerNetwork' } } });
    expect(needsOf(input).ports?.map(({ name }) => name)).toEqual(['fuse']);
    expect(ports('worker', input)).toMatchObject([{ containerPort: 9567 }]);
    expect(mountOptions(input, 'worker')['metrics']).toBe('0.0.0.0:9567');
    expect(workload(input, 'worker').pod).toMatchObject({ dnsPolicy: 'ClusterFirst' });
    expect(workload(input, 'worker').pod.hostNetwork).toBeUndefined();
  });
  test.each<[string, Case, 'worker' | 'fuse']>([
    ['runtime', { spec: { worker: { options: { metrics: 'localhost:9999' } } } }, 'worker'],
    ['mount', { mount: { options: { metrics: 'localhost:9999' } } }, 'fuse'],
    ['dataset', { dataset: { sharedOptions: { metrics: 'localhost:9999' } } }, 'fuse'],
  ])('one that the %s names is kept and needs no allocation', (_, given, role) => {
    const input = community(given);
    expect(needsOf(input).ports?.map(({ name }) => name)).not.toContain(role);
    expect(ports(role, input)).toMatchObject([{ containerPort: 9999 }]);
    expect(mountOptions(input, role)['metrics']).toBe('localhost:9999');
  });
  test('the enterprise edition has none', () => {
    expect(needsOf(enterprise()).ports).toEqual([]);
    expect(ports('fuse', enterprise())).toBeUndefined();
  });
});

describe('images', () => {
  test('come from the spec, then the environment, then from us, part by part', () => {
    expect(images(community())).toEqual(['juicedata/mount:ce-v1.3.0', 'juicedata/mount:ce-v1.3.0']);
    expect(images(enterprise())).toEqual(['juicedata/mount:ee-5.2.10-eb0a8b3', 'juicedata/mount:ee-5.2.10-eb0a8b3']);
    const env = { JUICEFS_CE_IMAGE_ENV: 'host:5000/ce:v1', JUICEFS_EE_IMAGE_ENV: 'untagged' };
    expect(images(community({ settings: { env }, spec: { juicefsVersion: { imageTag: 'v2' }, fuse: { image: 'own' } } }))).toEqual([
      'host:5000/ce:v2',
      'own:v1',
    ]);
    expect(images(enterprise({ settings: { env } }))[0]).toBe('juicedata/mount:ee-5.2.10-eb0a8b3');
    expect(juicefs.env).toEqual(['JUICEFS_CE_IMAGE_ENV', 'JUICEFS_EE_IMAGE_ENV', 'IP_FAMILY']);
  });
  test('are pulled with the Secrets of the runtime, else of the installation', () => {
    const settings = { imagePullSecrets: ['installed'] };
    expect(workload(community({ settings }), 'fuse').pod.imagePullSecrets).toEqual([{ name: 'installed' }]);
    expect(workload(community({ settings, spec: { imagePullSecrets: [{ name: 'own' }] } }), 'worker').pod.imagePullSecrets).toEqual([
      { name: 'own' },
    ]);
  });
  test('count the generations of the fuse pod', () => {
    expect([
      generation(),
      generation({ image: 'juicedata/mount:ce-v1.3.0', generation: 3 }),
      generation({ image: 'old', generation: 3 }),
      generation({ image: 'juicedata/mount:ce-v1.3.0', generation: 3, scriptHash: planOf(community()).scripts.fuse.hash }),
      generation({ image: 'juicedata/mount:ce-v1.3.0', generation: 3, scriptHash: 'another' }),
    ]).toEqual([1, 3, 4, 3, 4]);
  });
});

describe('cache', () => {
  test('has a directory of the node for each path', () => {
    expect(volumes(community({ spec: tier({ path: '/a:/b' }) }))).toEqual([
      { name: 'cache-dir-0', hostPath: { path: '/a', type: 'DirectoryOrCreate' } },
      { name: 'cache-dir-1', hostPath: { path: '/b', type: 'DirectoryOrCreate' } },
    ]);
    expect(mounts(community())).toEqual(['cache-dir-0 /var/jfsCache']);
  });
  test('goes with the pod where the tier says so, but not in a directory of options', () => {
    const spec = {
      ...tier({ volumeType: 'emptyDir', volumeSource: { emptyDir: { sizeLimit: '10240Mi' } } }),
      fuse: { options: { 'cache-dir': '/data:/x' } },
    };
    expect(volumes(community({ spec }), 'fuse')).toEqual([
      { name: 'cache-dir-0', emptyDir: { sizeLimit: '10Gi' } },
      { name: 'cache-dir-1', hostPath: { path: '/x', type: 'DirectoryOrCreate' } },
    ]);
    expect(volumes(community({ spec: tier({ volumeType: 'emptyDir' }) }))).toEqual([{ name: 'cache-dir-0', emptyDir: {} }]);
  });
  test('has no volume of ours where the user mounts one, or where it is memory', () => {
    const spec = {
      ...tier({ path: '/a:/b:memory' }),
      volumes: [{ name: 'v', emptyDir: {} }],
      worker: { volumeMounts: [{ name: 'v', mountPath: '/a' }] },
    };
    expect(mounts(community({ spec }))).toEqual(['cache-dir-1 /b']);
  });
  test('counts all levels for the labels of nodes, the first for the client', () => {
    const input = community({
      spec: tier({ mediumtype: 'MEM', quota: '1Gi' }, { path: '/x,/y', quotaList: '1Gi,2Gi' }, { mediumtype: 'HDD', quota: '40Gi' }),
    });
    expect(planOf(input).cacheOnNode).toEqual({ memory: 2 ** 30, disk: 43 * 2 ** 30 });
    expect(mountOptions(input, 'worker')).toMatchObject({ 'cache-dir': '/data', 'cache-size': '1024' });
  });
  test('warns of sizes and directories in the options of workers, as Fluid does', () => {
    expect(planOf(community({ spec: { worker: { options: { 'cache-dir': '/a' } } } })).warnings).toMatchObject([
      { reason: 'RuntimeDeprecated' },
    ]);
    expect(planOf(community()).warnings).toEqual([]);
  });
});

describe('memory', () => {
  const inMemory = tier({ mediumtype: 'MEM', quota: '4Gi' });
  test('of readers is at least the cache, if that is memory', () => {
    expect(resources(community({ spec: inMemory }), 'fuse')).toEqual({ requests: { memory: '4Gi' } });
    const requests = { cpu: '1', memory: '8Gi' };
    expect(resources(community({ spec: { ...inMemory, fuse: { resources: { requests } } } }), 'fuse')).toEqual({ requests });
    expect(resources(community({ spec: { ...inMemory, fuse: { options: { 'cache-size': '1' } } } }), 'fuse')).toEqual({});
  });
  test('of workers is so in the enterprise edition only', () => {
    expect(resources(enterprise({ spec: inMemory }), 'worker')).toEqual({ requests: { memory: '4Gi' } });
    expect(resources(community({ spec: inMemory }), 'worker')).toEqual({});
    expect(resources(enterprise({ spec: { ...inMemory, worker: { options: { 'cache-size': '1' } } } }), 'worker')).toEqual({});
  });
  test('uses the medium of the last level and the size of the first, as in Fluid', () => {
    expect(resources(community({ spec: tier({ mediumtype: 'MEM', quota: '1Gi' }, {}) }), 'fuse')).toEqual({});
    expect(resources(community({ spec: tier({ quota: '1Gi' }, { mediumtype: 'MEM' }) }), 'fuse')).toEqual({ requests: { memory: '1Gi' } });
  });
});

describe('pods', () => {
  test('know the Secrets of options by the names that the programs look for', () => {
    const input = community({
      mount: { encryptOptions: ['other-key', 'token', 'metaurl'].map((name) => secret(name)) },
      spec: { worker: { env: [{ name: 'A', value: '1' }] } },
    });
    expect(workload(input, 'worker').container.env.map(({ name }) => name)).toEqual([
      'JFS_FOREGROUND',
      'A',
      'METAURL',
      'TOKEN',
      'other_key',
    ]);
    expect(needsOf(input).secrets).toEqual([{ name: 'jfs', keys: ['other-key', 'token', 'metaurl'] }]);
  });
  test('have only the volumes that they mount', () => {
    const spec = {
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'b', emptyDir: {} },
      ],
      worker: {
        volumeMounts: [
          { name: 'a', mountPath: '/1' },
          { name: 'a', mountPath: '/2' },
        ],
      },
    };
    expect(workload(community({ spec }), 'worker').pod.volumes.map(({ name }) => name)).toEqual(['script', 'a', 'cache-dir-0']);
    expect(workload(community({ spec }), 'fuse').pod.volumes.map(({ name }) => name)).toEqual([
      'juicefs-fuse-mount',
      'script',
      'cache-dir-0',
    ]);
  });
  test('of workers may have claims of their own', () => {
    const spec: JuiceFSRuntimeSpec = {
      volumeClaimTemplates: [
        { metadata: { name: 'disk' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } },
      ],
      worker: { volumeMounts: [{ name: 'disk', mountPath: '/var/jfsCache' }] },
    };
    const worker = workload(community({ spec }), 'worker');
    expect(worker.volumeClaimTemplates).toMatchObject([
      { metadata: { name: 'disk' }, spec: { resources: { requests: { storage: '1Gi' } } } },
    ]);
    expect(worker.pod.volumes.map(({ name }) => name)).toEqual(['script']);
    expect(worker.container.volumeMounts.map(({ name }) => name)).toEqual(['script', 'disk']);
  });
  test('carry the labels of the runtime, their own winning, and ours above all', () => {
    const spec = { podMetadata: { labels: { a: 'rt', b: 'rt', app: 'rt' } }, worker: { podMetadata: { labels: { b: 'own' } } } };
    expect(workload(community({ spec }), 'worker').template.metadata.labels).toMatchObject({ a: 'rt', b: 'own', app: 'juicefs' });
    expect(workload(community({ spec }), 'fuse').template.metadata.labels).toMatchObject({ b: 'rt' });
  });
  test('of workers are as many as the user says, none by default', () => {
    expect([planOf(community()).replicas, planOf(community({ spec: { replicas: 3 } })).replicas]).toEqual([{ worker: 0 }, { worker: 3 }]);
  });
});

describe('refuses', () => {
  test.each([
    ['s3://bucket', 'juicefs:///<directory> of the file system, or juicefs:/// for all of it'],
    ['juicefs:///a,b', 'a directory without ",", which separates mount options'],
    ['juicefs://-x', 'a directory that begins with "/"'],
  ])('%s, and says what is wrong with it', (mountPoint, expected) =>
    expect(refusal(community({ mount: { mountPoint } })).faults).toEqual([
      { path: 'spec.mounts[0].mountPoint', expected, found: JSON.stringify(mountPoint) },
    ]),
  );
  test.each<[string, RuntimeInput<JuiceFSRuntimeSpec>, readonly string[]]>([
    ['a mount point of another engine', community({ mount: { mountPoint: 's3://bucket' } }), ['spec.mounts[0].mountPoint']],
    ['a sub path that would be read as an option', community({ mount: { mountPoint: 'juicefs://-x' } }), ['spec.mounts[0].mountPoint']],
    ['a sub path with a comma', community({ mount: { mountPoint: 'juicefs:///a,b' } }), ['spec.mounts[0].mountPoint']],
    ['a nameless file system', community({ mount: { name: '' } }), ['spec.mounts[0].name']],
    ['a name that would be read as an option', community({ mount: { name: '-x' } }), ['spec.mounts[0].name']],
    ['a name that leads out of the cache', community({ mount: { name: '..' } }), ['spec.mounts[0].name']],
    [
      'a quota below 1 GiB',
      community({ mount: { mountPoint: 'juicefs:///a', options: { quota: '10' } } }),
      ['spec.mounts[0].options.quota'],
    ],
    [
      'a quota that is no quantity',
      community({ mount: { mountPoint: 'juicefs:///a', options: { quota: 'much' } } }),
      ['spec.mounts[0].options.quota'],
    ],
    ['a quota of the whole file system', community({ mount: { options: { quota: '10Gi' } } }), ['spec.mounts[0].mountPoint']],
    ['a secret option that no variable can be named after', community(encrypted('a.b')), ['spec.mounts[0].encryptOptions[1].name']],
    ['a secret option with the variable of another', community(encrypted('METAURL')), ['spec.mounts[0].encryptOptions']],
    ['two secret options with one variable', community(encrypted('a-b', 'a_b')), ['spec.mounts[0].encryptOptions']],
    [
      'a secret option without a key',
      community({ mount: { encryptOptions: [{ name: 'metaurl' }] } }),
      ['spec.mounts[0].encryptOptions[0].valueFrom.secretKeyRef'],
    ],
    ['metrics without a port', runtime({ fuse: { options: { metrics: 'off' } } }), ['spec.fuse.options.metrics']],
    ['directories in the notation of other engines', runtime(tier({ path: '/a,/b' })), ['spec.tieredstore.levels[0].path']],
    ['a directory that is not absolute', runtime(tier({ path: 'data' })), ['spec.tieredstore.levels[0].path']],
    ['a directory that leads elsewhere', runtime({ worker: { options: { 'cache-dir': '/a/../etc' } } }), ['spec.worker.options.cache-dir']],
    ['a tier of no size', runtime({ tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a' }] } }), ['spec.tieredstore.levels[0].quota']],
    ['a list of sizes for one directory', runtime(tier({ quotaList: '1Gi,2Gi' })), ['spec.tieredstore.levels[0].quotaList']],
    ['a ratio that is none', runtime(tier({ low: '0.1,ro' })), ['spec.tieredstore.levels[0].low']],
    [
      'less memory than is cached in it',
      runtime({ ...tier({ mediumtype: 'MEM' }), fuse: { resources: { limits: { memory: '1Gi' } } } }),
      ['spec.fuse.resources.limits.memory'],
    ],
    [
      'mounts of volumes that do not exist',
      runtime({ worker: { volumeMounts: [{ name: 'a', mountPath: '/a' }] }, fuse: { volumeMounts: [{ name: 'b', mountPath: '/b' }] } }),
      ['spec.worker.volumeMounts[0].name', 'spec.fuse.volumeMounts[0].name'],
    ],
    [
      'a claim that no container mounts',
      runtime({ volumeClaimTemplates: [{ metadata: { name: 'disk' } }] }),
      ['spec.volumeClaimTemplates[0].metadata.name'],
    ],
    [
      'a claim with the name of a volume',
      runtime({
        volumeClaimTemplates: [{ metadata: { name: 'v' } }],
        volumes: [{ name: 'v' }],
        worker: { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
      }),
      ['spec.volumeClaimTemplates[0].metadata.name'],
    ],
  ])('%s', (_, input, paths) => expect(refusal(input).faults.map(({ path }) => path)).toEqual(paths));

  test('a dataset without mounts', () => {
    const { dataset: given, ...rest } = community();
    const { object, faults } = refusal({ ...rest, dataset: { ...given, spec: { mounts: [] } } });
    expect([object, faults[0]?.path]).toEqual(['Dataset ml/demo', 'spec.mounts']);
    expect(needsOf({ ...rest, dataset: { ...given, spec: {} } })).toEqual({ secrets: [], ports: [] });
  });
  test('everything at once that is wrong with the dataset, naming it', () => {
    const { object, faults } = refusal(community({ mount: { name: '', mountPoint: 's3://bucket', options: { quota: '1' } } }));
    expect(object).toBe('Dataset ml/demo');
    expect(faults.map(({ path }) => path)).toEqual(['spec.mounts[0].name', 'spec.mounts[0].mountPoint', 'spec.mounts[0].options.quota']);
  });
});
