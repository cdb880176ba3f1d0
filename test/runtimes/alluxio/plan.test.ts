import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import type { Mount, TierLevel } from '../../../src/api/index.ts';
import { bucket, container, given, planOf, podOf, PORTS, propertiesOf, secret } from './given.ts';

const level = (more: Partial<TierLevel>): TierLevel => ({ mediumtype: 'SSD', path: '/mnt/a', quota: '10Gi', ...more });
const tiered = (...levels: readonly TierLevel[]) => given({ spec: { tieredstore: { levels: [...levels] } } });

describe('tiers', () => {
  test('are in order of speed, each directory under the name of its runtime', () => {
    const input = tiered(
      level({ path: '/mnt/a/,/mnt//b', quotaList: '10Gi,20Gi' }),
      level({ mediumtype: 'MEM', path: '/dev/shm', quota: '4Gi' }),
    );
    expect(propertiesOf(input)).toMatchObject({
      'alluxio.worker.tieredstore.levels': '2',
      'alluxio.worker.tieredstore.level0.alias': 'MEM',
      'alluxio.worker.tieredstore.level0.dirs.path': '/dev/shm/ml/demo',
      'alluxio.worker.tieredstore.level0.dirs.quota': '4GB',
      'alluxio.worker.tieredstore.level1.dirs.mediumtype': 'SSD,SSD',
      'alluxio.worker.tieredstore.level1.dirs.path': '/mnt/a/ml/demo,/mnt/b/ml/demo',
      'alluxio.worker.tieredstore.level1.dirs.quota': '10GB,20GB',
    });
    expect(container(input, 'worker', 'alluxio-worker').resources.requests).toEqual({ memory: '4Gi' });
    expect(planOf(input).cacheOnNode).toEqual({ memory: 4 * 2 ** 30, disk: 30 * 2 ** 30 });
  });
  test('that are empty directories are of one pod: no client reads from them itself', () => {
    const input = tiered(level({ volumeType: 'emptyDir' }));
    expect(podOf(input, 'worker').volumes).toContainEqual({ name: 'ssd', emptyDir: { sizeLimit: '10Gi' } });
    expect(podOf(input, 'fuse').volumes?.map(({ name }) => name)).toEqual(['alluxio-fuse-mount', 'alluxio-fuse-device']);
    expect(propertiesOf(input)['alluxio.user.short.circuit.enabled']).toBe('false');
    expect(alluxio.bind(input).cleanup?.commands(undefined)).toEqual([]);
  });
  test.each([
    ['no size', [level({ quota: undefined as never })], 'spec.tieredstore.levels[0].quota: expected the size of the level'],
    ['a path that is not absolute', [level({ path: 'a' })], 'spec.tieredstore.levels[0].path: expected an absolute path'],
    ['a path that is none', [level({ path: '/a b' })], 'spec.tieredstore.levels[0].path'],
    ['one medium twice', [level({}), level({ path: '/b' })], 'expected one level of SSD'],
  ])('with %s are refused', (_, levels, message) => expect(() => alluxio.bind(tiered(...levels))).toThrow(message));
});

describe('ports', () => {
  const gateway: AlluxioRuntimeSpec = { apiGateway: { enabled: true } };
  const asked = (spec: AlluxioRuntimeSpec) => (alluxio.needs(given({ spec })).ports ?? []).map(({ name }) => name);

  test('are allocated if the spec has none', () => {
    expect(asked({})).toEqual(Object.keys(PORTS).filter((name) => !['gateway', 'masterJournal', 'jobMasterJournal'].includes(name)));
    expect(asked({ ...gateway, master: { replicas: 3 } }).toSorted()).toEqual(Object.keys(PORTS).toSorted());
    expect(asked({ master: { ports: { rpc: 1234 } }, properties: { 'alluxio.master.web.port': '1235' } })).not.toEqual(
      expect.arrayContaining(['masterRpc', 'masterWeb']),
    );
  });
  test('are what a property says before what the list says', () => {
    const spec = { properties: { 'alluxio.master.rpc.port': '1234' }, master: { ports: { rpc: 4321, web: 4322 } } };
    expect(planOf(given({ spec })).ports).toMatchObject({ masterRpc: 1234, masterWeb: 4322, workerRpc: PORTS.workerRpc });
    expect(propertiesOf(given({ spec }))).toMatchObject({ 'alluxio.master.rpc.port': '1234', 'alluxio.master.web.port': '4322' });
  });
  test('are the usual ones where every pod has its own address', () => {
    const spec: AlluxioRuntimeSpec = { master: { networkMode: 'ContainerNetwork' }, worker: { networkMode: 'ContainerNetwork' } };
    expect(asked(spec)).toEqual([]);
    expect(planOf(given({ spec, facts: { ports: {} } })).ports).toMatchObject({ masterRpc: 19998, workerRpc: 29999, gateway: 39999 });
  });
  test.each(['no number', '70000', '1.5'])('that are %s are refused', (text) =>
    expect(() => alluxio.bind(given({ spec: { properties: { 'alluxio.worker.rpc.port': text } } }))).toThrow(
      'spec.properties[alluxio.worker.rpc.port]: expected a port, 1 to 65535',
    ),
  );
  test.each([
    [{ master: { ports: { rpc: 7000, web: 7000 } } }, /spec\.master\.ports\.web: expected a port that no other program of the pod has/],
    [{ worker: { ports: { web: PORTS.jobWorkerRpc } } }, /spec\.worker\.ports\.web: expected a port that no other program/],
  ])('of programs of one pod are apart: %j', (spec, message) => expect(() => planOf(given({ spec }))).toThrow(message));
  test('of masters may be those of workers', () => {
    const spec = { master: { ports: { rpc: 7000 } }, worker: { ports: { rpc: 7000 } } };
    expect(planOf(given({ spec })).ports).toMatchObject({ masterRpc: 7000, workerRpc: 7000 });
  });
});

describe('properties', () => {
  test('of one component keep a default from all of them', () => {
    const input = given({ spec: { master: { properties: { 'alluxio.master.metastore': 'HEAP' } } } });
    expect(propertiesOf(input)).not.toHaveProperty('alluxio.master.metastore');
    expect(propertiesOf(input, 'ALLUXIO_MASTER_JAVA_OPTS')).toMatchObject({ 'alluxio.master.metastore': 'HEAP' });
  });
  test('of the user win', () =>
    expect(propertiesOf(given({ spec: { properties: { 'alluxio.user.file.readtype.default': 'NO_CACHE' } } }))).toMatchObject({
      'alluxio.user.file.readtype.default': 'NO_CACHE',
    }));
  test('over HTTP read large pieces', () =>
    expect(propertiesOf(given({ mounts: [{ mountPoint: 'https://a.example/b', name: 'b' }] }))).toMatchObject({
      'alluxio.user.block.size.bytes.default': '256MB',
      'alluxio.user.streaming.data.timeout': '300sec',
    }));
  test.each([
    [{ properties: { a: '$(id)' } }, 'spec.properties[a]'],
    [{ properties: { a: '`id`' } }, 'spec.properties[a]'],
    [{ properties: { 'a b': 'c' } }, 'spec.properties[a b]'],
    [{ worker: { jvmOptions: ['-Da="b"'] } }, 'spec.worker.jvmOptions[0]'],
  ])('that a shell would take for its own are refused: %j', (spec, message) =>
    expect(() => alluxio.bind(given({ spec }))).toThrow(message),
  );
});

describe('mounts', () => {
  const rows = (...mounts: readonly Mount[]) => planOf(given({ mounts })).mounts.rows;
  test('without a name are at /, and a name may have slashes, as in Fluid', () => {
    expect(propertiesOf(given({ mounts: [{ mountPoint: 's3://bucket/data', name: '' }] }))).toMatchObject({
      'alluxio.master.mount.table.root.ufs': 's3://bucket/data',
    });
    expect(rows({ ...bucket, name: '/a' }, { ...bucket, name: 'b/c' }).map(({ path }) => path)).toEqual(['/a', '/b/c']);
  });

  test('are at their path, or under their name', () =>
    expect(
      rows({ ...bucket, path: '/a//b/' }, { mountPoint: 'hdfs://h:9000/x', name: 'x', path: 'not-absolute' }).map(({ path }) => path),
    ).toEqual(['/a/b', '/x']));
  test('from nodes and claims are directories of masters and workers', () => {
    const input = given({
      mounts: [
        { mountPoint: 'local:///mnt/disk', name: 'disk', path: '/data' },
        { mountPoint: 'pvc://home/models/', name: 'models', readOnly: true },
      ],
    });
    expect(planOf(input).mounts.rows).toEqual([]);
    for (const [role, name] of [
      ['master', 'alluxio-master'],
      ['master', 'alluxio-job-master'],
      ['worker', 'alluxio-worker'],
      ['worker', 'alluxio-job-worker'],
    ] as const)
      expect(container(input, role, name).volumeMounts).toEqual(
        expect.arrayContaining([
          { name: 'disk', mountPath: '/underFSStorage/data' },
          { name: 'home', mountPath: '/underFSStorage/models', mountPropagation: 'HostToContainer', subPath: 'models', readOnly: true },
        ]),
      );
    expect(podOf(input, 'worker').volumes).toContainEqual({ name: 'disk', hostPath: { path: '/mnt/disk' } });
    expect(propertiesOf(input)['alluxio.master.mount.table.root.ufs']).toBe('/underFSStorage');
  });
  test('of a claim with dots in its name are of a volume without', () => {
    const input = given({ mounts: [{ mountPoint: 'pvc://home.of.eve', name: 'home' }] });
    expect(podOf(input, 'worker').volumes).toContainEqual({ name: 'home-of-eve', persistentVolumeClaim: { claimName: 'home.of.eve' } });
    expect(container(input, 'worker', 'alluxio-worker').volumeMounts).toContainEqual({
      name: 'home-of-eve',
      mountPath: '/underFSStorage/home',
      mountPropagation: 'HostToContainer',
    });
  });
  test('at / are what the master is started with', () => {
    const input = given({ mounts: [{ ...bucket, path: '/', readOnly: true, options: { 'alluxio.underfs.s3.region': 'eu' } }] });
    expect(planOf(input).mounts.rows).toEqual([]);
    expect(propertiesOf(input)).toMatchObject({
      'alluxio.master.mount.table.root.ufs': 's3://bucket/data',
      'alluxio.master.mount.table.root.readonly': 'true',
      'alluxio.underfs.s3.region': 'eu',
    });
  });
  test('are the same in whatever order their secrets are listed', () => {
    const [a, b] = [secret('a', 'first'), secret('b', 'second')];
    const rows = (first: typeof a, second: typeof b) =>
      planOf(given({ mounts: [{ ...bucket, encryptOptions: [first, second] }] })).mounts.rows;
    expect(rows(b, a)).toEqual(rows(a, b));
    expect(rows(b, a)[0]?.secrets.map(({ option }) => option)).toEqual(['a', 'b']);
  });
  test('have no secret in any manifest or command', () => {
    const input = given({
      mounts: [
        { ...bucket, encryptOptions: [secret('s3a.secretKey', 'key', 'minio')] },
        { ...bucket, path: '/', name: 'r', encryptOptions: [secret('k', 'root')] },
      ],
    });
    expect(alluxio.needs(input).secrets).toEqual([
      { name: 'minio', keys: ['key'] },
      { name: 's3', keys: ['root'] },
    ]);
    expect(container(input, 'master', 'alluxio-master').volumeMounts).toEqual(
      expect.arrayContaining([{ name: 'alluxio-mount-secret-minio', mountPath: '/etc/fluid/secrets/minio', readOnly: true }]),
    );
    expect(container(input, 'master', 'alluxio-master').command.slice(3)).toEqual([
      'master',
      '--secret',
      'alluxio.master.mount.table.root.option.k',
      '/etc/fluid/secrets/s3/root',
    ]);
  });
  test.each([
    [
      'no names',
      [
        { ...bucket, name: '' },
        { ...bucket, name: '/' },
      ],
      'spec.mounts[1].path: expected a path that no other mount has',
    ],
    ['a name that leads out', [{ ...bucket, name: '../x' }], 'spec.mounts[0].name'],
    ['no name and a directory of the node', [{ mountPoint: 'local:///a', name: '' }], 'spec.mounts[0].name'],
    ['two at one path', [bucket, { ...bucket, name: 'x', path: '/data' }], 'spec.mounts[1].path: expected a path that no other mount has'],
    ['no source', [{ mountPoint: 'bucket', name: 'a' }], 'spec.mounts[0].mountPoint: expected <scheme>://<address>'],
    ['a reference', [{ mountPoint: 'dataset://a/b', name: 'a' }], 'spec.mounts[0].mountPoint'],
    ['an option for a name', [{ ...bucket, options: { '--shared': '' } }], 'spec.mounts[0].options'],
    ['a command at the root', [{ ...bucket, path: '/', options: { k: '$(id)' } }], 'spec.mounts[0]: expected no blanks, quotation marks'],
    ['a property at the root', [{ ...bucket, path: '/', options: { k: 'v -Dother=1' } }], 'spec.mounts[0]: expected no blanks'],
    ['a source of a shell at the root', [{ ...bucket, path: '/', mountPoint: 's3://a`id`' }], 'spec.mounts[0]: expected no blanks'],
    ['a way out of a claim', [{ mountPoint: 'pvc://a/../b', name: 'a' }], 'without ".."'],
    [
      'a disk beside a root',
      [
        { ...bucket, path: '/' },
        { mountPoint: 'local:///a', name: 'a' },
      ],
      'expected nothing at /',
    ],
  ])('with %s are refused', (_, mounts, message) => {
    expect(() => alluxio.bind(given({ mounts }))).toThrow(message);
    expect(() => alluxio.bind(given({ mounts }))).toThrow('Dataset ml/demo');
  });
});

describe('the client', () => {
  const args = (spec: AlluxioRuntimeSpec, dataset = {}) => container(given({ spec, dataset }), 'fuse', 'alluxio-fuse').args;

  test('is called as its version wants it', () => {
    expect(args({ fuse: { imageTag: '2.8.0' } }).slice(2)).toEqual(['/runtime-mnt/alluxio/ml/demo/alluxio-fuse', '/']);
    expect(args({ fuse: { imageTag: '2.3.0-SNAPSHOT-2c41226' } })).toHaveLength(2);
    expect(container(given({ spec: { fuse: { imageTag: '2.7.3' } } }), 'fuse', 'alluxio-fuse').env).toContainEqual({
      name: 'MOUNT_POINT',
      value: '/runtime-mnt/alluxio/ml/demo/alluxio-fuse',
    });
  });
  test('writes where the Dataset may be written', () =>
    expect(args({}, { accessModes: ['ReadWriteMany'] })[1]).toBe('--fuse-opts=kernel_cache,rw,allow_other'));
  test('of libfuse 2 has other words for it', () =>
    expect(args({ properties: { 'alluxio.fuse.jnifuse.libfuse.version': '2' } })[1]).toContain('max_read=131072'));
  test('has the memory of the cache beside its own', () =>
    expect(
      container(
        given({
          spec: {
            fuse: { resources: { limits: { memory: '4Gi' } } },
            tieredstore: { levels: [level({ mediumtype: 'MEM', quota: '2Gi' })] },
          },
        }),
        'fuse',
        'alluxio-fuse',
      ).resources.limits,
    ).toEqual({ memory: '6Gi' }));
});

test('Hadoop gets the files that the ConfigMap has', () => {
  const spec = { hadoopConfig: 'hadoop' };
  expect(alluxio.needs(given({ spec })).configMaps).toEqual(['hadoop']);
  const input = given({ spec, facts: { configMaps: { hadoop: ['core-site.xml', 'log4j'] } } });
  expect(propertiesOf(input)['alluxio.underfs.hdfs.configuration']).toBe('/hdfs-config/core-site.xml');
  expect(() => alluxio.bind(given({ spec }))).toThrow('spec.hadoopConfig: expected a ConfigMap with hdfs-site.xml, core-site.xml or both');
});

describe('a UNIX domain socket', () => {
  const ADDRESS = 'alluxio.worker.data.server.domain.socket.address';
  const AS_UUID = 'alluxio.worker.data.server.domain.socket.as.uuid';
  const at = (address: string, more: AlluxioRuntimeSpec = {}) =>
    given({ spec: { ...more, properties: { [ADDRESS]: address, [AS_UUID]: 'true' } } });
  const mounted = (input: ReturnType<typeof given>) => ({
    worker: container(input, 'worker', 'alluxio-worker').volumeMounts?.filter(({ mountPath }) => mountPath.startsWith('/opt')),
    fuse: container(input, 'fuse', 'alluxio-fuse').volumeMounts?.filter(({ mountPath }) => mountPath.startsWith('/opt')),
  });

  test.each([
    ['of a directory', at('/opt/domain/')],
    ['of one path', given({ spec: { worker: { properties: { [ADDRESS]: '/opt/domain/socket' } } } })],
  ])('%s is in a directory of the node that worker and client have, and no other runtime', (_, input) => {
    const mount = { name: 'alluxio-domain', mountPath: '/opt/domain' };
    expect(mounted(input)).toEqual({ worker: [mount], fuse: [mount] });
    for (const role of ['worker', 'fuse'] as const)
      expect(podOf(input, role).volumes).toContainEqual({
        name: 'alluxio-domain',
        hostPath: { path: '/opt/domain/ml/demo', type: 'DirectoryOrCreate' },
      });
    expect(alluxio.bind(input).cleanup?.commands(undefined)[0]?.argv.at(-1)).toBe('/opt/domain');
  });
  test('can be used although the cache is an empty directory', () =>
    expect(mounted(at('/opt/domain', { tieredstore: { levels: [level({ volumeType: 'emptyDir' })] } })).fuse).toHaveLength(1));
  test('is where the volumes of the user are', () => {
    const volumeMounts = [{ name: 'v', mountPath: '/opt/' }];
    const input = at('/opt/domain', {
      volumes: [{ name: 'v', hostPath: { path: '/sockets' } }],
      worker: { volumeMounts },
      fuse: { volumeMounts },
    });
    expect(mounted(input)).toEqual({ worker: volumeMounts, fuse: volumeMounts });
  });
  test.each<[string, ReturnType<typeof given>, string]>([
    [
      'at the root',
      given({ spec: { properties: { [ADDRESS]: '/socket' } } }),
      'expected a path in a directory that worker and client mount',
    ],
    ['at a path that is not absolute', at('opt'), 'expected an absolute path'],
    ['with a variable in its path', at('/opt/${HOME}'), 'expected a directory that worker and client mount'],
    [
      'at a path that Linux does not take',
      at(`/opt/${'x'.repeat(70)}`),
      'expected at most 107 characters in the path of the socket, found 112',
    ],
    [
      'that only workers would see',
      at('/opt/domain', { volumes: [{ name: 'v', emptyDir: {} }], worker: { volumeMounts: [{ name: 'v', mountPath: '/opt/domain' }] } }),
      'in spec.worker.volumeMounts and spec.fuse.volumeMounts, or in neither',
    ],
  ])('%s is refused', (_, input, message) => {
    expect(() => alluxio.bind(input)).toThrow(message);
    expect(() => alluxio.bind(input)).toThrow(`properties[${ADDRESS}]`);
  });
});

describe('a user that is not root', () => {
  const runAs = { uid: 1000, gid: 1001, user: 'ru', group: 'rg' };
  const initOf = (spec: AlluxioRuntimeSpec, role: 'worker' | 'fuse') => podOf(given({ spec: { runAs, ...spec } }), role).initContainers;

  test('has a name in each container, which the image need not know', () => {
    const input = given({ spec: { runAs, apiGateway: { enabled: true } } });
    const config = alluxio
      .bind(input)
      .synth('master')
      .find(({ metadata }) => metadata.name === 'demo-users');
    expect(config?.['data']).toEqual({
      passwd: 'root:x:0:0:root:/root:/bin/bash\nru:x:1000:1001::/tmp:/bin/bash\n',
      group: 'root:x:0:\nrg:x:1001:\n',
    });
    for (const role of ['master', 'worker', 'fuse'] as const) {
      expect(podOf(input, role).volumes?.filter(({ name }) => name === 'alluxio-users')).toHaveLength(1);
      for (const { name, volumeMounts = [] } of podOf(input, role).containers)
        expect(
          volumeMounts.filter(({ mountPath }) => /^\/etc\/(passwd|group)$/.test(mountPath)),
          name,
        ).toHaveLength(2);
    }
    expect(propertiesOf(input)['alluxio.master.metastore.dir']).toBe('/journal/metastore');
    expect(
      alluxio
        .bind(given())
        .synth('master')
        .map(({ metadata }) => metadata.name),
    ).not.toContain('demo-users');
    expect(propertiesOf(given())).not.toHaveProperty(['alluxio.master.metastore.dir']);
  });
  test.each(['$(id)', 'a:b', 'a\nb:x:0:0', ''])('cannot have the name %j', (text) => {
    expect(() => alluxio.bind(given({ spec: { runAs: { ...runAs, user: text } } }))).toThrow('spec.runAs.user: expected a name of letters');
    expect(() => alluxio.bind(given({ spec: { runAs: { ...runAs, group: text } } }))).toThrow(
      'spec.runAs.group: expected a name of letters',
    );
  });
  test('owns the directories of nodes before its programs start', () => {
    const tieredstore = {
      levels: [level({ path: '/mnt/a,/mnt/b' }), level({ mediumtype: 'MEM' as const, path: '/dev/shm', volumeType: 'emptyDir' as const })],
    };
    expect(initOf({ tieredstore }, 'worker')).toMatchObject([
      {
        name: 'init-users',
        image: 'alluxio/alluxio-dev:2.9.0',
        command: ['chown', '-R', '1000:1001', '/mnt/a/ml/demo', '/mnt/b/ml/demo'],
        securityContext: { runAsUser: 0, runAsGroup: 0 },
        volumeMounts: [{ mountPath: '/mnt/a/ml/demo' }, { mountPath: '/mnt/b/ml/demo' }],
      },
    ]);
    expect(initOf({ tieredstore }, 'fuse')).toMatchObject([
      {
        name: 'init-fuse',
        command: ['chown', '1000:1001', '/runtime-mnt/alluxio/ml/demo'],
        volumeMounts: [{ name: 'alluxio-fuse-mount', mountPath: '/runtime-mnt/alluxio/ml/demo' }],
      },
    ]);
  });
  test('has a container for that which follows the spec, and none where root or an empty directory needs none', () => {
    const initUsers = { imageTag: 'v1', imagePullPolicy: 'Always', env: { A: '1' }, resources: { limits: { cpu: '1' } } };
    expect(initOf({ initUsers }, 'fuse')).toMatchObject([
      {
        image: 'alluxio/alluxio-dev:v1',
        imagePullPolicy: 'Always',
        env: [{ name: 'A', value: '1' }],
        resources: { limits: { cpu: '1' } },
      },
    ]);
    expect(initOf({}, 'worker')).toBeUndefined();
    expect(initOf({ runAs: { ...runAs, uid: 0 } }, 'fuse')).toBeUndefined();
  });
});

describe('several masters', () => {
  const several = (spec: AlluxioRuntimeSpec = {}, count = 3) => given({ spec: { ...spec, master: { replicas: count, ...spec.master } } });

  test('write one journal, and are found by the names of their Services', () => {
    expect(propertiesOf(several())).toMatchObject({
      'alluxio.master.journal.type': 'EMBEDDED',
      'alluxio.master.embedded.journal.addresses': 'demo-master-0:20011,demo-master-1:20011,demo-master-2:20011',
      'alluxio.master.embedded.journal.port': '20011',
      'alluxio.job.master.embedded.journal.port': '20012',
    });
    expect(propertiesOf(several())).not.toHaveProperty(['alluxio.master.hostname']);
    const services = alluxio
      .bind(several())
      .synth('master')
      .filter(({ kind }) => kind === 'Service');
    expect(services.map(({ metadata }) => metadata.name)).toEqual(['demo-master-0', 'demo-master-1', 'demo-master-2']);
    for (const { spec, metadata } of services as unknown as readonly { spec: object; metadata: { name: string } }[])
      expect(spec).toMatchObject({
        selector: { 'statefulset.kubernetes.io/pod-name': metadata.name },
        ports: expect.arrayContaining([expect.objectContaining({ name: 'embedded', port: 20011 })]) as unknown,
      });
  });
  test.each(['alluxio-master', 'alluxio-job-master'])('are known to %s by the name of its pod', (name) =>
    expect(container(several(), 'master', name).env).toContainEqual({
      name: 'ALLUXIO_MASTER_HOSTNAME',
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
    }),
  );
  test('are ready once they take part in elections, since those that do not lead serve no page', () =>
    expect(container(several(), 'master', 'alluxio-master').readinessProbe).toMatchObject({ tcpSocket: { port: 'embedded' } }));
  test('have the usual ports of journals where every pod has its own address', () => {
    const network = { networkMode: 'ContainerNetwork' } as const;
    const input = given({ facts: { ports: {} }, spec: { master: { replicas: 3, ...network }, worker: network } });
    expect(planOf(input).ports).toMatchObject({ masterJournal: 19200, jobMasterJournal: 20003 });
  });
  test('have the ports of journals that the spec says', () =>
    expect(
      planOf(several({ master: { ports: { embeddedJournal: 7000 } }, jobMaster: { ports: { embeddedJournal: 7001 } } })).ports,
    ).toMatchObject({
      masterJournal: 7000,
      jobMasterJournal: 7001,
    }));
  test('are all among the addresses of the status', () =>
    expect(alluxio.bind(several({ apiGateway: { enabled: true } })).status({ readyWorkers: 0 })).toMatchObject({
      hcfs: { endpoint: 'alluxio://demo-master-0.ml:20001,demo-master-1.ml:20001,demo-master-2.ml:20001' },
      apiGateway: { endpoint: 'demo-master-0.ml:20010' },
    }));
  test('get commands that change something at the one that leads; any of them can be asked', () => {
    const { mounts, probes, leader } = alluxio.bind(several());
    const where = (commands: readonly { readonly on: string }[] = []) => commands.map(({ on }) => on);
    expect(where(mounts?.list.commands)).toEqual(['leader']);
    expect(where(mounts?.change({ unmount: ['/a'], mount: [] }))).toEqual(['leader', 'every']);
    expect(where([...(probes.cache?.commands ?? []), ...(probes.ufs?.commands ?? []), ...(leader?.commands ?? [])])).toEqual([
      'one',
      'one',
      'one',
    ]);
  });
  test.each<[string, AlluxioRuntimeSpec, string]>([
    ['ten', { master: { replicas: 10 } }, 'spec.master.replicas: expected 1 to 9, found 10'],
    [
      'a journal for each',
      { properties: { 'alluxio.master.journal.type': 'UFS' } },
      'spec.properties[alluxio.master.journal.type]: expected EMBEDDED',
    ],
    [
      'pages of all',
      { master: { properties: { 'alluxio.standby.master.web.enabled': 'true' } } },
      'spec.master.properties[alluxio.standby.master.web.enabled]: expected false',
    ],
  ])('with %s are refused', (_, spec, message) => expect(() => alluxio.bind(several(spec))).toThrow(message));
  test.each([
    [1, 3],
    [3, 1],
  ])('are as many as masters exist: with %d of them, %d are refused', (masters, count) => {
    const input = (replicas: number) => given({ spec: { master: { replicas } }, facts: { masters } });
    expect(() => alluxio.bind(input(count))).toThrow(
      `spec.master.replicas: expected ${masters}, as it was set up; for another number delete`,
    );
    expect(() => alluxio.bind(input(masters))).not.toThrow();
  });
  test('cannot all be on the node that has a backup, if they have ports of nodes', () => {
    const dataset = { dataRestoreLocation: { path: 'local:///backup', nodeName: 'node-a' } };
    const master = { replicas: 3 };
    expect(() => alluxio.bind(given({ dataset, spec: { master } }))).toThrow('spec.dataRestoreLocation.path: expected pvc://');
    expect(() => alluxio.bind(given({ dataset, spec: { master: { ...master, networkMode: 'ContainerNetwork' } } }))).not.toThrow();
  });
});

test('masters and workers are ready when their web ports answer, which are the last', () => {
  const probes = [container(given(), 'master', 'alluxio-master'), container(given(), 'worker', 'alluxio-worker')];
  for (const { name, readinessProbe } of probes)
    expect(readinessProbe, name).toMatchObject({ httpGet: { port: 'web', path: `/api/v1/${name.replace('alluxio-', '')}/webui_init` } });
});

test('a master has its name before it is ready, when its commands look for it', () => {
  const service = alluxio
    .bind(given())
    .synth('master')
    .find(({ kind }) => kind === 'Service');
  expect(service?.['spec']).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
});
