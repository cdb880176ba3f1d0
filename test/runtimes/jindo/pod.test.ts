/** Jindo's pods for a spec. */
import { describe, expect, test } from 'vitest';
import type { JindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import { bucket, container, envOf, fsx, given, keys, made, podOf, templateOf } from './given.ts';

const ROLES = ['master', 'worker', 'fuse'] as const;
const set = (spec: JindoRuntimeSpec, env: Record<string, string> = {}) => given({ spec, settings: { env } });

describe('clients', () => {
  const args = (input: ReturnType<typeof given>) => container(input, 'fuse').args;
  test('that may write keep no metadata', () =>
    expect(args(given({ dataset: { accessModes: ['ReadWriteMany'] } }))).toEqual([
      '-oauto_cache',
      '-oattr_timeout=0',
      '-oentry_timeout=0',
      '-onegative_timeout=0',
      '-ono_symlink',
      '-ometrics_port=0',
    ]));
  test('alone read the first source', () => {
    const input = set({ master: { disabled: true }, worker: { disabled: true } });
    expect(args(input)).toContain('-ouri=oss://bucket/data');
    const own = set({ master: { disabled: true }, worker: { disabled: true }, fuse: { args: ['-ouri=oss://own/'] } });
    expect(args(own).filter((arg) => arg.startsWith('-ouri='))).toEqual(['-ouri=oss://own/']);
    expect(envOf(container(input, 'fuse'))).toMatchObject({ FLUID_FUSE_MODE: 'fuseOnly', FLUID_FUSE_MOUNTPOINT: '/jfs/jindofs-fuse' });
    expect(made(input).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'ConfigMap/demo-jindofs-config',
      'DaemonSet/demo-jindofs-fuse',
    ]);
  });
  test("a user's arguments replace the default ones, and reach Jindo as they were written", () =>
    expect(args(set({ fuse: { args: ['-oro', '-ox=$(POD)'] } }))).toEqual(['-oro', '-ox=$$(POD)', '-ometrics_port=0']));
  test.each([
    [{}, [], '-ometrics_port=0'],
    [{ metrics: { enabled: true } }, [{ name: 'jindo-metrics', containerPort: 18004, protocol: 'TCP' }], '-ometrics_port=18004'],
    [
      { metrics: { enabled: true }, args: ['-ometrics_port=7'] },
      [{ name: 'jindo-metrics', containerPort: 7, protocol: 'TCP' }],
      '-ometrics_port=7',
    ],
  ])('metrics: %j', (fuse, ports, arg) => {
    const client = container(set({ fuse }), 'fuse');
    expect(client.ports ?? []).toEqual(ports);
    expect(client.args).toContain(arg);
  });
  test.each([
    ['All', true],
    ['MountPod,Sidecar', true],
    ['Sidecar', false],
    ['None', false],
    [undefined, false],
  ])('Prometheus reads them if the target is %s: %s', (scrapeTarget, isScraped) => {
    const metrics = { enabled: true, ...(scrapeTarget !== undefined && { scrapeTarget }) };
    const { annotations } = templateOf(set({ fuse: { metrics } }), 'fuse').metadata;
    expect(annotations['prometheus.fuse.fluid.io/scrape']).toBe(isScraped ? 'true' : undefined);
  });
  test('of JindoFSx have no metrics and no flag of JindoCache', () => {
    const client = container(fsx({ spec: { fuse: { metrics: { enabled: true } } } }), 'fuse');
    expect(client.ports ?? []).toEqual([]);
    expect(client.args).not.toContain('-ono_symlink');
  });
});

describe('what the installation says', () => {
  test('a server of names is that of all pods', () => {
    for (const role of ROLES)
      expect(podOf(set({}, { JINDO_DNS_SERVER_ENV: '10.0.0.53' }), role)).toMatchObject({
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['10.0.0.53'], searches: expect.arrayContaining(['ml.svc.cluster.local']) },
      });
    expect(podOf(set({}, { JINDO_DNS_SERVER_ENV: '1.1.1.1' }), 'master').dnsPolicy).toBe('ClusterFirstWithHostNet');
  });
  test('ports of a master are looked at before it starts', () => {
    const [check] =
      podOf(set({ master: { replicas: 3 } }, { INIT_PORT_CHECK_ENABLED: 'true', DEFAULT_INIT_IMAGE_ENV: 'example.io/init:1' }), 'master')
        .initContainers ?? [];
    expect(check).toMatchObject({
      image: 'example.io/init:1',
      args: ['check_port'],
      env: [{ name: 'PORTS_TO_CHECK', value: '18001:18002' }],
    });
    expect(podOf(set({ networkmode: 'ContainerNetwork' }, { INIT_PORT_CHECK_ENABLED: 'true' }), 'master').initContainers).toBeUndefined();
  });
  test.each([
    ['101Gi', {}, { memory: '30Gi' }],
    ['100Gi', {}, undefined],
    ['101Gi', { limits: { memory: '1Gi' } }, undefined],
  ])('memory of a master beside a cache of %s, with %j', (quota, resources, requests) => {
    const levels = [{ mediumtype: 'SSD' as const, path: '/a', quota }];
    const input = set({ tieredstore: { levels }, master: { resources } }, { USE_DEFAULT_MEM_LIMIT: 'true' });
    expect(container(input, 'master').resources.requests).toEqual(requests);
  });
});

describe('labels', () => {
  test.each<[string, JindoRuntimeSpec]>([
    ['spec.labels', { labels: { a: '1' }, podMetadata: { labels: { b: '2' } } }],
    ['spec.worker.labels', { worker: { labels: { a: '1' }, podMetadata: { labels: { b: '2' } } } }],
  ])('%s beside those of podMetadata are refused', (path, spec) => expect(() => made(set(spec))).toThrow(path));
  test('of the runtime and of the component: the component wins', () =>
    expect(
      templateOf(set({ labels: { a: '1', b: '1' }, worker: { podMetadata: { labels: { b: '2' } } } }), 'worker').metadata.labels,
    ).toMatchObject({
      a: '1',
      b: '2',
    }));
});

describe('volumes', () => {
  test('claims and directories of nodes are in every pod', () => {
    const mounts = [
      { mountPoint: 'pvc://models/llama', name: 'models' },
      { mountPoint: 'local:///mnt/data', name: 'data' },
    ];
    for (const role of ROLES)
      expect(container(given({ mounts }), role).volumeMounts).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'models', mountPath: '/underFSStorage/models', subPath: 'llama', readOnly: true }),
          expect.objectContaining({ name: 'datavolume-data', mountPath: '/mnt/data' }),
        ]),
      );
  });
  test('keys are in every pod', () => {
    for (const role of ROLES)
      expect(container(given({ mounts: [{ ...bucket, encryptOptions: keys }] }), role).volumeMounts).toContainEqual({
        name: 'jindofs-secret-token',
        mountPath: '/token',
        readOnly: true,
      });
  });
  test('RDMA locks memory', () => {
    const input = given({ annotations: { 'fluid.io/runtime-rpc-protocol': 'rdma' } });
    for (const role of ['master', 'worker'] as const)
      expect(container(input, role).securityContext).toEqual({ capabilities: { add: ['SYS_RESOURCE', 'IPC_LOCK'] } });
  });
  test('a change of what workers read outdates only workers', () => {
    const hash = (spec: JindoRuntimeSpec, role: (typeof ROLES)[number]) =>
      templateOf(set(spec), role).metadata.annotations['data.fluid.io/script-hash'];
    const spec = { worker: { properties: { 'storage.x': 'y' } } };
    expect(ROLES.filter((role) => hash(spec, role) !== hash({}, role))).toEqual(['worker']);
  });
});

test('two sources never share a volume, whose data would be that of one of them', () => {
  const mounts = ['pvc://a.b', 'pvc://a-b'].map((mountPoint, i) => ({ mountPoint, name: `m${i}` }));
  expect(() => podOf(given({ mounts }), 'master')).toThrow('volumes[a-b]: expected one entry for each key');
});
