/** EFC's pods for a spec and a Dataset. */
import { describe, expect, test } from 'vitest';
import efc from '../../../runtimes/efc/index.ts';
import type { EFCRuntimeSpec } from '../../../runtimes/efc/spec.ts';
import type { TierLevel } from '../../../src/api/index.ts';
import { container, given, made, nas, optionsOf, planOf, podOf, warningsOf, workers } from './given.ts';

const mounted = (mountPoint: string) => given({ mounts: [{ ...nas, mountPoint }] });
const level = (said: Partial<TierLevel>): EFCRuntimeSpec => ({
  replicas: 1,
  tieredstore: { levels: [{ mediumtype: 'SSD', path: '/mnt/a', quota: '20Gi', ...said }] },
});
const endpoints = (input: ReturnType<typeof given>) =>
  made(input).find(({ kind }) => kind === 'ConfigMap')?.['data'] as Record<string, string>;

describe('the mount point', () => {
  test.each([
    ['nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/', '0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/'],
    ['nfs://0a0b0c0d.cn-hangzhou.extreme.nas.aliyuncs.com:/share/a/', '0a0b0c0d.cn-hangzhou.extreme.nas.aliyuncs.com:/share/a/'],
    ['cpfs://cpfs-0a-0b.cn-x.cpfs.aliyuncs.com:/share', 'cpfs-0a-0b.cn-x.cpfs.aliyuncs.com:/share/'],
    ['cpfs://cpfs-0a-0b.cn-x.cpfs.aliyuncs.com:/share/a', 'cpfs-0a-0b.cn-x.cpfs.aliyuncs.com:/share/a/'],
  ])('%s is mounted by masters and clients', (mountPoint, address) => {
    for (const role of ['master', 'fuse'] as const)
      expect(container(mounted(mountPoint), role).args.slice(0, 3)).toEqual([role, address, `/efc/efc-${role}`]);
  });
  test('of CPFS is reached by NFS 3', () => {
    const cpfs = mounted('cpfs://cpfs-0a-0b.cn-x.cpfs.aliyuncs.com:/share');
    for (const role of ['master', 'fuse'] as const) {
      expect(optionsOf(cpfs, role)).toMatchObject({ protocol: 'nfs3' });
      expect(optionsOf(given(), role)).not.toHaveProperty('protocol');
    }
  });
  test.each([
    ['s3://bucket/a', 'nfs://<file system>'],
    ['nfs://server.example:/a', 'nfs://<file system>'],
    ['nfs://0a.cn-x.nas.aliyuncs.com/a', 'nfs://<file system>'],
    ['cpfs://0a.cn-x.nas.aliyuncs.com:/share', 'nfs://<file system>'],
    ['cpfs://0a.cn-x.cpfs.aliyuncs.com:/other', '/share'],
    ['cpfs://0a.cn-x.cpfs.aliyuncs.com:/shared', '/share'],
    ['nfs://0a.cn-x.nas.aliyuncs.com:/a b', 'no blanks'],
    ['nfs://0a.cn-x.nas.aliyuncs.com:/$(HOME)', 'no blanks'],
    ['nfs://0a.cn-x.nas.aliyuncs.com:/a/../b', '".."'],
  ])('%s is rejected', (mountPoint, expected) => {
    const bound = () => efc.bind(mounted(mountPoint));
    expect(bound).toThrow('Dataset ml/demo: spec.mounts[0].mountPoint');
    expect(bound).toThrow(expected);
  });
  test('is required', () => expect(() => efc.bind(given({ mounts: [] }))).toThrow('spec.mounts: expected a mount'));
  test('of a second mount is named by a warning', () =>
    expect(warningsOf(given({ mounts: [nas, nas] }))).toEqual(
      expect.arrayContaining(['Dataset: spec.mounts[1]: has no effect; EFC mounts the first']),
    ));
});

test('of a Dataset, each field that EFC does not read is named by a warning, with the reason', () => {
  const secret = { name: 'k', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };
  const input = given({
    mounts: [{ ...nas, path: '/a', options: { a: 'b' }, encryptOptions: [secret], readOnly: true, shared: true }],
    dataset: {
      sharedOptions: { a: 'b' },
      sharedEncryptOptions: [secret],
      runtimes: [{ name: 'other' }],
      owner: { uid: 1, gid: 1, user: 'u', group: 'g' },
      dataRestoreLocation: { path: 'pvc://backups/a' },
    },
  });
  const options = 'has no effect; write options of EFC into spec.fuse.properties';
  expect(warningsOf(input).filter((message) => message.startsWith('Dataset'))).toEqual([
    'Dataset: spec.mounts[0].path: has no effect; the data appears at /',
    `Dataset: spec.mounts[0].options: ${options}`,
    `Dataset: spec.mounts[0].encryptOptions: ${options}`,
    'Dataset: spec.mounts[0].readOnly: has no effect; spec.accessModes says whether pods may write',
    'Dataset: spec.mounts[0].shared: has no effect; EFC shows a mount to every user',
    `Dataset: spec.sharedOptions: ${options}`,
    `Dataset: spec.sharedEncryptOptions: ${options}`,
    'Dataset: spec.runtimes: has no effect; a runtime serves the Dataset of its own name',
    'Dataset: spec.owner: has no effect; the file system says who owns a file',
    'Dataset: spec.dataRestoreLocation: has no effect; EFC has no backups',
  ]);
});
test.each(['master', 'worker', 'fuse'] as const)('a property of the %s that reads as several is named by a warning', (role) =>
  expect(warningsOf(given({ spec: { replicas: 1, [role]: { properties: { a: 'b,c' } } } }))).toEqual([
    `spec.${role}.properties.a: "," and "=" separate mount options; the client sees several`,
  ]),
);

describe('where workers are', () => {
  const two = { worker: workers('10.0.0.1', 'fd00::2') };
  test('is in a file of masters and clients: ready workers by address and port', () =>
    expect(endpoints(given({ facts: { pods: two } }))).toEqual({
      'efc-worker-endpoints.json': '{"containerendpoints":["10.0.0.1:16001","[fd00::2]:16001"]}',
    }));
  test('has the port of a pod that is older than an edit of the network', () => {
    const [old, ...others] = two.worker;
    const pods = { worker: [{ ...old!, ports: { rpc: 16777 } }, ...others] };
    expect(planOf(given({ spec: { worker: { networkMode: 'ContainerNetwork' } }, facts: { pods } })).endpoints).toEqual([
      '10.0.0.1:16777',
      '[fd00::2]:14555',
    ]);
  });
  test('is an empty list without workers', () => {
    for (const input of [given(), given({ spec: { worker: { disabled: true } }, facts: { pods: two } })])
      expect(endpoints(input)).toEqual({ 'efc-worker-endpoints.json': '{"containerendpoints":[]}' });
  });
  test('is looked up, and no pod template depends on it', () => {
    expect(efc.needs(given())).toMatchObject({ pods: ['worker'] });
    const workloads = (pods: object) => made(given({ facts: { pods } })).filter(({ kind }) => kind !== 'ConfigMap');
    expect(workloads(two)).toEqual(workloads({}));
  });
  test('reaches running pods at once', () =>
    expect(planOf(given()).config).toEqual({ name: 'demo-worker-endpoints', roles: ['master', 'fuse'] }));
  test('is there without a master, too', () =>
    expect(endpoints(given({ spec: { master: { disabled: true } }, facts: { pods: two } }))).toBeDefined());
});

describe('workers', () => {
  test('without levels have 1 GiB of memory', () => {
    expect(optionsOf(given(), 'worker')).toEqual({
      cache_media: '/cache_dir/ml/demo',
      server_port: '16001',
      cache_capacity_gb: '1',
      tmpfs: 'true',
    });
    expect(podOf(given(), 'worker').volumes).toEqual([{ name: 'mem', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }]);
    expect(container(given(), 'worker').resources).toEqual({ requests: { memory: '1Gi' } });
    expect(planOf(given()).cacheOnNode).toEqual({});
    expect(planOf(given({ spec: { replicas: 1, ...level({ mediumtype: 'MEM' }) } })).cacheOnNode).toEqual({ memory: 20 * 1024 ** 3 });
  });
  test('have the fastest level, its first directory, and that directory of this runtime alone', () => {
    const levels: TierLevel[] = [
      { mediumtype: 'HDD', path: '/slow', quota: '100Gi' },
      { mediumtype: 'SSD', path: '/mnt/a/,/mnt/b', quota: '40Gi' },
    ];
    const input = given({ spec: { replicas: 1, tieredstore: { levels } } });
    expect(optionsOf(input, 'worker')).toMatchObject({ cache_media: '/mnt/a/ml/demo', cache_capacity_gb: '20' });
    expect(podOf(input, 'worker').volumes).toEqual([{ name: 'ssd', hostPath: { path: '/mnt/a/ml/demo', type: 'DirectoryOrCreate' } }]);
    expect(planOf(input).cacheOnNode).toEqual({ disk: 20 * 1024 ** 3 });
    expect(warningsOf(input)).toEqual([
      'spec.tieredstore.levels[0]: has no effect; EFC has one level',
      'spec.tieredstore.levels[1].path: EFC has one directory; the first is used, with its share of the quota',
    ]);
  });
  test.each<[Partial<TierLevel>, string]>([
    [{ quota: '500Mi' }, 'quota: expected at least 1Gi'],
    [{ path: '/a,/b', quotaList: '500Mi,4Gi' }, 'quotaList: expected at least 1Gi for its first directory'],
    [{ path: '/a,/b', quota: '1Gi' }, 'quota: expected at least 2Gi for 2 directories, found "1Gi"'],
    [{ path: 'cache' }, 'path'],
    [{ path: '/' }, 'path: expected a directory below /'],
    [{ path: '/a/../b' }, 'path'],
    [{ path: '/a=b' }, 'path'],
    [{ path: '/a:b' }, 'path'],
    [{ path: '/$(HOME)' }, 'path'],
  ])('%j is rejected', (said, message) =>
    expect(() => efc.bind(given({ spec: level(said) }))).toThrow(`spec.tieredstore.levels[0].${message}`),
  );
  test('of SSD comes before one of HDD, in any order of the spec', () => {
    const levels = [
      { mediumtype: 'HDD' as const, path: '/mnt/b', quota: '40Gi' },
      { mediumtype: 'SSD' as const, path: '/mnt/a', quota: '20Gi' },
    ];
    expect(optionsOf(given({ spec: { replicas: 1, tieredstore: { levels } } }), 'worker')).toMatchObject({ cache_media: '/mnt/a/ml/demo' });
  });
  test('a level needs a size', () =>
    expect(() => efc.bind(given({ spec: { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a' }] } } }))).toThrow(
      'spec.tieredstore.levels[0].quota: expected the size of the level, found nothing',
    ));
  test('a part of a GiB is cut off, with a warning', () => {
    const input = given({ spec: level({ quota: '1536Mi', volumeType: 'emptyDir' }) });
    expect(optionsOf(input, 'worker')).toMatchObject({ cache_capacity_gb: '1' });
    expect(warningsOf(input)).toEqual(['spec.tieredstore.levels[0].quota: EFC counts in whole GiB; 1 GiB are used']);
  });
  test('a cache in memory does not fit below a limit', () =>
    expect(() =>
      efc.bind(given({ spec: { ...level({ mediumtype: 'MEM' }), worker: { resources: { limits: { memory: '1Gi' } } } } })),
    ).toThrow('spec.worker.resources.limits.memory: expected at least 20Gi'));
  test('that are disabled need no port, and clients do not look for them', () => {
    const input = given({ spec: { replicas: 3, worker: { disabled: true } } });
    expect(efc.needs(input)).toEqual({ ports: [] });
    expect(efc.bind(input).roles).toEqual(['master', 'fuse']);
    expect(optionsOf(input, 'fuse')).toEqual({ assign_uuid: 'ml-demo-fuse' });
  });
  test('clean their directory on a node, and nothing beside it', () => {
    const commands = (spec: EFCRuntimeSpec) => efc.bind(given({ spec })).cleanup?.commands(undefined);
    expect(commands({ ...level({}), cleanCachePolicy: { gracePeriodSeconds: 30 } })).toEqual([
      {
        in: 'worker',
        on: 'every',
        container: 'efc-worker',
        argv: ['rm', '-rf', '--', '/mnt/a/ml/demo/tier_dadi'],
        timeoutSeconds: 30,
      },
    ]);
    expect(commands(level({ volumeType: 'emptyDir' }))).toEqual([]);
    expect(commands({ ...level({}), worker: { disabled: true } })).toEqual([]);
  });
});

describe('ports', () => {
  test('are of the node, in the range of the installation', () => {
    const need = { name: 'rpc', in: 'worker', portName: 'rpc' };
    expect(efc.needs(given()).ports).toEqual([{ ...need, range: [16000, 17999] }]);
    expect(efc.needs(given({ settings: { portRanges: { efc: [30000, 30009] } } })).ports).toEqual([{ ...need, range: [30000, 30009] }]);
  });
  test('on the network of pods are always the same', () => {
    const input = given({ spec: { worker: { networkMode: 'ContainerNetwork' } }, facts: { ports: {} } });
    expect(efc.needs(input).ports).toEqual([]);
    expect(optionsOf(input, 'worker')).toMatchObject({ server_port: '14555' });
    expect(podOf(input, 'worker')).not.toHaveProperty('hostNetwork', true);
    expect(podOf(input, 'master')).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
  });
});

describe('properties', () => {
  test('are options; they replace defaults', () => {
    const properties = { g_tier_EnableClusterCachePrefetch: 'false', a: '1' };
    expect(container(given({ spec: { fuse: { properties } } }), 'fuse').args.at(-1)).toBe(
      'g_tier_EnableClusterCache=true,assign_uuid=ml-demo-fuse,a=1,g_tier_EnableClusterCachePrefetch=false',
    );
  });
  test('cannot name another port or directory than the pod has', () => {
    const input = given({ spec: { replicas: 1, worker: { properties: { server_port: '1', cache_media: '/b' } } } });
    expect(optionsOf(input, 'worker')).toMatchObject({ server_port: '16001', cache_media: '/cache_dir/ml/demo' });
    expect(warningsOf(input)).toEqual([
      'spec.worker.properties[cache_media]: has no effect; the pod has another port and directory',
      'spec.worker.properties[server_port]: has no effect; the pod has another port and directory',
    ]);
  });
  test('reach EFC as they were written', () =>
    expect(container(given({ spec: { fuse: { properties: { a: '$(POD_IP) $$' } } } }), 'fuse').args.at(-1)).toContain('a=$$(POD_IP) $$$$'));
});

test('the volume says where the session manager of a node has its socket, where clients look for it', () => {
  const input = given({ settings: { mountRoot: '/mnt/fuse' } });
  expect(planOf(input).volume.attributes).toMatchObject({
    efc_sessmgr_workdir: '/mnt/fuse/efc-sock',
    fluid_path: '/mnt/fuse/efc/ml/demo/efc-fuse',
    mount_type: 'alifuse.aliyun-alinas-efc',
  });
  expect(podOf(input, 'fuse').volumes).toContainEqual({
    name: 'efc-sock',
    hostPath: { path: '/mnt/fuse/efc-sock', type: 'DirectoryOrCreate' },
  });
});
test('masters and clients have time to give up their sessions', () => {
  for (const role of ['master', 'fuse'] as const) expect(podOf(given(), role).terminationGracePeriodSeconds).toBe(90);
  expect(podOf(given(), 'worker')).not.toHaveProperty('terminationGracePeriodSeconds');
});
