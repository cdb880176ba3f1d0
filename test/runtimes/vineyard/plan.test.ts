import { describe, expect, test } from 'vitest';
import vineyard from '../../../runtimes/vineyard/index.ts';
import { container, envOf, flag, given, made, memory, planOf, podNetwork, podOf, workload } from './given.ts';

const levelOf = (level: object) => given({ spec: { tieredstore: { levels: [{ mediumtype: 'MEM', ...level }] } } });

describe('etcd', () => {
  test('is one member, or as many as the spec says, which know each other', () => {
    const { command } = container(given({ spec: { master: { replicas: 3 } } }), 'master');
    expect(planOf(given()).replicas.master).toBe(1);
    expect(command.find((each) => each.startsWith('--initial-cluster='))).toBe(
      `--initial-cluster=${[0, 1, 2].map((i) => `demo-master-${i}=http://demo-master-${i}.demo-master.ml:32002`).join()}`,
    );
  });
  test('keeps its number of members, since it takes none that it was not told of', () => {
    const asked = (replicas: number) => given({ facts: { masters: 1 }, spec: { master: { replicas } } });
    expect(planOf(asked(1)).replicas.master).toBe(1);
    expect(() => planOf(asked(3))).toThrow('spec.master.replicas: expected 1, as it was set up');
  });
  test('keeps its data in a volume of the user, each member in a directory of its own', () => {
    const input = given({
      spec: {
        volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }],
        master: { volumeMounts: [{ name: 'disk', mountPath: '/etcd-data/' }] },
      },
    });
    expect(podOf(input, 'master').volumes).toEqual([{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }]);
    expect(podOf(input, 'master').securityContext).toEqual({ fsGroup: 1001 });
    expect(container(input, 'master').command.at(-1)).toBe('--data-dir=/etcd-data/$(POD_NAME)');
  });
  test('does without a volume of the user that has another use', () => {
    const input = given({
      spec: { volumes: [{ name: 'ca', configMap: { name: 'ca' } }], master: { volumeMounts: [{ name: 'ca', mountPath: '/ca' }] } },
    });
    expect(podOf(input, 'master').volumes?.map(({ name }) => name)).toEqual(['etcd-data', 'ca']);
    expect(container(input, 'master').command.at(-1)).toBe('--data-dir=/etcd-data');
  });
});

describe('an etcd that exists', () => {
  const external = (uri: string, masters?: number) =>
    given({ spec: { master: { endpoint: { uri } } }, facts: { ports: { rpc: 32003 }, ...(masters !== undefined && { masters }) } });

  test('is in place of masters, for workers and clients', () => {
    const uri = 'http://etcd-0.etcd:2379,https://10.0.0.7:2379';
    expect(made(external(uri), 'master')).toEqual([]);
    expect(vineyard.needs(external(uri)).ports?.map(({ name }) => name)).toEqual(['rpc']);
    expect(flag(external(uri), '--etcd_endpoint')).toBe(uri);
    expect(envOf(external(uri), 'fuse')['ETCD_ENDPOINT']).toBe(uri);
  });
  test('does not take the place of masters that keep the objects of a live runtime', () => {
    expect(planOf(external('http://etcd:2379', 1)).replicas.master).toBe(1);
    expect(flag(external('http://etcd:2379', 1), '--etcd_endpoint')).toMatch(/^http:\/\/demo-master-0/);
  });
  test.each([
    'http://user:secret@etcd:2379',
    'etcd:2379',
    'http://etcd:2379, http://b:2379',
    'http://$(HOME):2379',
    'http://etcd:2379,',
    'http://etcd',
    'http://etcd:2379/',
    'http://etcd:65536',
    'http://etcd:0',
    'http://:::2379',
    'http://etcd:2379?password=secret',
  ])('%s is refused, once', (uri) => {
    expect(() => planOf(external(uri))).toThrow(/^spec\.master\.endpoint\.uri: expected addresses(?!.*uri: expected)/);
  });
  test('may have the last of all ports', () => expect(flag(external('http://etcd:65535'), '--etcd_endpoint')).toBe('http://etcd:65535'));
  test('may have an address of IPv6', () =>
    expect(flag(external('http://[fd00::1]:2379'), '--etcd_endpoint')).toBe('http://[fd00::1]:2379'));
  test('a password in its address is in no error', () =>
    expect(() => planOf(external('http://user:secret@etcd:2379'))).toThrow('found "http://…@etcd:2379"'));
});

describe('ports', () => {
  const said = { client: 12379, peer: 12380 };
  test('of the node are those that were allocated', () => {
    const input = given({ spec: { master: { ports: said } } });
    expect(container(input, 'master').ports?.map(({ containerPort }) => containerPort)).toEqual([32001, 32002]);
    expect(flag(input, '--rpc_socket_port')).toBe('32003');
  });
  test('on the network of pods are those of the spec, or Vineyard’s own', () => {
    const input = given({ facts: { ports: {} }, spec: { master: { ...podNetwork, ports: said }, worker: podNetwork } });
    expect(container(input, 'master').ports?.map(({ containerPort }) => containerPort)).toEqual([12379, 12380]);
    expect(flag(input, '--rpc_socket_port')).toBe('9600');
    expect(vineyard.needs(input).ports).toEqual([]);
  });
  test('come from the range of the installation', () =>
    expect(vineyard.needs(given({ settings: { portRanges: { vineyard: [40000, 40010] } } })).ports?.[0]?.range).toEqual([40000, 40010]));
  test.each([
    [{ client: 1234, peer: 1234 }, 1234],
    [{ client: 2380 }, 2380],
  ])('%j, of which etcd would have one twice, is refused', (ports, port) =>
    expect(() => planOf(given({ spec: { master: { ...podNetwork, ports } } }))).toThrow(
      `spec.master.ports.peer: expected another port than that of clients, ${port}, found ${port}`,
    ),
  );
  test('that no program can have are refused', () =>
    expect(() => planOf(given({ spec: { worker: { ...podNetwork, ports: { rpc: 70000 } } } }))).toThrow('spec.worker.ports.rpc'));
});

describe('memory', () => {
  test.each([
    ['2Gi', '2Gi', '2548Mi'],
    ['1536Mi', '1536Mi', '2036Mi'],
    ['1e9', '1000000000', '1454Mi'],
    ['0.5Gi', '512Mi', '1012Mi'],
  ])('%s is the size of a worker, which requests 500Mi more', (quota, size, needed) => {
    expect(flag(levelOf({ quota }), '--size')).toBe(size);
    expect(container(levelOf({ quota }), 'worker').resources).toEqual({ requests: { memory: needed }, limits: { memory: needed } });
  });
  test('a list of quotas is added up', () =>
    expect(flag(levelOf({ path: '/a,/b', quotaList: '1Gi,1Gi' }), '--size')).toBe(String(2 * 1024 ** 3)));
  test('a request or a limit that suffices stays; one that does not is raised', () => {
    const resources = (memory: string) =>
      container(given({ spec: { worker: { resources: { requests: { cpu: '1', memory: '4Gi' }, limits: { memory } } } } }), 'worker')
        .resources;
    expect(resources('1Gi')).toEqual({ requests: { cpu: '1', memory: '4Gi' }, limits: { memory: '4Gi' } });
    expect(resources('8Gi')).toEqual({ requests: { cpu: '1', memory: '4Gi' }, limits: { memory: '8Gi' } });
  });
  test.each([
    [{ tieredstore: {} }, 'spec.tieredstore.levels: expected a level with mediumtype MEM'],
    [{ tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/a', quota: '1Gi' }] } }, 'a level with mediumtype MEM'],
    [{ tieredstore: { levels: [{ mediumtype: 'MEM' as const }] } }, 'spec.tieredstore.levels[0].quota'],
    [{ tieredstore: { levels: [{ mediumtype: 'MEM' as const, quota: '1Ki' }] } }, 'more than 2Ki'],
  ])('%j is refused', (spec, message) => expect(() => planOf(given({ spec }))).toThrow(message));
});

describe('a level of disks', () => {
  const spill = (level: object, high?: string) =>
    given({
      spec: {
        tieredstore: {
          levels: [
            { ...memory.levels[0]!, ...(high && { high }) },
            { mediumtype: 'SSD', path: '/mnt/a/', ...level },
          ],
        },
      },
    });
  const REMOVE = ['sh', '-c', '! test -d "$1" || find "$1" -mindepth 1 -delete', 'sh'];
  test('takes what does not fit in memory, in a directory of this runtime alone', () => {
    expect(flag(spill({}), '--spill_path')).toBe('/mnt/a/ml/demo');
    expect(podOf(spill({}), 'worker').volumes).toContainEqual({
      name: 'vineyard-spill',
      hostPath: { path: '/mnt/a/ml/demo', type: 'DirectoryOrCreate' },
    });
    expect(vineyard.bind(spill({})).cleanup?.commands(undefined)).toEqual([
      { in: 'worker', on: 'every', argv: [...REMOVE, '/mnt/a/ml/demo'], timeoutSeconds: 60 },
    ]);
  });
  test('has the path that is mounted, whatever the kubelet would make of its text', () => {
    const input = spill({ path: '/a $(MY_POD_NAME)' });
    expect(flag(input, '--spill_path')).toBe('/a $$(MY_POD_NAME)/ml/demo');
    expect(container(input, 'worker').volumeMounts).toContainEqual({ name: 'vineyard-spill', mountPath: '/a $(MY_POD_NAME)/ml/demo' });
  });
  test('an emptyDir ends with its pod, and needs no cleaning', () => {
    const input = spill({ volumeType: 'emptyDir', quota: '1Gi' });
    expect(podOf(input, 'worker').volumes).toContainEqual({ name: 'vineyard-spill', emptyDir: { sizeLimit: '1Gi' } });
    expect(vineyard.bind(input).cleanup?.commands(undefined)).toEqual([]);
  });
  test('watermarks are those of the memory, else those of the level, else those of Vineyard', () => {
    expect([flag(spill({}), '--spill_upper_rate'), flag(spill({}), '--spill_lower_rate')]).toEqual(['0.8', '0.3']);
    expect(flag(spill({ high: '0.7' }), '--spill_upper_rate')).toBe('0.7');
    expect(flag(spill({ high: '0.7' }, '0.9'), '--spill_upper_rate')).toBe('0.9');
  });
  test('counts in the size labels of nodes', () =>
    expect(planOf(spill({ quota: '10Gi' })).cacheOnNode).toEqual({ memory: 2 * 1024 ** 3, disk: 10 * 1024 ** 3 }));
  test.each([
    [{ high: '80' }, 'levels[1].high: expected a ratio'],
    [{ low: '0.9' }, 'levels[1].low: expected less than high'],
    [{ path: '/' }, 'one directory below /'],
    [{ path: '/a,/b' }, 'one directory below /'],
    [{ path: '/a/../b' }, 'an absolute path without ".."'],
  ])('%j is refused', (level, message) => expect(() => planOf(spill(level))).toThrow(message));
});

describe('options', () => {
  test('of workers have effect', () => {
    const options = { 'vineyardd.reserve.memory': 'false', 'etcd.prefix': '/$(HOME)', 'wait.etcd.timeout': '60' };
    const input = given({ spec: { worker: { options } } });
    expect(container(input, 'worker').command).not.toContain('--reserve_memory');
    // The kubelet makes /$(HOME) of it.
    expect(flag(input, '--etcd_prefix')).toBe('/$$(HOME)');
    expect(flag(input, '--meta_timeout')).toBe('60');
    expect(envOf(input, 'fuse')['ETCD_PREFIX']).toBe('/$$(HOME)');
  });
  test.each([
    [{ 'vineyardd.reserve.memory': 'yes' }, 'expected true or false'],
    [{ 'wait.etcd.timeout': '2m' }, 'expected a number of seconds'],
  ])('%j is refused', (options, message) => expect(() => planOf(given({ spec: { worker: { options } } }))).toThrow(message));
  test('of the client are its variables in capitals; a variable of the user wins', () => {
    const env = envOf(given({ spec: { fuse: { options: { size: '1Gi', spill_path: '/x' }, env: { SIZE: '2Gi' } } } }), 'fuse');
    expect(env).toMatchObject({ SIZE: '2Gi', SPILL_PATH: '/x', ETCD_ENDPOINT: 'http://demo-master-0.demo-master.ml:32001' });
  });
  test('no variable is there twice', () => {
    const names = container(given({ spec: { fuse: { options: { mount_dir: '/x' }, env: { FUSE_DIR: '/y' } } } }), 'fuse').env.map(
      ({ name }) => name,
    );
    expect(names.length).toBe(new Set(names).size);
  });
  test('that no variable can have as its name are refused, without their values', () =>
    expect(() => planOf(given({ spec: { fuse: { options: { 'a=b': 'secret' } } } }))).toThrow(
      /spec\.fuse\.options: expected names that a variable can have, found "a=b"$/,
    ));
  test('that would be one variable are refused: which counts would depend on their order', () =>
    expect(() => planOf(given({ spec: { fuse: { options: { size: '1Gi', SIZE: '2Gi' } } } }))).toThrow(
      'spec.fuse.options[SIZE]: expected one option for the variable SIZE, which size is, too',
    ));
});

test('the volume is linked, with labels of the user beside; a user may say otherwise', () => {
  const said = (labels: object) =>
    planOf(
      given({
        annotations: { 'data.fluid.io/metadataList': JSON.stringify([{ selector: { kind: 'PersistentVolume' }, labels }]) },
      }),
    ).volume;
  expect(said({ team: 'ml' }).metadata.volume.labels).toEqual({ team: 'ml', 'fluid.io/node-publish-method': 'symlink' });
  expect(said({}).attributes).toMatchObject({ node_publish_method: 'symlink', mount_type: 'vineyard-fuse' });
  expect(said({ 'fluid.io/node-publish-method': 'bind' }).attributes).not.toHaveProperty('node_publish_method');
});
test('addresses of workers follow the number of workers, and clients see them at once', () => {
  expect(planOf(given({ spec: { replicas: 1 } })).addresses).toBe('demo-worker-0.demo-worker.ml:32003');
  expect(planOf(given({ spec: { replicas: 3 } })).addresses.split(',')).toHaveLength(3);
  expect(planOf(given()).config).toEqual({ name: 'demo-rpc-conf', roles: ['fuse'] });
  expect(workload(given({ spec: { replicas: 3 } }), 'fuse')).toEqual(workload(given(), 'fuse'));
});
test.each([
  [{ replicas: 2_000_000_000 }, 'spec.replicas: expected 0 to 5000'],
  [{ master: { replicas: 2_000_000_000 } }, 'spec.master.replicas: expected at most 31'],
])('%j, of each of which there would be an address, is refused', (spec, message) => expect(() => planOf(given({ spec }))).toThrow(message));
test.each([
  [{}, ['client', 'peer', 'rpc']],
  [{ master: podNetwork }, ['rpc']],
  [{ worker: podNetwork }, ['client', 'peer']],
  [{ master: { endpoint: { uri: 'http://etcd.example:2379' } } }, ['rpc']],
] as const)('%j needs %j of the node', (spec, names) =>
  expect((vineyard.needs(given({ spec })).ports ?? []).map(({ name }) => name).toSorted()).toEqual(names),
);

test('cacheStates has the memory of the workers that are ready', () =>
  expect(vineyard.bind(given()).status({ readyWorkers: 2 })).toEqual({
    cacheStates: { cacheCapacity: '4.00GiB' },
    datasetCacheStates: { cacheCapacity: '4.00GiB' },
  }));
test.each(['MASTER', 'WORKER', 'FUSE'] as const)('VINEYARD_%s_IMAGE_ENV is the default image', (part) => {
  const input = given({ settings: { env: { [`VINEYARD_${part}_IMAGE_ENV`]: 'example.io/v6d:9' } } });
  expect(container(input, part.toLowerCase() as 'master').image).toBe('example.io/v6d:9');
  expect(vineyard.env).toContain(`VINEYARD_${part}_IMAGE_ENV`);
});
test('volumes of the user that would take the place of Vineyard’s are refused', () => {
  const input = given({
    spec: {
      volumes: [{ name: 'vineyard-socket-volume', emptyDir: {} }],
      worker: { volumeMounts: [{ name: 'vineyard-socket-volume', mountPath: '/x' }] },
    },
  });
  expect(() => planOf(input)).toThrow("spec.worker.volumeMounts[0].name: expected another name than those of Vineyard's volumes");
});
test.each([
  ['worker', '/var/run/vineyard/', 'spec.worker.volumeMounts[0].mountPath: expected another place than those of Vineyard'],
  ['worker', '/mnt/ml/demo', 'spec.worker.volumeMounts[0].mountPath: expected another place than those of Vineyard'],
] as const)('a volume of the user for a %s at %s, where one of Vineyard’s is, is refused', (role, mountPath, message) => {
  const input = given({
    spec: {
      volumes: [{ name: 'v', emptyDir: {} }],
      [role]: { volumeMounts: [{ name: 'v', mountPath }] },
      tieredstore: { levels: [...memory.levels, { mediumtype: 'SSD', path: '/mnt' }] },
    },
  });
  expect(() => planOf(input)).toThrow(message);
});
test('the operations are those of every runtime', () => expect(Object.keys(vineyard.bind(given()).operations)).toEqual(['DataProcess']));
