/**
 * `sluice takeover go`, `back` and `finish` as processes, on a real API server and Kubernetes' own controllers. Fluid's objects are
 * stand-ins: its controllers hold their Leases and do nothing else. Sluice's controller and webhook are real processes with their accounts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../harness/control-plane/ports.ts';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { accountKubeconfig } from '../../harness/pods/account-kubeconfig.ts';
import { type CommandOptions, takeover } from '../../harness/takeover/commands.ts';
import { isPlugin, type PluginPods, playPluginPods } from '../../harness/takeover/plugin-pods.ts';
import { type PodPrograms, runPods } from '../../harness/pods/pod-programs.ts';
import { accountOf, type ProgramPod, variablesOf } from '../../harness/pods/pod-shape.ts';
import { type Program, startProgram } from '../../harness/pods/program.ts';
import { differences, snapshot, type Snapshot } from '../../harness/takeover/snapshot.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { LEASE } from '../../src/kube/lease/lease-record.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { type KubeObject, resourceType } from '../../src/kube/types.ts';
import { root, sluice } from '../cli/run.ts';
import { openDataset, thinProfile, thinRuntime } from '../support/objects.ts';
import { eventually } from '../support/sluice.ts';
import { simulated } from '../support/test-cluster.ts';
import { binding, configuration, deployment, lease, NAMESPACE, nodePlugin, record } from '../takeover/fluid/given.ts';

const WEBHOOK = 'fluid-pod-admission-webhook';
const SLICE = resourceType('discovery.k8s.io', 'EndpointSlice', 'endpointslices');
const CONFIGURATION = resourceType('admissionregistration.k8s.io', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false);
const LEASES: Readonly<Record<string, string>> = {
  'dataset-controller': 'dataset.data.fluid.io',
  'thinruntime-controller': 'thin.data.fluid.io',
};

describe.skipIf(!simulated)('sluice takeover, of a Fluid whose programs are stand-ins', () => {
  let plane: ControlPlane;
  let client: KubeClient;
  let pods: PodPrograms;
  let plugins: PluginPods;
  const faults: unknown[] = [];
  /** Moments in which the API server would have asked a webhook that nothing serves. */
  const gaps: string[] = [];
  let isWatching = true;
  let watching: Promise<void>;

  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 2 });
    client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'tests' });
    for (const name of [NAMESPACE, 'ml']) await plane.kubectl('create', 'namespace', name);
    for (const as of ['NotReady', 'Terminating'] as const) await plane.pods.hold({ namespace: NAMESPACE }, { as });
    const onFault = (error: unknown) => void faults.push(error);
    pods = runPods({ client, namespace: NAMESPACE, hasProgram: (pod) => !isPlugin(pod), start, probe, onFault });
    plugins = playPluginPods(client, NAMESPACE, onFault);
    const file = join(plane.dir, 'crds.yaml');
    writeFileSync(file, (await sluice(['crds'])).stdout);
    await plane.kubectl('apply', '--server-side', '-f', file);
    await plane.kubectl('wait', '--for=condition=Established', 'crd', '--all');
    const profile = thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } });
    const users = [
      profile,
      ...[openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })].map((each) => ({
        ...each,
        metadata: { ...each.metadata, namespace: 'ml' },
      })),
    ];
    await plane.kubectlApply(list([...users, ...fluid()]));
    await eventually(async () => expect(await readyBehind()).toHaveLength(1), 60);
    await eventually(async () => expect(await holders()).toEqual([expect.stringContaining('dataset-'), expect.stringContaining('thin')]));
    watching = watchWebhook();
  }, 300_000);
  afterAll(async () => {
    isWatching = false;
    await watching;
    await pods?.stop();
    await plugins?.stop();
    await client?.close();
    await plane?.stop();
  }, 60_000);

  const list = (items: readonly KubeObject[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

  /** A pod's program: Sluice's own, or a stand-in that holds a Lease. */
  async function start(pod: ProgramPod): Promise<Program> {
    const { name } = pod.metadata;
    const { args = [] } = pod.spec.containers[0];
    if (args[0] !== 'reconcile' && args[0] !== 'webhook') return standIn(name);
    const [metrics = 0] = await freePorts(1);
    ports.set(pod.metadata.uid, metrics);
    const kubeconfig = await accountKubeconfig(plane, accountOf(pod));
    const flags = [`--metrics-addr=127.0.0.1:${metrics}`, `--kubeconfig=${kubeconfig}`, ...(args[0] === 'webhook' ? ['--port=0'] : [])];
    mkdirSync(join(plane.dir, 'logs'), { recursive: true });
    return startProgram({
      command: process.execPath,
      args: [join(root, 'src/cli/main.ts'), ...args, ...flags],
      env: { PATH: process.env['PATH'] ?? '', HOME: plane.dir, ...variablesOf(pod) },
      log: join(plane.dir, 'logs', `${name}.log`),
    });
  }
  /** Ports of the readiness probes, by UID. */
  const ports = new Map<string, number>();
  const probe = ({ metadata: { uid } }: ProgramPod) => (ports.has(uid) ? `http://127.0.0.1:${ports.get(uid)}/readyz` : undefined);

  /** Holds the Lease of a controller as client-go does: not one that another holds and renews in time. */
  function standIn(name: string): Program {
    const [, leaseName] = Object.entries(LEASES).find(([each]) => name.startsWith(each)) ?? [];
    let isRunning = true;
    const ended = (async () => {
      while (isRunning) {
        if (leaseName !== undefined) await renew(leaseName, `${name}_1`).catch((error: unknown) => faults.push(error));
        await sleep(500);
      }
    })();
    const stop = () => {
      isRunning = false;
      return ended;
    };
    return { ended, stop, kill: () => void stop() };
  }
  async function renew(name: string, holder: string): Promise<void> {
    const live = await client.get(LEASE, { namespace: NAMESPACE, name });
    const {
      holderIdentity,
      leaseDurationSeconds = 15,
      renewTime = 0,
    } = live['spec'] as {
      readonly holderIdentity?: string;
      readonly leaseDurationSeconds?: number;
      readonly renewTime?: string | number;
    };
    const isFree = !holderIdentity || new Date(renewTime).getTime() + leaseDurationSeconds * 1000 < Date.now();
    if (holderIdentity !== holder && !isFree) return;
    const spec = { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: new Date().toISOString().replace('Z', '000Z') };
    await client.update(LEASE, { ...live, spec }).catch(() => {});
  }

  const holders = async () =>
    Promise.all(
      Object.values(LEASES).map(async (name) => {
        const { spec } = await client.get(LEASE, { namespace: NAMESPACE, name });
        return (spec as { readonly holderIdentity?: string }).holderIdentity;
      }),
    );

  /** Names of the pods behind the webhook's Service. */
  async function readyBehind(): Promise<readonly string[]> {
    const slices = await client.list(SLICE, { namespace: NAMESPACE, labelSelector: `kubernetes.io/service-name=${WEBHOOK}` });
    return slices.items.flatMap((slice) =>
      (
        (slice['endpoints'] ?? []) as readonly {
          readonly conditions: { readonly ready?: boolean };
          readonly targetRef: { readonly name: string };
        }[]
      )
        .filter(({ conditions }) => conditions.ready)
        .map(({ targetRef }) => targetRef.name),
    );
  }
  async function watchWebhook(): Promise<void> {
    while (isWatching) {
      const exists = await client.get(CONFIGURATION, { name: WEBHOOK }).then(
        () => true,
        () => false,
      );
      if (exists && (await readyBehind()).length === 0) gaps.push(new Date().toISOString());
      await sleep(100);
    }
  }

  const log = () => join(plane.dir, 'logs', 'takeover.log');
  const command = (args: readonly string[], onLine?: CommandOptions['onLine']) =>
    takeover(args, { kubeconfig: plane.kubeconfig, log: log(), ...(onLine && { onLine }) });
  /** Once, killed at the line that has this word; then again to its end. */
  async function interrupted(args: readonly string[], word: string): Promise<void> {
    expect(await command(args, (line, kill) => line.includes(word) && kill())).toMatchObject({ code: 'killed' });
    expect(await command(args)).toMatchObject({ code: 0 });
  }
  const GO = ['go', '--image', 'sluice:1', '--replicas', '1'];

  /** Nothing of users is gone, was made anew or was added, and nothing of it that matters changed. */
  async function expectAsTaken(): Promise<void> {
    const now = await snapshot(client, NAMESPACE);
    expect(differences(taken, now)).toEqual([]);
    expect([...now.keys()].toSorted()).toEqual([...taken.keys()].toSorted());
  }
  const phase = () => plane.kubectl('get', 'dataset', 'demo', '-n', 'ml', '-o', 'jsonpath={.status.phase}');
  /** The records that helm finds. */
  const records = async () =>
    (await plane.kubectl('get', 'secrets', '-n', 'default', '-l', 'owner=helm,name=fluid', '-o', 'name')).split('\n').filter(Boolean);
  const replicas = async () =>
    (await plane.kubectl('get', 'deployments', '-n', NAMESPACE, '-o', 'jsonpath={range .items[*]}{.metadata.name}={.spec.replicas} {end}'))
      .trim()
      .split(' ');

  let taken: Snapshot;

  test('go, killed once it has stopped the controllers, and begun again', async () => {
    await interrupted(GO, 'hold Lease');
    await eventually(async () => expect(await phase()).toBe('Bound'), 60);
    expect(await holders()).toEqual(['sluice-takeover', 'sluice-takeover']);
    expect(await records()).toEqual([]);
    expect(await replicas()).toEqual(expect.arrayContaining(['dataset-controller=0', 'thinruntime-controller=0', 'fluid-webhook=0']));
    expect(await readyBehind()).toEqual([expect.stringContaining('sluice-webhook'), expect.stringContaining('sluice-webhook')]);
    expect(await command(['status'])).toMatchObject({ code: 0 });
    taken = await snapshot(client, NAMESPACE);
  }, 300_000);

  test('back, killed once the Leases are free, and begun again', async () => {
    await interrupted(['back'], 'release Lease');
    await eventually(
      async () => expect(await holders()).toEqual([expect.stringContaining('dataset-'), expect.stringContaining('thin')]),
      60,
    );
    expect(await records()).toHaveLength(2);
    expect(await replicas()).toEqual(['dataset-controller=1', 'fluid-webhook=1', 'thinruntime-controller=1']);
    expect(await readyBehind()).toEqual([expect.stringContaining('fluid-webhook')]);
    expect(await plane.kubectl('get', 'service', WEBHOOK, '-n', NAMESPACE, '-o', 'jsonpath={.spec.selector}')).toBe(
      '{"control-plane":"fluid-webhook"}',
    );
    await expectAsTaken();
    expect(await command(['status'])).toMatchObject({ code: 1 });
  }, 300_000);

  test('go once more, killed while it hands over the nodes', async () => {
    await interrupted(GO, 'delete Pod');
    expect(await command(['status'])).toMatchObject({ code: 0 });
    await expectAsTaken();
    expect(await phase()).toBe('Bound');
  }, 300_000);

  test('finish, killed at its first step, and begun again, leaves Sluice alone', async () => {
    await interrupted(['finish', '--yes'], '✓');
    const left = await plane.kubectl('get', 'deployments,daemonsets,leases,configmaps', '-n', NAMESPACE, '-o', 'name');
    expect(left.split('\n').filter((name) => /dataset|thin|fluid-webhook|csi-nodeplugin|takeover/.test(name))).toEqual([]);
    expect(await plane.kubectl('get', 'secrets', '-n', 'default', '-o', 'name')).not.toContain('helm.release');
    await expectAsTaken();
    expect(await phase()).toBe('Bound');
  }, 300_000);

  test('the API server never had a webhook without a pod, no two plugins served on a node, and no program ended by itself', () => {
    expect(gaps).toEqual([]);
    expect(plugins.violations).toEqual([]);
    expect([...pods.ended]).toEqual([]);
    expect(faults).toEqual([]);
  });
});

/** Fluid as its chart installs it, valid for an API server. */
function fluid(): readonly KubeObject[] {
  const helm = { annotations: { 'meta.helm.sh/release-name': 'fluid', 'meta.helm.sh/release-namespace': 'default' } };
  const own = configuration(NAMESPACE) as KubeObject & {
    readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly service: object } }[];
  };
  const webhooks = own.webhooks.map(({ name, clientConfig: { service } }) => ({
    name,
    clientConfig: { service: { ...service, path: '/mutate', port: 9443 } },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    objectSelector: { matchLabels: { 'serverless.fluid.io/inject': 'true' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }));
  const { subjects, ...rest } = binding(NAMESPACE) as KubeObject & { readonly subjects: readonly object[] };
  return [
    { ...rest, subjects },
    ...Object.values(LEASES).map((name) => lease(name, '')),
    ...['dataset-controller', 'thinruntime-controller', 'fluid-webhook'].map((name) => deployment(name)),
    nodePlugin(),
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'fuse.csi.fluid.io', ...helm },
      spec: { attachRequired: false },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: WEBHOOK, namespace: NAMESPACE, ...helm },
      spec: {
        selector: { 'control-plane': 'fluid-webhook' },
        ports: [{ name: 'https-rest', port: 9443, protocol: 'TCP', targetPort: 9443 }],
      },
    },
    { ...own, webhooks },
    ...[1, 2].map((revision) => record('Secret', revision, revision === 2 ? 'deployed' : 'superseded', {})),
  ];
}
