/** DataMigrates: their ends, options, pods and what is wrong with them. */
import { describe, expect, test } from 'vitest';
import juicefs from '../../../runtimes/juicefs/index.ts';
import type { DataMigrateSpec, DatasetSpec, Manifest } from '../../../src/api/index.ts';
import { InvalidSpec, keyPath } from '../../../src/api/index.ts';
import { migrating, runtimeOf, SSH_KEYS } from '../../support/operations.ts';
import { community, enterprise, secret } from './given.ts';

type Spec = Partial<DataMigrateSpec>;
const data = (name: string, path?: string) => ({ dataset: { name, namespace: '', ...(path !== undefined && { path }) } });
const at = (uri: string, ...options: readonly string[]) => ({
  externalStorage: { uri, ...(options.length > 0 && { encryptOptions: options.map((name) => secret(name)) }) },
});
const ce = (mountPoint: string, key: string): DatasetSpec => ({
  mounts: [{ mountPoint, name: 'other', encryptOptions: [secret('metaurl', key)] }],
});
const OTHERS: Readonly<Record<string, DatasetSpec>> = {
  twin: ce('juicefs:///team', 'twin-url'),
  vendor: { mounts: [{ mountPoint: 'juicefs:///', name: 'vol2', encryptOptions: [secret('token', 'token2')] }] },
  cached: { accessModes: ['ReadWriteMany'], mounts: [{ mountPoint: 's3://bucket', name: 's3' }] },
  fixed: { mounts: [{ mountPoint: 's3://bucket', name: 's3' }] },
};
const CE = juicefs.bind(community());
const EE = juicefs.bind(enterprise({ spec: { configs: ['consul-addr=c'] } }));

function made(spec: Spec, runtime = CE, more: Parameters<typeof migrating>[1] = {}) {
  const whole: DataMigrateSpec = { from: at('s3://b.minio:9000/src/'), to: data('demo'), ...spec };
  return migrating(whole, { runtime, datasets: OTHERS, ...more });
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: { secretKeyRef?: object } }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Pod {
  readonly containers: readonly [Container];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly persistentVolumeClaim?: object; readonly secret?: object }[];
  readonly affinity?: object;
  readonly nodeSelector?: object;
  readonly tolerations?: object;
  readonly imagePullSecrets?: object;
}
interface Work extends Manifest {
  readonly spec: { readonly replicas?: number; readonly template: { readonly metadata: Manifest['metadata']; readonly spec: Pod } };
}
const one = (manifests: readonly Manifest[], kind: string) => manifests.find((each) => each.kind === kind) as Work;
function podOf(manifests: readonly Manifest[], kind = 'Job'): Pod & { readonly main: Container } {
  const { spec } = one(manifests, kind).spec.template;
  return { ...spec, main: spec.containers[0] };
}
const secretsOf = ({ env = [] }: Container) =>
  Object.fromEntries(env.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [[name, valueFrom.secretKeyRef]] : [])));
const valuesOf = ({ env = [] }: Container) =>
  Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
const key = (name: string) => ({ name: 'jfs', key: name });

/** Faults, by field. */
function faults(spec: Spec, ...more: readonly [Parameters<typeof made>[1]?, Parameters<typeof made>[2]?]): readonly string[] {
  try {
    made(spec, ...more);
  } catch (error) {
    if (error instanceof InvalidSpec)
      return error.faults.map(({ path, expected, found }) => `${path}: ${expected}: ${found.replaceAll(/^"|"$/g, '')}`);
    throw error;
  }
  return [];
}

describe('ends', () => {
  test.each<[string, Spec, readonly [string, string]]>([
    ['a Dataset', {}, ['s3://b.minio:9000/src/', 'jfs://FLUID_METAURL/']],
    [
      'paths of one Dataset',
      { from: data('demo', '/a/'), to: data('demo', 'b/c/') },
      ['jfs://FLUID_METAURL/a/', 'jfs://FLUID_METAURL/b/c/'],
    ],
    ['files', { from: data('demo', '/a'), to: data('twin', '/b') }, ['jfs://FLUID_METAURL_FROM/a', 'jfs://FLUID_METAURL/team/b']],
    ['two Datasets', { from: data('twin'), to: data('demo') }, ['jfs://FLUID_METAURL_FROM/team/', 'jfs://FLUID_METAURL/']],
    ['one directory, so both are', { to: data('demo', '/dst') }, ['s3://b.minio:9000/src/', 'jfs://FLUID_METAURL/dst/']],
    ['no directory', { from: at('s3://b/x'), to: data('demo', '/dst') }, ['s3://b/x', 'jfs://FLUID_METAURL/dst']],
    ['another runtime', { from: data('cached', '/a') }, ['file:///mnt/fluid-native/from/a/', 'jfs://FLUID_METAURL/']],
    ['another edition', { from: data('vendor') }, ['file:///mnt/fluid-native/from/', 'jfs://FLUID_METAURL/']],
    [
      'another runtime to write',
      { from: data('demo'), to: data('cached', 'x/') },
      ['jfs://FLUID_METAURL/', 'file:///mnt/fluid-native/to/x/'],
    ],
    ['a claim', { from: at('pvc://old') }, ['file:///mnt/fluid-native/from/', 'jfs://FLUID_METAURL/']],
    [
      'a directory of a claim',
      { from: data('demo', '/x'), to: at('pvc://old/a/b') },
      ['jfs://FLUID_METAURL/x/', 'file:///mnt/fluid-native/to/a/b/'],
    ],
    [
      'a store with keys',
      { from: at('minio://h:9000/b/p@q/', 'access-key', 'secret-key') },
      ['minio://h:9000/b/p%40q/', 'jfs://FLUID_METAURL/'],
    ],
    ['a server', { from: at('sftp://h:/a@b/') }, ['sftp://h:/a@b/', 'jfs://FLUID_METAURL/']],
    [
      'what a URL would take for something else',
      { from: data('demo', "/50% #1?/a b/é:@'$(TIMEOUT)/"), to: at('pvc://old/%2F/') },
      ["jfs://FLUID_METAURL/50%25%20%231%3F/a%20b/%C3%A9%3A%40'%24(TIMEOUT)/", 'file:///mnt/fluid-native/to/%252F/'],
    ],
    ['slashes and dots that mean nothing', { to: data('demo', '//a/./b//') }, ['s3://b.minio:9000/src/', 'jfs://FLUID_METAURL/a/b/']],
  ])('%s', (_, spec, urls) => expect(podOf(made(spec)).main.args).toEqual(urls));

  test('each community file system has its address in a variable of its own', () => {
    expect(secretsOf(podOf(made({ from: data('twin') })).main)).toEqual({
      FLUID_METAURL: key('metaurl'),
      FLUID_METAURL_FROM: key('twin-url'),
    });
    expect(secretsOf(podOf(made({ from: data('demo', '/a'), to: data('twin') })).main)).toEqual({
      FLUID_METAURL: key('twin-url'),
      FLUID_METAURL_FROM: key('metaurl'),
    });
    expect(secretsOf(podOf(made({ from: data('demo', '/a'), to: data('demo', '/b') })).main)).toEqual({ FLUID_METAURL: key('metaurl') });
  });
  test('an enterprise file system is logged in to before, each in a container that has its token', () => {
    const { main, initContainers = [], volumes } = podOf(made({ from: data('vendor'), to: data('demo', '/a/') }, EE));
    expect(main).toMatchObject({ args: ['jfs://vol2/', 'jfs://vol/a/'] });
    expect(secretsOf(main)).toEqual({});
    expect(initContainers.map(({ name, command, args }) => [name, ...command, ...args])).toEqual([
      ['login-to', '/usr/bin/juicefs', 'auth', '--consul-addr=c', '--token=$(TOKEN)', 'vol'],
      ['login-from', '/usr/bin/juicefs', 'auth', '--token=$(TOKEN)', 'vol2'],
    ]);
    expect(initContainers.map(secretsOf)).toEqual([{ TOKEN: key('token') }, { TOKEN: key('token2') }]);
    expect(volumes.map(({ name }) => name)).toContain('juicefs-login');
    for (const { volumeMounts } of [main, ...initContainers])
      expect(volumeMounts).toContainEqual({ name: 'juicefs-login', mountPath: '/root/.juicefs' });
  });
  test('a login that fails says why in the status of its pod', () => {
    const { initContainers = [] } = podOf(made({ from: data('vendor'), to: data('demo', '/a/') }, EE));
    const policy = { terminationMessagePolicy: 'FallbackToLogsOnError' };
    expect(initContainers).toMatchObject([policy, policy]);
  });
  test('an enterprise file system without a token is one that the image knows', () => {
    const { main, initContainers } = podOf(made({}, juicefs.bind(enterprise({ mount: { encryptOptions: [] } }))));
    expect([main.args[1], initContainers]).toEqual(['jfs://vol/', undefined]);
  });
  test('two claims are mounted beside each other', () => {
    const { main, volumes } = podOf(made({ from: data('cached'), to: data('demo') }));
    expect(volumes).toContainEqual({ name: 'native-vol-from', persistentVolumeClaim: { claimName: 'cached' } });
    expect(main.volumeMounts).toContainEqual({ name: 'native-vol-from', mountPath: '/mnt/fluid-native/from' });
    const reverse = podOf(made({ from: data('demo'), to: at('pvc://archive/x') }));
    expect(reverse.volumes).toContainEqual({ name: 'native-vol-to', persistentVolumeClaim: { claimName: 'archive' } });
    expect(reverse.main.volumeMounts).toContainEqual({ name: 'native-vol-to', mountPath: '/mnt/fluid-native/to' });
  });
  test('keys of a store are in no manifest and no argument; variables of its client are as they are called', () => {
    const { main } = podOf(made({ to: at('s3://b/x/', 'access-key', 'secret-key', 'token', 'AWS_REGION'), from: data('demo') }));
    expect(secretsOf(main)).toEqual({
      EXTERNAL_ACCESS_KEY: key('access-key'),
      EXTERNAL_SECRET_KEY: key('secret-key'),
      EXTERNAL_TOKEN: key('token'),
      AWS_REGION: key('AWS_REGION'),
      FLUID_METAURL: key('metaurl'),
    });
    expect(valuesOf(main)).toMatchObject({
      URL_VARIABLE: 'to',
      SECRET_VARIABLES: 'EXTERNAL_ACCESS_KEY EXTERNAL_SECRET_KEY EXTERNAL_TOKEN AWS_REGION FLUID_METAURL',
      FROM: 'Dataset demo',
      TO: 's3://b/x/',
    });
  });
  test('a user who is in a URL is in no message', () =>
    expect(valuesOf(podOf(made({ from: at('s3://ak:sk@b/x/') })).main)['FROM']).toBe('s3://b/x/'));
});

describe('options', () => {
  test('are arguments, each one word; timeout is the time of a run', () => {
    const { main } = podOf(
      made({ options: { threads: '50', dirs: '', exclude: 'a b $(EDITION)', timeout: '2h', metrics: '0.0.0.0:9000' } }),
    );
    expect(main.args.slice(2)).toEqual(['--threads=50', '--dirs', '--exclude=a b $$(EDITION)', '--metrics=0.0.0.0:9000']);
    expect(valuesOf(main)).toMatchObject({ TIMEOUT: '2h', METRICS_PORT: '9000' });
    expect(valuesOf(podOf(made({})).main)['TIMEOUT']).toBe('30m');
  });
  test.each(['worker', 'manager', 'manager-addr', 'files-from', '--files-from', 'worker=h'])('%s is refused by its field', (name) =>
    expect(faults({ options: { [name]: 'x' } })).toEqual([
      `${keyPath('spec.options', name)}: no file of a pod, and workers by spec.parallelism: x`,
    ]),
  );
  test.each(['', '--', '=x'])('"%s", which has no name, is refused', (name) =>
    expect(faults({ options: { [name]: 'x' } })).toEqual([`${keyPath('spec.options', name)}: the name of an option: ${name}`]),
  );
});

describe('pods', () => {
  const PLACED: Spec = {
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    resources: { limits: { cpu: '1' } },
    podMetadata: { labels: { team: 'vision', app: 'mine' }, annotations: { a: 'b' } },
  };
  const labels = { 'fluid.io/operation': 'migrate-ml-demo' };

  test('run the image of the workers, unless the operation says otherwise', () => {
    const runtime = juicefs.bind(community({ spec: { juicefsVersion: { image: 'r/jfs', imageTag: '2', imagePullPolicy: 'Always' } } }));
    expect(podOf(made({}, runtime)).main).toMatchObject({ image: 'r/jfs:2', imagePullPolicy: 'Always' });
    const own: Spec = { image: 'r/own', imageTag: '3', imagePullPolicy: 'Never' };
    expect(podOf(made(own, runtime)).main).toMatchObject({ image: 'r/own:3', imagePullPolicy: 'Never' });
    expect(podOf(made({ imageTag: '3' }, runtime)).main).toMatchObject({ image: 'r/jfs:3' });
  });
  test('pull it with the secrets of the runtime', () => {
    const runtime = juicefs.bind(community({ spec: { imagePullSecrets: [{ name: 'registry' }] } }));
    const both = made({ parallelism: 2 }, runtime);
    for (const kind of ['Job', 'StatefulSet']) expect(podOf(both, kind).imagePullSecrets).toEqual([{ name: 'registry' }]);
  });
  test('have the labels by which Fluid’s users find them', () => {
    const job = one(made({ parallelism: 3 }), 'Job');
    expect(job.metadata.labels).toMatchObject({ parallelism: '3', release: 'op-migrate' });
    expect(job.spec.template.metadata.labels).toMatchObject(labels);
  });
  test('of a long Dataset have a label all the same', () => {
    const label = (namespace: string) =>
      one(made({}, runtimeOf('juicefs', namespace), { namespace }), 'Job').spec.template.metadata.labels?.['fluid.io/operation'];
    // A label has at most 63 characters.
    const longest = 'n'.repeat(63 - 'migrate--demo'.length);
    expect(label(longest)).toBe(`migrate-${longest}-demo`);
    expect(label(`${longest}n`)).toBe('migrate-<uid:DataMigrate/op>');
  });
  test('are one, unless there is more than one', () => {
    expect(made({ parallelism: 1 }).map(({ kind }) => kind)).toEqual(['ConfigMap', 'Job']);
    expect(podOf(made({ parallelism: 1 })).affinity).toBeUndefined();
  });
  test('of a schedule have place, tolerations and selector as others, and no suspended Jobs', () => {
    const cron = made({ ...PLACED, policy: 'Cron', schedule: '0 3 * * *', parallelism: 2 }, CE, { isIdle: true });
    const { jobTemplate } = one(cron, 'CronJob').spec as unknown as { jobTemplate: { spec: Work['spec'] & { suspend?: boolean } } };
    expect(jobTemplate.spec.suspend).toBeUndefined();
    expect(jobTemplate.spec.template.spec).toMatchObject({ nodeSelector: PLACED.nodeSelector, tolerations: PLACED.tolerations });
    expect(jobTemplate.spec.template.metadata.labels).toMatchObject(labels);
    expect(one(cron, 'StatefulSet').spec.replicas).toBe(0);
    expect(one(made({ policy: 'Cron', schedule: '0 3 * * *', parallelism: 2 }), 'StatefulSet').spec.replicas).toBe(1);
  });

  describe('that share the work', () => {
    const parallel = made({ ...PLACED, parallelism: 3, from: data('cached') });
    const [job, workers] = [podOf(parallel), podOf(parallel, 'StatefulSet')];
    test('are the Job’s and those of a StatefulSet with names, ready over SSH', () => {
      expect(one(parallel, 'StatefulSet')).toMatchObject({
        metadata: { name: 'op-migrate-workers', ownerReferences: [{ kind: 'DataMigrate', name: 'op' }] },
        spec: { replicas: 2, serviceName: 'op-migrate-workers', podManagementPolicy: 'Parallel' },
      });
      expect(one(parallel, 'Service')).toMatchObject({
        metadata: { name: 'op-migrate-workers' },
        spec: { clusterIP: 'None', selector: { app: 'op-migrate-workers' } },
      });
      expect(workers.main).toMatchObject({
        name: 'worker',
        command: ['/bin/bash', '/scripts/sshd.sh'],
        readinessProbe: { exec: { command: ['ssh', 'localhost', 'true'] } },
        ports: [{ containerPort: 22, protocol: 'TCP' }],
      });
      expect(valuesOf(job.main)).toMatchObject({
        SSH_HOSTS: 'op-migrate-workers-0.op-migrate-workers op-migrate-workers-1.op-migrate-workers',
        SSH_PORT: '22',
        SSH_READY_TIMEOUT: '180',
      });
    });
    test('are where their user wants them, and keep away from each other by a label that they have', () => {
      for (const [pod, kind] of [
        [job, 'Job'],
        [workers, 'StatefulSet'],
      ] as const) {
        expect(pod).toMatchObject({ nodeSelector: PLACED.nodeSelector, tolerations: PLACED.tolerations });
        expect(pod.main).toMatchObject({ resources: PLACED.resources });
        expect(one(parallel, kind).spec.template.metadata).toMatchObject({
          labels: { ...labels, team: 'vision' },
          annotations: { a: 'b' },
        });
        expect(pod.affinity).toMatchObject({
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' } },
            ],
          },
        });
      }
      expect(one(parallel, 'StatefulSet').spec.template.metadata.labels?.['app']).toBe('op-migrate-workers');
    });
    test('have the claims mounted at the same place, and only the first has Secrets of stores', () => {
      expect(workers.main.volumeMounts).toContainEqual({ name: 'native-vol-from', mountPath: '/mnt/fluid-native/from' });
      expect(secretsOf(workers.main)).toEqual({});
    });
    test('log in at the vendor’s console, each of them', () =>
      expect(podOf(made({ parallelism: 2 }, EE), 'StatefulSet').initContainers).toMatchObject([{ name: 'login-to' }]));
    test('have keys that were made for them', () => {
      const data = { 'ssh-privatekey': btoa(SSH_KEYS.privateKey), 'ssh-publickey': btoa(SSH_KEYS.publicKey) };
      expect(one(parallel, 'Secret')).toMatchObject({ metadata: { name: 'op-migrate-ssh-keys' }, data });
      for (const { volumes } of [job, workers])
        expect(volumes).toContainEqual({ name: 'ssh-keys', secret: { secretName: 'op-migrate-ssh-keys', defaultMode: 0o600 } });
    });
    test('have the keys of their user, port and patience, if there are any', () => {
      const own = made({ parallelism: 2, parallelOptions: { sshSecretName: 'mine', sshPort: '2222', sshReadyTimeoutSeconds: '5' } });
      expect(own.map(({ kind }) => kind)).not.toContain('Secret');
      expect(valuesOf(podOf(own).main)).toMatchObject({ SSH_PORT: '2222', SSH_READY_TIMEOUT: '5' });
      expect(podOf(own).volumes).toContainEqual({ name: 'ssh-keys', secret: { secretName: 'mine', defaultMode: 0o600 } });
      expect(podOf(own, 'StatefulSet').main).toMatchObject({ ports: [{ containerPort: 2222 }] });
    });
  });
});

describe('what is refused', () => {
  test.each<[Spec, readonly string[]]>([
    [
      { from: at('local:///data') },
      ['spec.from.externalStorage.uri: pvc://<claim>[/<path>] or the URL of a store: pods run on any node: local:///data'],
    ],
    [
      { from: at('file:///etc/') },
      ['spec.from.externalStorage.uri: pvc://<claim>[/<path>] or the URL of a store: pods run on any node: file:///etc/'],
    ],
    [{ from: at('/etc') }, ['spec.from.externalStorage.uri: pvc://<claim>[/<path>] or a URL that juicefs sync knows: /etc']],
    [{ from: at('--worker=h') }, ['spec.from.externalStorage.uri: pvc://<claim>[/<path>] or a URL that juicefs sync knows: --worker=h']],
    [
      { from: at('pvc://No_Claim/x') },
      ['spec.from.externalStorage.uri: pvc://<claim>[/<path>] or a URL that juicefs sync knows: pvc://No_Claim/x'],
    ],
    [{ from: at('pvc://c/a/../b') }, ['spec.from.externalStorage.uri: an absolute path without "..": /a/../b/']],
    [{ to: data('demo', '../x') }, ['spec.to.dataset.path: an absolute path without "..": /../x']],
    [
      { from: at('s3://ak:sk@b/x/', 'access-key') },
      ['spec.from.externalStorage.uri: a URL without a user, since encryptOptions have one: s3://'],
    ],
    [{ from: data('demo'), to: data('fixed') }, ['spec.to.dataset.name: a Dataset with accessModes ReadWriteMany or ReadWriteOnce: fixed']],
    [{ parallelism: 2 ** 31 - 1 }, ['spec.parallelism: at most 256: 2147483647']],
    [{ from: at('s3://b/', 'token') }, ['spec.from.externalStorage.encryptOptions: access-key and secret-key beside token: ["token"]']],
    [
      { from: at('s3://b/', 'token', 'access-key') },
      ['spec.from.externalStorage.encryptOptions: access-key and secret-key beside token: ["token","access-key"]'],
    ],
  ])('%j', (spec, expected) => expect(faults(spec)).toEqual(expected));

  const nested = (field: string, from: string, to: string) => [
    `spec.to.${field}: a place that is not ${from}, nor in it, nor above it: ${to}`,
  ];
  test.each<[string, Spec, readonly string[]]>([
    ['a Dataset to itself', { from: data('demo') }, nested('dataset.path', 'Dataset demo', 'Dataset demo')],
    [
      'its root to below',
      { from: data('demo', '/'), to: data('demo', '/s') },
      nested('dataset.path', 'path / of Dataset demo', 'path /s of Dataset demo'),
    ],
    [
      'up',
      { from: data('demo', '/a/b/'), to: data('demo', 'a') },
      nested('dataset.path', 'path /a/b/ of Dataset demo', 'path a of Dataset demo'),
    ],
    [
      'with other slashes and dots',
      { from: data('demo', '/a/'), to: data('demo', '//a/./b') },
      nested('dataset.path', 'path /a/ of Dataset demo', 'path //a/./b of Dataset demo'),
    ],
    [
      'to another Dataset of the same metadata engine',
      { from: data('demo', '/team'), to: data('same') },
      nested('dataset.path', 'path /team of Dataset demo', 'Dataset same'),
    ],
    [
      'to its own claim',
      { from: data('demo', '/a'), to: at('pvc://demo/a/b') },
      nested('externalStorage.uri', 'path /a of Dataset demo', 'pvc://demo/a/b'),
    ],
    [
      'the claim of a Dataset to it',
      { from: at('pvc://cached/x'), to: data('cached') },
      nested('dataset.path', 'pvc://cached/x', 'Dataset cached'),
    ],
  ])('%s, which would copy into what is copied', (_, spec, expected) =>
    expect(faults(spec, CE, { datasets: { ...OTHERS, same: ce('juicefs:///team/a', 'metaurl') } })).toEqual(expected),
  );
  test.each<[string, Spec]>([
    ['begin alike', { from: data('demo', '/a'), to: data('demo', '/ab') }],
    ['are in two Datasets', { from: data('demo', '/a'), to: data('twin', '/a') }],
    ['are beside each other in a claim', { from: at('pvc://cached/a'), to: data('cached', '/b') }],
    ['are in a Dataset and a claim', { from: at('pvc://old'), to: data('demo') }],
  ])('not ends that %s', (_, spec) => expect(faults(spec)).toEqual([]));

  test.each(['//u:SuperSecret@host/b', 'u:Super/Secret@host/b', 'file://u:SuperSecret@host/b', 'pvc://u:Super@Secret@host/b'])(
    'the password of %s is not quoted',
    (uri) => expect(faults({ from: at(uri) })).toEqual([expect.stringMatching(/^spec\.from\.externalStorage\.uri: pvc:[^S]*: …@host\/b$/)]),
  );

  test('is refused with all its options that are wrong', () =>
    expect(faults({ options: { threads: '5', worker: 'h', timeout: 'abc', '--files-from': 'x' } })).toEqual([
      'spec.options.timeout: a time such as 30m or 1.5h: abc',
      'spec.options.worker: no file of a pod, and workers by spec.parallelism: h',
      'spec.options.--files-from: no file of a pod, and workers by spec.parallelism: x',
    ]));
  test('is refused with all its faults, each with its field', () => {
    const reasonless = { externalStorage: { uri: 'local:///x', encryptOptions: [{ name: 'access-key' }, { name: 'secret-key' }] } };
    const spec: Spec = { from: reasonless as DataMigrateSpec['from'], to: data('demo', '/..'), options: { timeout: 'soon' } };
    const fields = faults({ ...spec, parallelism: 2, parallelOptions: { sshPort: '0', sshReadyTimeoutSeconds: 'x' } });
    expect(fields.map((fault) => fault.split(':')[0])).toEqual([
      'spec.from.externalStorage.uri',
      'spec.from.externalStorage.encryptOptions[0].valueFrom.secretKeyRef',
      'spec.from.externalStorage.encryptOptions[1].valueFrom.secretKeyRef',
      'spec.to.dataset.path',
      'spec.parallelOptions.sshPort',
      'spec.parallelOptions.sshReadyTimeoutSeconds',
      'spec.options.timeout',
    ]);
  });
  test('a fault of another Dataset has its name', () => {
    const broken = { mounts: [{ mountPoint: 'juicefs:///', name: '', encryptOptions: [secret('metaurl')] }] };
    expect(() => made({ from: data('broken') }, CE, { datasets: { broken } })).toThrow('Dataset ml/broken: spec.mounts[0].name');
  });
  test.each(['a'.repeat(37), 'a.b', '1a'])('the name %s, which no host can have, of one that has workers', (name) => {
    expect(faults({ parallelism: 2 }, CE, { name })).toEqual([expect.stringMatching(/^metadata\.name: at most 36 lower-case letters/)]);
    expect(faults({}, CE, { name })).toEqual([]);
  });
});

test('keys are asked for, unless there is one pod or the user has some', () => {
  const asks = (spec: Spec) => CE.operationNeeds({ kind: 'DataMigrate', spec: { from: {}, to: {}, ...spec } }).sshKeys ?? false;
  expect([asks({}), asks({ parallelism: 2 }), asks({ parallelism: 2, parallelOptions: { sshSecretName: 'mine' } })]).toEqual([
    false,
    true,
    false,
  ]);
});

describe('warnings', () => {
  const warnings = (spec: Spec) =>
    CE.operationWarnings({
      kind: 'DataMigrate',
      name: 'op',
      namespace: 'ml',
      uid: 'u',
      spec: { from: at('s3://b/'), to: data('demo'), ...spec },
      facts: { pods: {} },
    }).map(({ reason, message }) => `${reason} ${message}`);
  test('there are none of what has effect', () =>
    expect(
      warnings({
        runtimeType: 'juicefs',
        parallelism: 2,
        parallelOptions: { sshPort: '22' },
        from: at('s3://b/', 'access-key', 'AWS_REGION'),
      }),
    ).toEqual([]));
  test.each(['sftp://user@host:/data/', 's3://b:9000/a:b@c/'])('nor of %s, which has no password', (uri) =>
    expect(warnings({ from: at(uri) })).toEqual([]),
  );
  test.each<[Spec, string]>([
    [{ block: true }, 'spec.block: has no effect, as in Fluid'],
    [{ to: { ...data('demo'), ...at('s3://b/') } }, 'spec.to.externalStorage: has no effect beside spec.to.dataset'],
    [
      { from: at('s3://KEY:topsecret@bucket/') },
      'spec.from.externalStorage.uri: its credentials are visible in the Job; use encryptOptions',
    ],
    [{ runtimeType: 'alluxio' }, 'spec.runtimeType: no Dataset of it has a runtime of type alluxio; JuiceFS does the work'],
    [{ parallelOptions: { sshPort: '22' } }, 'spec.parallelOptions: has no effect while spec.parallelism is 1'],
    [
      { parallelism: 2, parallelOptions: { port: '22' } },
      'spec.parallelOptions: port: expected sshSecretName, sshPort, sshReadyTimeoutSeconds',
    ],
    [{ from: at('pvc://c', 'access-key') }, 'spec.from.externalStorage.encryptOptions: has no effect; a claim needs no credentials'],
    [
      { from: at('s3://b/', 'access-key', 'PATH') },
      'spec.from.externalStorage.encryptOptions[1]: JuiceFS knows access-key, secret-key, token and the variables of its clients of stores',
    ],
  ])('%j', (spec, message) => expect(warnings(spec)).toEqual([`SpecPartlyIgnored ${message}`]));
  test('an option that juicefs sync is not known to have is said', () =>
    expect(warnings({ options: { threads: '5', quiet: '', 'delete-dts': '' } })).toEqual([
      'SpecAmbiguous spec.options.delete-dts: expected an option of juicefs sync 1.3 or 1.4 (did you mean delete-dst?), found "delete-dts"; juicefs fails with one that it does not know',
    ]));
});
