/** Sluice's own manifests on a real API server: `sluice install` as an operator uses it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/crd.ts';
import { annotation, GROUP, label, operationKinds, VERSION } from '../../src/api/index.ts';
import { type KubeCluster, kubeCluster } from '../../src/csi/cluster/kube-node-cluster.ts';
import { validationRights } from '../../src/install/rights.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { type KubeObject, silent } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { root, sluice } from '../cli/run.ts';
import { asked, granted, type Rule, refused } from '../install/used.ts';
import { auditMark, auditSince } from '../../harness/control-plane/audit.ts';
import { hasPolicies, INSTALL_FLAGS, POLICY_KINDS } from '../support/kubernetes.ts';
import { simulated } from '../support/test-cluster.ts';
import { endProcesses, startCommand, startProcess } from '../support/controller-process.ts';
import { startEngine } from '../support/example-engine.ts';
import { ExampleRuntime } from '../support/example-runtime/spec.ts';
import { type Kind, kinds } from '../support/kinds.ts';
import {
  alluxioRuntime,
  cacheRuntime,
  datasetObject,
  efcRuntime,
  exampleRuntime,
  jindoRuntime,
  jfsDataset,
  jfsRuntime,
  jfsSecret,
  objectsIn,
  openDataset,
  thinRuntime,
  vineyardRuntime,
} from '../support/objects.ts';
import { cacheClass, plainfs } from '../support/plainfs.ts';
import { profileText } from '../support/profiles.ts';
import { createSpace, established, eventually, PROFILE, profile, removeSpaces } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { claimOf, fuseOf, podThatMounts, startWebhook } from '../support/webhook-process.ts';

const NAMESPACE = 'fluid-system';
const EXAMPLE = join(import.meta.dirname, '../support/example-runtime/index.ts');

/** Rights that the scenario below does not use, and what they are for. */
const UNUSED: Readonly<Record<string, string>> = {
  'create pods/exec': 'since Kubernetes 1.35 a command needs it beside get, which alone is in the audit log',
  'list pods/exec': 'granted by the Role that a JuiceFSRuntime gets, and a subject can grant only rights that it has',
  'get pods': 'the same',
  'delete workload.fluid.io/advancedstatefulsets': 'what Fluid created for a CacheRuntime: test/cluster/reconciler/takeover.test.ts',
  'list events': 'an operation whose Job gets no pod for a minute: test/reconciler/operations/no-pods.test.ts',
  'patch events.k8s.io/events': 'an event that still goes on after a minute: test/kube/events/events.test.ts',
};

describe.skipIf(!simulated)('sluice install', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 2, audit: true });
  });
  afterAll(() => plane?.stop());

  /** Prints the manifests, applies them, and returns what the API server then holds of each: `Kind/name` and resourceVersion. */
  async function install(...flags: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const image = flags.includes('--image') ? [] : ['--image', 'sluice:a'];
    const { code, stdout, stderr } = await sluice(['install', ...image, ...INSTALL_FLAGS, ...flags]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const file = join(plane.dir, 'install.yaml');
    writeFileSync(file, stdout);
    await plane.kubectl('apply', '--server-side', '-f', file);
    const live = JSON.parse(await plane.kubectl('get', '-f', file, '-o', 'json')) as { readonly items: readonly KubeObject[] };
    expect(live.items).toHaveLength(parseAllDocuments(stdout).length);
    // Fields that a controller writes are not ours: the spec's count of changes is.
    return Object.fromEntries(
      live.items.map(({ kind, metadata }) => [
        `${kind}/${metadata.name}`,
        `${metadata.uid} ${metadata.generation ?? metadata.resourceVersion}`,
      ]),
    );
  }
  const changed = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) =>
    // Kubernetes counts pods in the status of a quota.
    Object.keys(after).filter((id) => after[id] !== before[id] && !id.startsWith('ResourceQuota/'));

  test('applies, brings up the pods, changes nothing the second time, and upgrades by the image alone', async () => {
    const first = await install('--image', 'sluice:a');
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'deployment/sluice-controller', '--timeout=60s');
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'daemonset/sluice-csi', '--timeout=60s');
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'deployment/sluice-webhook', '--timeout=60s');
    const second = await install('--image', 'sluice:a');
    expect(changed(first, second)).toEqual([]);
    const third = await install('--image', 'sluice:b');
    expect(changed(second, third)).toEqual(['Deployment/sluice-controller', 'DaemonSet/sluice-csi', 'Deployment/sluice-webhook']);
  });

  test('has a controller and a webhook that the strictest level of Pod Security takes', async () => {
    await install();
    const level = 'pod-security.kubernetes.io/enforce=restricted';
    await plane.kubectl('create', 'namespace', 'restricted');
    onTestFinished(async () => void (await plane.kubectl('delete', 'namespace', 'restricted')));
    await plane.kubectl('label', 'namespace', 'restricted', level);
    const tried = async (workload: string) => {
      const { spec } = JSON.parse(await plane.kubectl('get', workload, '-n', NAMESPACE, '-o', 'json')) as {
        readonly spec: { readonly template: { readonly spec: object } };
      };
      const metadata = { name: 'tried', namespace: 'restricted' };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec.template.spec, serviceAccountName: 'default' } };
      const file = join(plane.dir, 'pod.json');
      writeFileSync(file, JSON.stringify(pod));
      return plane.kubectl('create', '--dry-run=server', '-f', file);
    };
    await eventually(async () => expect(await tried('deployment/sluice-controller')).toContain('created'));
    expect(await tried('deployment/sluice-webhook')).toContain('created');
    // So the level is in force.
    await expect(tried('daemonset/sluice-csi')).rejects.toThrow('violates PodSecurity');
  });

  /** A kubeconfig of a ServiceAccount's own token. */
  async function kubeconfigOf(account: string, ...flags: readonly string[]): Promise<string> {
    const home = flags.includes('-n') ? [] : ['-n', NAMESPACE];
    const token = (await plane.kubectl('create', 'token', account, ...home, ...flags)).trim();
    const config = JSON.parse(await plane.kubectl('config', 'view', '--raw', '--flatten', '-o', 'json')) as { users: object[] };
    const path = join(plane.dir, `${account}-${process.hrtime.bigint()}.kubeconfig`);
    writeFileSync(path, JSON.stringify({ ...config, users: config.users.map((user) => ({ ...user, user: { token } })) }), { mode: 0o600 });
    return path;
  }

  /** With a policy by which only Sluice writes its keys, and the tests. Until it is in force, others write them too. */
  async function installReserving(...flags: readonly string[]): Promise<void> {
    if (!hasPolicies) return void (await install(...flags));
    await install(...flags, '--reserved-keys', 'deny', '--reserved-keys-allow', 'admin');
    const file = join(plane.dir, 'forged.json');
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'forged', labels: { [label.owner]: 'u' } } };
    writeFileSync(file, JSON.stringify({ ...claim, spec: { accessModes: ['ReadOnlyMany'], resources: { requests: { storage: '1Gi' } } } }));
    const forge = () => plane.kubectl('create', '--dry-run=server', '-f', file, '--as=tenant', '--as-group=system:masters');
    await eventually(() => expect(forge()).rejects.toThrow(`only Sluice may write the labels ${label.owner}`));
    // The policy would refuse a controller of another namespace, also of a later test.
    onTestFinished(async () => {
      const policy = ['validatingadmissionpolicybinding,validatingadmissionpolicy', 'sluice-reserved-keys'];
      await plane.kubectl('delete', ...policy, '--ignore-not-found');
      await eventually(forge);
    });
  }
  /** Requests of parts of Kubernetes, and of Sluice, that the policy could have denied, and that were. */
  const denied = (mark: number) => {
    const events = auditSince(plane, mark, (name) => name.startsWith('system:'));
    return refused(events).filter((each) =>
      /(persistentvolumes|persistentvolumeclaims|daemonsets|statefulsets|cronjobs|jobs)\b/.test(each),
    );
  };

  test('grants the controller what it asks for, also where only Sluice may write its keys, and nothing else', async () => {
    const module = join(plane.dir, 'sluice.config.ts');
    writeFileSync(module, `import example from '${EXAMPLE}';\nexport default { runtimes: [example] };\n`);
    await installReserving('--config', module, '--image', 'sluice:a');
    await established(plane);
    await plane.kubectlApply(stringify(profile(PROFILE)));
    const client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    onTestFinished(() => client.close());
    onTestFinished(endProcesses);
    const mark = auditMark(plane);
    const events = () => auditSince(plane, mark, `system:serviceaccount:${NAMESPACE}:sluice-controller`);
    vi.stubEnv('THIN_FUSE_CONFIG_STORAGE', 'secret');
    const flags = ['--config', module, '--leader-election-namespace', NAMESPACE, '--probe-interval', '1s'];
    const account = await kubeconfigOf('sluice-controller');
    const controller = startProcess(account, ...flags);
    await controller.says('leading');
    // A process that leads at once has no time to watch the Lease.
    const standby = startProcess(account, ...flags);
    vi.unstubAllEnvs();
    await expect.poll(() => [...asked(events())], { timeout: 60_000 }).toContain('watch coordination.k8s.io/leases sluice');
    await standby.end('SIGTERM');

    const space = await createSpace(plane, client, 'rights');
    const engine = await startEngine(plane, space.namespace);
    onTestFinished(() => engine.stop());
    // Set up as far as Alluxio goes without answers of its own.
    await space.create(openDataset('alluxio'), alluxioRuntime('alluxio', { replicas: 0 }));
    await space.becomes('StatefulSet', 'alluxio-master', { metadata: { labels: { [label.datasetId]: expect.any(String) } } });
    // As far as Jindo.
    const oss = { mountPoint: 'oss://bucket/', name: 'data', options: { 'fs.oss.endpoint': 'oss.example' } };
    await space.create(datasetObject('jindo', { mounts: [oss] }), jindoRuntime('jindo', { replicas: 0 }));
    await space.becomes('StatefulSet', 'jindo-jindofs-master', { metadata: { labels: { [label.datasetId]: expect.any(String) } } });
    // As far as EFC.
    const nas = { mountPoint: 'nfs://0a.cn-x.nas.aliyuncs.com:/', name: 'data' };
    await space.create(datasetObject('efc', { mounts: [nas] }), efcRuntime('efc', { replicas: 0 }));
    await space.becomes('StatefulSet', 'efc-master', { metadata: { labels: { [label.datasetId]: expect.any(String) } } });
    // As far as Vineyard.
    const memory = { levels: [{ mediumtype: 'MEM' as const, quota: '1Gi' }] };
    await space.create(openDataset('vineyard'), vineyardRuntime('vineyard', { replicas: 0, tieredstore: memory }));
    await space.becomes('StatefulSet', 'vineyard-master', { metadata: { labels: { [label.datasetId]: expect.any(String) } } });
    // A class with clients alone.
    const { client: component } = plainfs.topology;
    await space.create(cacheClass(space.namespace, { topology: { client: component } }));
    onTestFinished(async () => void (await plane.kubectl('delete', 'cacheruntimeclass', '--ignore-not-found', space.namespace)));
    await space.create(openDataset('cache'), cacheRuntime('cache', { runtimeClassName: space.namespace }));
    // Bound: one runtime of each other sort.
    await space.bound('CacheRuntime', 'cache');
    await space.create(openDataset('thin'), thinRuntime('thin', { profileName: PROFILE }));
    await space.create(jfsSecret(), jfsDataset('jfs'), jfsRuntime('jfs'));
    await space.create(
      datasetObject('demo', { placement: 'Shared', mounts: [{ mountPoint: 's3://a', name: 'a' }] }),
      exampleRuntime('demo', {}),
    );
    await space.bound('ThinRuntime', 'thin');
    // One whose runtime the controller creates.
    await space.create(datasetObject('view', { mounts: [{ mountPoint: `dataset://${space.namespace}/thin` }] }));
    await space.bound('ThinRuntime', 'view');
    await space.bound('JuiceFSRuntime', 'jfs');
    await space.bound('ExampleRuntime', 'demo');
    await space.becomes('ExampleRuntime', 'demo', { status: { cacheStates: { cached: '1.00KiB' } } });
    // Drift: of everything that is made a label is taken off; Secrets are not watched.
    const made = (await space.made()).map((ref) => ref.split('/') as [Kind, string]).filter(([kind]) => kind !== 'Secret');
    const off = { metadata: { labels: { [label.datasetId]: null } } };
    for (const [kind, name] of made) await space.patch(kind, name, off);
    for (const [kind, name] of made) await space.becomes(kind, name, { metadata: { labels: { [label.datasetId]: expect.any(String) } } });
    // Edits: another mount of a dataset whose fuse pods run.
    await plane.kubectl('label', 'node', 'node-0', `fluid.io/f-${space.namespace}-thin=true`);
    await space.becomes('DaemonSet', 'thin-fuse', { status: { numberReady: 1 } });
    await space.patch('Dataset', 'thin', { spec: { mounts: [{ mountPoint: 's3://other', name: 'data' }] } });
    await eventually(async () =>
      expect((await space.list('Pod')).flatMap(({ metadata }) => metadata.annotations?.[annotation.fuseConfigUpdate] ?? [])).toEqual(['1']),
    );
    // And workers, which it reports in an event.
    await space.patch('JuiceFSRuntime', 'jfs', { spec: { replicas: 2 } });
    await eventually(() => expect(asked(events())).toContain('create events.k8s.io/events'));
    // A Secret that a runtime of the same name left behind, which was removed by force.
    const config = (await space.list('Secret')).find(({ metadata }) => metadata.labels?.[label.owner]);
    const gone = '00000000-0000-0000-0000-000000000000';
    const { name = '', ownerReferences = [], labels } = config?.metadata ?? {};
    const left = { name: name.replace('thin', 'late'), labels: { ...labels, [label.owner]: gone }, finalizers: ['example.com/kept'] };
    const owner = { ...ownerReferences[0], name: 'late', uid: gone } as NonNullable<typeof ownerReferences>[number];
    await space.create({ apiVersion: 'v1', kind: 'Secret', metadata: { ...left, ownerReferences: [owner] } });
    await space.create(openDataset('late'), thinRuntime('late', { profileName: PROFILE }));
    await eventually(() => expect(asked(events())).toContain('delete secrets'));
    await space.patch('Secret', left.name, { metadata: { finalizers: null } });
    await space.bound('ThinRuntime', 'late');
    // Superfluous objects go once their sources were read afresh.
    for (const [kind, name] of [
      ['ThinRuntime', 'late'],
      ['CacheRuntime', 'cache'],
    ] as const) {
      const { uid = '' } = (await space.get(kind, name)).metadata;
      await space.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stray', labels: { [label.owner]: uid } } });
      await eventually(async () => expect((await space.list('ConfigMap')).map((map) => map.metadata.name)).not.toContain('stray'));
    }
    // Another writer changes the lease, and the leader reads who holds it now.
    await plane.kubectl('annotate', 'lease', 'sluice', '-n', NAMESPACE, 'example.com/by=hand');
    await eventually(() => expect(asked(events())).toContain('get coordination.k8s.io/leases sluice'));
    // A placement that leaves out the node of a pod that mounts the claim.
    const reader = { containers: [{ name: 'main', image: 'example.io/reader' }], nodeName: 'node-0' };
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'thin' } }];
    await space.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'reader' }, spec: { ...reader, volumes } });
    await space.patch('ThinRuntime', 'thin', { spec: { fuse: { nodeSelector: { disk: 'ssd' } } } });
    await eventually(() => expect(asked(events())).toContain('get nodes'));
    await space.delete('Pod', 'reader');
    // An operation: its Job loses its label, and ends with it.
    await plane.pods.hold({ namespace: space.namespace, name: 'warm-loader-job-*' }, { as: 'Running' });
    await space.create({
      apiVersion: `${GROUP}/${VERSION}`,
      kind: 'DataLoad',
      metadata: { name: 'warm' },
      spec: { dataset: { name: 'jfs' } },
    });
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Executing' } });
    await space.patch('Job', 'warm-loader-job', { metadata: { labels: { [label.owner]: null } } });
    await space.becomes('Job', 'warm-loader-job', { metadata: { labels: { [label.owner]: expect.any(String) } } });
    await space.delete('DataLoad', 'warm');
    await space.gone('Job', 'warm-loader-job');
    // One with a schedule, which changes, and one of each kind that fails and does not stay.
    const brief = { ttlSecondsAfterFinished: 0 };
    const operations: readonly (readonly [kind: Kind, name: string, spec: object])[] = [
      ['DataLoad', 'nightly', { dataset: { name: 'jfs' }, policy: 'Cron', schedule: '0 3 * * *' }],
      ['DataLoad', 'brief', { dataset: { name: 'thin', namespace: 'elsewhere' }, ...brief }],
      ['DataProcess', 'brief', { dataset: { name: 'thin', mountPath: '/data' }, processor: {}, ...brief }],
      // A ThinRuntime has neither.
      [
        'DataMigrate',
        'brief',
        { to: { dataset: { name: 'thin', namespace: '' } }, from: { externalStorage: { uri: 'pvc://a/b' } }, ...brief },
      ],
      ['DataBackup', 'brief', { dataset: 'thin', backupPath: 'pvc://backups/thin', ...brief }],
    ];
    const script = { image: 'example.io/p', source: 'ls' };
    const processing = { dataset: { name: 'thin', mountPath: '/data' }, processor: { script } };
    const waiting = { ...processing, runAfter: { kind: 'DataLoad', name: 'nobody' } };
    await space.create({ apiVersion: `${GROUP}/${VERSION}`, kind: 'DataProcess', metadata: { name: 'waits' }, spec: waiting });
    await space.becomes('DataProcess', 'waits', { status: { phase: 'Pending' } });
    await space.delete('DataProcess', 'waits');
    await space.gone('DataProcess', 'waits');
    expect(new Set(operations.map(([kind]) => kind))).toEqual(new Set(operationKinds.map(({ kind }) => kind)));
    for (const [kind, name, spec] of operations) await space.create({ apiVersion: `${GROUP}/${VERSION}`, kind, metadata: { name }, spec });
    await space.becomes('CronJob', 'nightly-loader-job', { spec: { schedule: '0 3 * * *' } });
    await space.patch('DataLoad', 'nightly', { spec: { schedule: '0 4 * * *' } });
    await space.becomes('CronJob', 'nightly-loader-job', { spec: { schedule: '0 4 * * *' } });
    await space.delete('DataLoad', 'nightly');
    await space.gone('CronJob', 'nightly-loader-job');
    for (const [kind, name] of operations) await space.gone(kind, name);
    // Teardown, by the controller alone.
    const all = ['view', 'thin', 'late', 'jfs', 'alluxio', 'jindo', 'efc', 'vineyard', 'cache', 'demo'];
    for (const name of all) await space.delete('Dataset', name);
    for (const name of all) await space.gone('Dataset', name);
    await removeSpaces(client, [space]);
    await controller.end('SIGTERM');

    expect(refused(events())).toEqual([]);
    expect(denied(mark)).toEqual([]);
    const roles = (await Promise.all(
      ['clusterrole', 'role'].map(async (kind) =>
        JSON.parse(await plane.kubectl('get', kind, 'sluice-controller', '-n', NAMESPACE, '-o', 'json')),
      ),
    )) as readonly { readonly rules: readonly Rule[] }[];
    const used = asked(events());
    const unused = granted(roles.flatMap(({ rules }) => rules)).filter((right) => !used.has(right));
    expect(unused.toSorted()).toEqual(Object.keys(UNUSED).toSorted());
  }, 180_000);

  test('grants the node plugin what it asks for, and nothing else', async () => {
    await install();
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'daemonset/sluice-csi', '--timeout=60s');
    const admin = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    const client = createClient(connectionFromKubeconfig([await kubeconfigOf('sluice-csi', ...(await boundToPodOn('node-1')))]), {
      fieldManager: 'sluice-csi',
    });
    onTestFinished(async () => void (await Promise.all([admin.close(), client.close()])));
    const space = await createSpace(plane, admin, 'plugin-rights');
    onTestFinished(
      async () =>
        void (await space.kubectl(
          'delete',
          'alluxioruntimes,cacheruntimes,efcruntimes,jindoruntimes,thinruntimes,juicefsruntimes,vineyardruntimes,datasets',
          '--all',
        )),
    );
    const { namespace } = space;
    await space.create(openDataset('thin'), thinRuntime('thin', {}), jfsDataset('jfs'), jfsRuntime('jfs'));
    await space.create(openDataset('alluxio'), alluxioRuntime('alluxio', {}), openDataset('jindo'), jindoRuntime('jindo', {}));
    await space.create(openDataset('efc'), efcRuntime('efc', {}), openDataset('vineyard'), vineyardRuntime('vineyard', {}));
    await space.create(openDataset('cache'), cacheRuntime('cache', { runtimeClassName: 'none' }));
    for (const [name, type] of Object.entries({
      alluxio: 'alluxio',
      cache: 'cache',
      efc: 'efc',
      jindo: 'jindo',
      thin: 'thin',
      jfs: 'juicefs',
      vineyard: 'vineyard',
    }))
      await space.patch('Dataset', name, { status: { conditions: [], runtimes: [{ name, namespace, type }] } }, 'status');
    const mark = auditMark(plane);
    const plugin = kubeCluster({ client, nodeId: 'node-1', log: silent });
    // All that it can ask: with something new this does not compile.
    const asks: Readonly<Record<keyof KubeCluster, () => unknown>> = {
      check: async () => expect(await plugin.check()).toBeUndefined(),
      labelNode: () => plugin.labelNode({ 'fluid.io/f-rights': 'true' }),
      hasLabel: async () => expect(await plugin.hasLabel('fluid.io/f-rights')).toBe(true),
      volume: async () => expect(await plugin.volume('none')).toBeUndefined(),
      claimLabels: async () => expect(await plugin.claimLabels({ namespace, name: 'none' })).toBeUndefined(),
      runtime: async () => {
        for (const name of ['alluxio', 'cache', 'efc', 'jindo', 'thin', 'jfs', 'vineyard'])
          expect(await plugin.runtime({ namespace, name })).toEqual({ cleanPolicy: expect.any(String) });
      },
      pod: async () => expect(await plugin.pod({ namespace, name: 'none' })).toBeUndefined(),
      dataset: async () => expect(await plugin.dataset({ namespace, name: 'thin' })).toMatchObject({ uid: expect.any(String) }),
      recordEvent: async () => {
        plugin.recordEvent({ namespace, name: 'thin' }, { type: 'Normal', reason: 'FuseRecoverSucceed', note: 'again' });
        await eventually(async () => expect(await space.events('thin')).toEqual(['Normal FuseRecoverSucceed: again']));
      },
      flush: () => plugin.flush(),
    };
    for (const ask of Object.values(asks)) await ask();

    const events = auditSince(plane, mark, `system:serviceaccount:${NAMESPACE}:sluice-csi`);
    expect(refused(events)).toEqual([]);
    const role = JSON.parse(await plane.kubectl('get', 'clusterrole', 'sluice-csi', '-o', 'json')) as { readonly rules: readonly Rule[] };
    const used = asked(events);
    expect(granted(role.rules).filter((right) => !used.has(right))).toEqual(['patch events.k8s.io/events']);
  });

  test('grants the webhook what it asks for, also where only Sluice may write its keys, and nothing else', async () => {
    await installReserving();
    await established(plane);
    const admin = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    onTestFinished(() => admin.close());
    onTestFinished(endProcesses);
    const mark = auditMark(plane);
    const webhook = await startWebhook(await kubeconfigOf('sluice-webhook'), undefined, [], {
      MY_POD_NAME: await podOf('webhook', NAMESPACE),
    });
    const space = await createSpace(plane, admin, 'webhook-rights');
    const { namespace } = space;
    const pod = podThatMounts('images', { namespace });
    // Objects that no watch knows are read: first the claim, then the Dataset, then the volume.
    expect(await webhook.admit(pod)).toMatchObject({ message: expect.stringContaining('PersistentVolumeClaim') });
    await space.create(claimOf('images', namespace));
    expect(await webhook.admit(pod)).toMatchObject({ message: expect.stringContaining('Dataset') });
    await space.create(openDataset('images'), thinRuntime('images', {}));
    const runtimes = [{ name: 'images', namespace, type: 'thin' }];
    await space.patch('Dataset', 'images', { status: { phase: 'Bound', conditions: [], runtimes } }, 'status');
    const runtime = await space.get('ThinRuntime', 'images');
    await space.create(fuseOf(runtime));
    await eventually(async () => expect(await webhook.admit(pod)).toMatchObject({ message: expect.stringContaining('PersistentVolume ') }));
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `${namespace}-images`, annotations: { [annotation.verifiedFuse]: 'gone-fuse/uid/1/hash' } },
      spec: {
        accessModes: ['ReadOnlyMany'],
        capacity: { storage: '1Gi' },
        claimRef: { namespace, name: 'images' },
        csi: {
          driver: 'fuse.csi.fluid.io',
          volumeHandle: 'images',
          volumeAttributes: { fluid_path: '/runtime-mnt/thin/images/thin-fuse' },
        },
        storageClassName: 'fluid',
      },
    };
    await admin.create(kinds.PersistentVolume, volume as KubeObject);
    onTestFinished(() => admin.delete(kinds.PersistentVolume, volume.metadata));
    await eventually(async () => expect(await webhook.admit(pod)).toMatchObject({ message: expect.stringContaining('gone-fuse') }));
    // The Secret loses what it had, and gets it again; applied once more, it keeps it.
    await plane.kubectl('patch', 'secret', 'fluid-webhook-certs', '-n', NAMESPACE, '-p', '{"data":{"cert.pem":null,"tls.crt":null}}');
    const events = () => auditSince(plane, mark, `system:serviceaccount:${NAMESPACE}:sluice-webhook`);
    await eventually(() => expect(asked(events())).toContain('update secrets fluid-webhook-certs'));
    const keys = () => plane.kubectl('get', 'secret', 'fluid-webhook-certs', '-n', NAMESPACE, '-o', 'jsonpath={.data}');
    await eventually(async () => expect(await keys()).toContain('tls.crt'));
    const before = await keys();
    await install();
    await plane.kubectl('apply', '-f', join(plane.dir, 'install.yaml'), '-l', 'app.kubernetes.io/component=webhook');
    expect(await keys()).toBe(before);
    await webhook.end('SIGTERM');
    await space.kubectl('delete', 'thinruntimes,datasets', '--all');

    expect(refused(events())).toEqual([]);
    const roles = (await Promise.all(
      ['clusterrole', 'role'].map(async (kind) =>
        JSON.parse(await plane.kubectl('get', kind, 'sluice-webhook', '-n', NAMESPACE, '-o', 'json')),
      ),
    )) as readonly { readonly rules: readonly Rule[] }[];
    const used = asked(events());
    expect(granted(roles.flatMap(({ rules }) => rules)).filter((right) => !used.has(right))).toEqual([]);
  }, 60_000);

  test('grants the webhook what it asks for to judge objects, and nothing more for it', async () => {
    await install('--validation');
    await established(plane);
    const admin = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    onTestFinished(() => admin.close());
    onTestFinished(endProcesses);
    const mark = auditMark(plane);
    const space = await createSpace(plane, admin, 'validation-rights');
    const { namespace } = space;
    const webhook = await startWebhook(await kubeconfigOf('sluice-webhook'), undefined, ['--validate']);
    const specs: Readonly<Record<string, object>> = { ThinRuntime: { profileName: PROFILE }, CacheRuntime: { runtimeClassName: 'any' } };
    for (const { resource } of runtimes) {
      const name = resource.kind.toLowerCase();
      const object = { apiVersion: 'data.fluid.io/v1alpha1', kind: resource.kind, metadata: { name }, spec: specs[resource.kind] ?? {} };
      await space.create(object as KubeObject);
      const dataset = openDataset(name);
      // The watch knows the runtime some moments later.
      await eventually(async () => {
        await webhook.validate({ ...dataset, metadata: { ...dataset.metadata, namespace } });
        expect(asked(events())).toContain(`get data.fluid.io/${resource.plural}`);
      });
    }
    function events() {
      return auditSince(plane, mark, `system:serviceaccount:${NAMESPACE}:sluice-webhook`);
    }
    const configuration = 'patch admissionregistration.k8s.io/validatingwebhookconfigurations sluice-validation';
    await eventually(() => expect(asked(events())).toContain(configuration));
    await webhook.end('SIGTERM');
    await plane.kubectl('delete', 'validatingwebhookconfiguration', 'sluice-validation');
    await space.kubectl('delete', runtimes.map(({ resource }) => resource.plural).join(), '--all');

    expect(refused(events())).toEqual([]);
    const rules = validationRights(runtimes).map(({ group, resources: of, verbs, names }) => ({
      apiGroups: [group],
      resources: of,
      verbs,
      ...(names && { resourceNames: names }),
    }));
    const used = asked(events());
    expect(granted(rules).filter((right) => !used.has(right))).toEqual([]);
  }, 60_000);

  /** The name of a pod of this part. */
  async function podOf(part: string, namespace: string): Promise<string> {
    const selector = ['-l', `app.kubernetes.io/component=${part}`, '-n', namespace];
    return eventually(() => plane.kubectl('get', 'pods', ...selector, '-o', 'jsonpath={.items[0].metadata.name}'));
  }

  /** Flags for a token as the kubelet gives one to the plugin's pod on this node. */
  async function boundToPodOn(node: string): Promise<readonly string[]> {
    const selector = ['-l', 'app.kubernetes.io/component=csi', '--field-selector', `spec.nodeName=${node},status.phase=Running`];
    const pod = await plane.kubectl('get', 'pods', '-n', NAMESPACE, ...selector, '-o', 'jsonpath={.items[0].metadata.name}');
    return ['--bound-object-kind=Pod', `--bound-object-name=${pod}`];
  }

  test.skipIf(!hasPolicies)(
    'follows kustomize into another namespace and to another image',
    async () => {
      const { stdout } = await sluice(['install', '--image', 'sluice:a']);
      const folder = mkdtempSync(join(plane.dir, 'kustomize-'));
      writeFileSync(join(folder, 'install.yaml'), stdout);
      const page = readFileSync(join(root, 'docs/installing.md'), 'utf8');
      const [, kustomization = ''] = /```yaml\n(resources: \[install[\s\S]*?)```/.exec(page) ?? [];
      writeFileSync(join(folder, 'kustomization.yaml'), kustomization);
      const built = await plane.kubectl('kustomize', folder);
      expect(built).not.toMatch(/fluid-system|sluice:a/);
      onTestFinished(async () => {
        await endProcesses();
        await plane.kubectl('delete', 'namespace', 'data-system', '--wait=false');
        await install();
      });
      writeFileSync(join(folder, 'built.yaml'), built);
      await plane.kubectl('apply', '--server-side', '-f', join(folder, 'built.yaml'));
      await established(plane);

      // The policy is not off: the plugin has its rights in the new namespace, on its own node.
      const label = () => plane.kubectl('label', 'node', 'node-1', 'moved=1', '--as=system:serviceaccount:data-system:sluice-csi');
      await eventually(() => expect(label()).rejects.toThrow('may change only its own node'));

      // The controller reads its namespace and its pod, and runs that pod's image in fuse pods.
      const pod = { MY_POD_NAMESPACE: 'data-system', MY_POD_NAME: await podOf('controller', 'data-system') };
      const kubeconfig = await kubeconfigOf('sluice-controller', '-n', 'data-system');
      const argv = ['reconcile', '--kubeconfig', kubeconfig, '--metrics-addr', '0', '--probe-interval', '0'];
      const mark = auditMark(plane);
      const controller = startCommand(argv, pod);
      await controller.says('leading');
      const client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
      onTestFinished(() => client.close());
      const space = await createSpace(plane, client, 'moved');
      const [profile, dataset, runtime] = (['profile.yaml', 'dataset.yaml'] as const).flatMap((file) =>
        objectsIn(profileText('nfs', file)),
      );
      await plane.kubectlApply(stringify(profile));
      await space.create(dataset!, runtime!);
      await space.becomes('DaemonSet', `${runtime!.metadata.name}-fuse`, {
        spec: { template: { spec: { initContainers: [{ image: 'registry.example/sluice:0.1.0' }] } } },
      });
      await space.delete('Dataset', dataset!.metadata.name);
      await space.gone('Dataset', dataset!.metadata.name);
      await removeSpaces(client, [space]);
      await plane.kubectl('delete', 'thinruntimeprofile', profile!.metadata.name);
      await controller.end('SIGTERM');
      expect(refused(auditSince(plane, mark, 'system:serviceaccount:data-system:sluice-controller'))).toEqual([]);
    },
    120_000,
  );

  describe.skipIf(!hasPolicies)('restricts the node plugin', () => {
    const OWN = 'fluid.io/f-ml-demo';
    type Metadata = { readonly labels?: object; readonly annotations?: object; readonly finalizers?: readonly string[] };
    const clients: KubeClient[] = [];
    /** A client with a token as the kubelet gives one to a pod of the plugin, or with another. */
    async function plugin(...flags: readonly string[]): Promise<KubeClient> {
      const kubeconfig = await kubeconfigOf('sluice-csi', ...flags);
      const client = createClient(connectionFromKubeconfig([kubeconfig]), { fieldManager: 'sluice-csi' });
      clients.push(client);
      return client;
    }
    const onNode = async (node: string) => plugin(...(await boundToPodOn(node)));
    const patch = (client: KubeClient, node: string, body: object) => client.patch(kinds.Node, { name: node }, body, { type: 'merge' });
    const labels = (some: Readonly<Record<string, string | null>>) => ({ metadata: { labels: some } });
    beforeAll(async () => {
      await install();
      await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'daemonset/sluice-csi', '--timeout=60s');
      const client = await onNode('node-0');
      // A policy is in force some moments after it is there.
      const refusal = () => patch(client, 'node-1', labels({ [OWN]: 'true' })).catch((error: unknown) => error);
      await eventually(async () => expect(await refusal()).toMatchObject({ status: 403 }));
      await plane.kubectl('label', 'node', '--all', `${OWN}-`, 'example.com/zone=a');
    });

    afterAll(async () => void (await Promise.all(clients.map((client) => client.close()))));

    test('to its own node', async () => {
      const client = await onNode('node-0');
      await patch(client, 'node-0', labels({ [OWN]: 'true', 'fluid.io/efc-sessmgr': 'true' }));
      await patch(client, 'node-0', labels({ [OWN]: null, 'fluid.io/efc-sessmgr': null }));
      await expect(patch(client, 'node-1', labels({ [OWN]: 'true' }))).rejects.toThrow('may change only its own node');
      await patch(await onNode('node-1'), 'node-1', labels({ [OWN]: 'true' }));
    });
    test.each([
      ['a label of another writer is added', { labels: { 'node-role.kubernetes.io/control-plane': '' } }],
      ['one is changed', { labels: { 'example.com/zone': 'b' } }],
      ['one is removed', { labels: { 'example.com/zone': null } }],
      ['one whose key only resembles ours is added', { labels: { 'x.fluid.io/f-a': 'true' } }],
      ['an annotation is added', { annotations: { 'example.com/a': 'b' } }],
      ['a finalizer is added', { finalizers: ['example.com/kept'] }],
      ['it is cordoned', {}, { unschedulable: true }],
    ] satisfies readonly (readonly [string, Metadata, object?])[])(
      'to its labels there: refused when %s, though one of ours is changed as well',
      async (_, metadata: Metadata, spec?: object) => {
        const client = await onNode('node-0');
        const body = { metadata: { ...metadata, labels: { ...metadata.labels, [OWN]: 'true' } }, ...(spec && { spec }) };
        await expect(patch(client, 'node-0', body)).rejects.toThrow('the node plugin may change');
        expect((await client.get(kinds.Node, { name: 'node-0' })).metadata.labels).not.toHaveProperty([OWN]);
      },
    );
    test('also in another namespace, with a prefix, as kustomize would have it', async () => {
      const user = 'system:serviceaccount:data-system:my-sluice-csi';
      await plane.kubectl('create', 'clusterrolebinding', 'moved', '--clusterrole=sluice-csi', `--user=${user}`);
      onTestFinished(() => plane.kubectl('delete', 'clusterrolebinding', 'moved').then(() => {}));
      const label = () => plane.kubectl('label', 'node', 'node-1', 'moved=1', `--as=${user}`, '--overwrite');
      await eventually(() => expect(label()).rejects.toThrow('may change only its own node'));
    });
    test('to events on Datasets, in the name of its own node', async () => {
      const client = await onNode('node-0');
      const event = (name: string, more: object = {}): KubeObject => ({
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name, namespace: 'default' },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'data.fluid.io/sluice-csi',
        reportingInstance: 'node-0',
        action: 'FuseRecoverSucceed',
        reason: 'FuseRecoverSucceed',
        type: 'Normal',
        regarding: { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', name: 'demo', namespace: 'default' },
        ...more,
      });
      const EVENT = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
      const report = (name: string, more?: object) => client.create(EVENT, event(name, more));
      await eventually(() =>
        expect(report(`early-${process.hrtime.bigint()}`, { reportingInstance: 'node-1' })).rejects.toThrow('its own node'),
      );
      const name = `reported-${process.hrtime.bigint()}`;
      const again = { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } };
      await report(name);
      await client.patch(EVENT, { name, namespace: 'default' }, again, { type: 'merge' });
      await expect(report('of-another', { reportingInstance: 'node-1' })).rejects.toThrow('only for its own node');
      await expect(report('as-another', { reportingController: 'kubelet' })).rejects.toThrow('only for its own node');
      const regarding = { apiVersion: 'v1', kind: 'Pod', name: 'app', namespace: 'default' };
      await expect(report('on-a-pod', { regarding })).rejects.toThrow('only on Datasets');
      const other = await onNode('node-1');
      await expect(other.patch(EVENT, { name, namespace: 'default' }, again, { type: 'merge' })).rejects.toThrow('only for its own node');
    });
    test('also with a token that is bound to the node itself', async () => {
      const client = await plugin('--bound-object-kind=Node', '--bound-object-name=node-1');
      await patch(client, 'node-1', labels({ [OWN]: 'true' }));
      await expect(patch(client, 'node-0', labels({ [OWN]: 'true' }))).rejects.toMatchObject({ status: 403 });
    });
    test('to nothing with a token that is bound to no node', async () =>
      expect(patch(await plugin(), 'node-0', labels({ [OWN]: 'true' }))).rejects.toThrow('a token without'));
    test('and limits no other user', async () =>
      expect(await plane.kubectl('label', 'node', 'node-0', 'example.com/zone=c', '--overwrite')).toContain('labeled'));
  });

  describe('is undone by sluice uninstall', () => {
    const uninstall = (...flags: readonly string[]) => sluice(['uninstall', ...flags], { env: { KUBECONFIG: plane.kubeconfig } });
    const left = async () => {
      const kinds = 'deployment,daemonset,csidriver,clusterrole,clusterrolebinding,role,rolebinding,serviceaccount,networkpolicy,pdb';
      const others = [...POLICY_KINDS, 'service,secret,lease,crd'].join();
      const webhooks = 'mutatingwebhookconfiguration,validatingwebhookconfiguration';
      const text = await plane.kubectl('get', `${kinds},${others},${webhooks}`, '-n', NAMESPACE, '-o', 'name');
      // The second is the test control plane's own.
      return text.split('\n').filter((name) => /sluice|fluid/.test(name) && !name.endsWith('/testing.sluice.dev'));
    };
    const profiles = (...verb: readonly string[]) => plane.kubectl(...verb, 'thinruntimeprofiles.data.fluid.io', '--all');
    beforeAll(async () => {
      await install();
      await plane.kubectlApply(stringify(crdOf(ExampleRuntime)));
      await established(plane);
      await plane.kubectlApply(stringify(profile(PROFILE)));
    });

    test('refuses, says what it would do, and leaves what is not ours', { timeout: 120_000 }, async () => {
      await step('not while datasets and runtimes exist, which it names', async () => {
        await plane.kubectlApply(
          [openDataset('precious'), thinRuntime('precious', { profileName: PROFILE })].map((object) => stringify(object)).join('---\n'),
        );
        const before = await left();
        expect(await uninstall()).toEqual({
          code: 1,
          stdout: '',
          stderr: [
            'sluice: nothing was deleted, since these still exist; delete them first:',
            'sluice:   Dataset default/precious',
            'sluice:   ThinRuntime default/precious',
            `sluice:   ThinRuntimeProfile ${PROFILE}`,
            '',
          ].join('\n'),
        });
        expect(await left()).toEqual(before);
        const dry = await uninstall('--dry-run');
        expect([dry.code, dry.stdout.split('\n')[0]]).toEqual([1, 'would delete MutatingWebhookConfiguration fluid-pod-admission-webhook']);
        expect(dry.stdout).toContain('would delete CustomResourceDefinition datasets.data.fluid.io\n');
        expect(dry.stderr.split('\n').slice(0, 2)).toEqual([
          'sluice: nothing would be deleted yet, since these still exist; delete them first:',
          'sluice:   Dataset default/precious',
        ]);
        expect(await left()).toEqual(before);
        await plane.kubectl('delete', 'thinruntime,dataset', 'precious');
      });
      await step('only in words with --dry-run', async () => {
        const before = await left();
        const { code, stdout } = await uninstall('--dry-run', '--keep-crds');
        expect(code).toBe(0);
        expect(stdout.split('\n')[0]).toBe('would delete MutatingWebhookConfiguration fluid-pod-admission-webhook');
        expect(stdout).not.toMatch(/^deleted|CustomResourceDefinition|Namespace/m);
        expect(await left()).toEqual(before);
      });
      await step("but for another installation's driver, and for kinds that are to be kept", async () => {
        await plane.kubectl('label', 'csidriver', 'fuse.csi.fluid.io', 'app.kubernetes.io/name-', 'app.kubernetes.io/part-of-');
        expect((await uninstall('--keep-crds')).stdout).toContain(
          'kept CSIDriver fuse.csi.fluid.io: it does not have the labels of an installation\n',
        );
        expect(await left()).toEqual([
          'csidriver.storage.k8s.io/fuse.csi.fluid.io',
          ...[...resources, ExampleRuntime]
            .map(({ plural }) => `customresourcedefinition.apiextensions.k8s.io/${plural}.data.fluid.io`)
            .toSorted(),
        ]);
      });
      await step('whole, the kinds too once none of their objects exist', async () => {
        await install('--daemon', 'efc');
        // The daemon's pods run where the node plugin asks for them.
        const wanted = () => plane.kubectl('get', 'daemonset/efc-sessmgr', '-n', 'efc-system', '-o', 'jsonpath={.status.numberReady}');
        await plane.kubectl('label', 'node', 'node-1', 'fluid.io/efc-sessmgr=true');
        await eventually(async () => expect(await wanted()).toBe('1'));
        await profiles('delete');
        // As if another installer, such as Fluid's chart, had created it.
        await plane.kubectl('label', 'crd', 'thinruntimeprofiles.data.fluid.io', 'app.kubernetes.io/part-of-');
        const { code, stdout, stderr } = await uninstall('--with-namespace');
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        for (const name of ['DaemonSet efc-system/efc-sessmgr', 'Namespace efc-system']) expect(stdout).toContain(`deleted ${name}\n`);
        expect(stdout).toContain(
          'kept CustomResourceDefinition thinruntimeprofiles.data.fluid.io: it does not have the labels of an installation\n',
        );
        await plane.kubectl('wait', '--for=delete', 'crd/datasets.data.fluid.io', `namespace/${NAMESPACE}`, '--timeout=60s');
        expect(await left()).toEqual(
          ['exampleruntimes', 'thinruntimeprofiles'].map(
            (plural) => `customresourcedefinition.apiextensions.k8s.io/${plural}.data.fluid.io`,
          ),
        );
        await plane.kubectl('delete', 'crd', 'thinruntimeprofiles.data.fluid.io');
        expect(await uninstall()).toEqual({
          code: 0,
          stdout: expect.stringMatching(/^Nothing to delete: [^\n]*\n$/) as string,
          stderr: '',
        });
      });
    });
  });

  // The page says what differs on 1.29.
  test.skipIf(!hasPolicies)(
    'does what docs/installing.md says to type',
    async () => {
      const folder = mkdtempSync(join(plane.dir, 'operator-'));
      const page = readFileSync(join(root, 'docs/installing.md'), 'utf8');
      const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
      // test/install/image.test.ts builds the image, test/cli/completion.test.ts and test/scripts/executable.test.ts type these commands, the
      // Dockerfile needs docker, a mirror needs a registry, and test/install/chart.test.ts renders the chart without helm's program.
      const elsewhere = /npm run image|^docker build|^source <\(sluice completion|^sha256sum --check|^helm install|skopeo copy --all/m;
      const typed = blocks.filter((text) => !elsewhere.test(text));
      expect(typed.length).toBe(blocks.length - 6);
      expect(typed.filter((text) => text.includes('sluice -- uninstall'))).toHaveLength(1);
      for (const text of typed) {
        const script = text.replaceAll('npm run -s sluice --', `"${process.execPath}" "${join(root, 'src/cli/main.ts')}"`);
        const env = { ...process.env, KUBECONFIG: plane.kubeconfig, PATH: `${dirname(plane.kubectlPath)}:${process.env['PATH']}` };
        await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
      }
      expect(readFileSync(join(folder, 'sluice.yaml'), 'utf8')).toContain('path: /mnt/datasets');
      expect(await plane.kubectl('get', 'deployment,daemonset', '-n', NAMESPACE, '-o', 'name')).toBe('');
    },
    120_000,
  );
});
