/** A real API server asks real webhooks: certificates, the CA bundle, and replicas that end under load. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotation, verifiedFuseIn } from '../../src/api/index.ts';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { CONFIGURATION } from '../../src/webhook/certificates/configuration.ts';
import { issue } from '../../src/webhook/certificates/issue.ts';
import { dataOf } from '../../src/webhook/certificates/material.ts';
import { webhookEntries } from '../../src/install/webhook-entries.ts';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { pipeTo } from '../../harness/pods/pipe-to.ts';
import { bundle, ENTRY } from '../../scripts/bundle.ts';
import { endProcesses } from '../support/controller-process.ts';
import { kinds } from '../support/kinds.ts';
import { openDataset, thinRuntime } from '../support/objects.ts';
import { eventually, PROFILE, type Sluice, type Space, startSluice } from '../support/sluice.ts';
import { simulated } from '../support/test-cluster.ts';
import { podThatMounts, startWebhook, type WebhookProcess } from '../support/webhook-process.ts';

const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };
const DAEMON_SET: ResourceType = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true };
const VOLUME: ResourceType = { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };
const NAMESPACE = 'fluid-system';
const HOST = `${webhookNames.service}.${NAMESPACE}.svc`;

/** As kube-proxy: each new connection goes to one of the replicas that are ready. */
async function service(replicas: () => readonly WebhookProcess[]): Promise<Server> {
  const server = createServer((near) => {
    const [replica] = replicas();
    if (!replica) return void near.destroy();
    pipeTo(near, replica.port);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe.skipIf(!simulated)('sluice webhook', () => {
  let plane: ControlPlane;
  let sluice: Sluice;
  let client: KubeClient;
  let space: Space;
  let server: Server;
  let endpoints: readonly WebhookProcess[] = [];
  /** The program in the image: the library for certificates is CommonJS, which a bundle imports in another way. */
  let program: string;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bundle-'));
    program = join(folder, ENTRY);
    await bundle(folder);
    plane = await startControlPlane({ nodes: 1 });
    client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    await client.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    sluice = await startSluice(plane);
    space = await sluice.space('webhook');
    await space.create(openDataset('images'), thinRuntime('images', { profileName: PROFILE }));
    await space.bound('ThinRuntime', 'images');
    server = await service(() => endpoints);
  }, 120_000);
  afterAll(async () => {
    await endProcesses();
    server?.close();
    await client?.delete(CONFIGURATION, { name: webhookNames.configuration }).catch(() => {});
    await sluice?.stop();
    await client?.close();
    await plane?.stop();
    if (program) rmSync(join(program, '../../..'), { recursive: true });
  }, 120_000);

  const configure = async (): Promise<void> => {
    // The name in the certificate that a URL can have here.
    const url = `https://localhost:${(server.address() as AddressInfo).port}${webhookNames.path}`;
    const webhooks = webhookEntries({
      enabled: true,
      replicas: 2,
      failurePolicy: 'Fail',
      timeoutSeconds: 15,
      reinvocationPolicy: 'IfNeeded',
      validation: false,
      podDisruptionBudget: true,
    });
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }];
    await client.create(CONFIGURATION, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: CONFIGURATION.kind,
      metadata: { name: webhookNames.configuration },
      webhooks: webhooks.map((entry) => ({
        ...entry,
        clientConfig: { url },
        rules,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        reinvocationPolicy: 'IfNeeded',
        timeoutSeconds: 15,
      })),
    } as KubeObject);
  };
  let count = 0;
  /** Creates a pod, in words only; returns the names of all of its containers, or why it was rejected. */
  async function created(labels: Readonly<Record<string, string>>): Promise<readonly string[] | string> {
    const asked = podThatMounts('images', { name: `app-${count++}`, namespace: space.namespace, labels });
    try {
      const { spec } = await client.create(kinds.Pod, asked, { dryRun: true, retries: 0 });
      const { containers, initContainers = [] } = spec as Record<string, readonly { readonly name: string }[]>;
      return [...(initContainers as readonly { readonly name: string }[]), ...(containers ?? [])].map(({ name }) => name);
    } catch (error) {
      return (error as Error).message;
    }
  }
  const withSidecar = () => created({ 'serverless.fluid.io/inject': 'true' });
  const WITH_SIDECAR = expect.arrayContaining([expect.stringMatching(/^fluid-fuse-/), 'main']);
  const isReady = async (replica: WebhookProcess): Promise<boolean> => (await replica.ready().catch(() => '')) === 'ok';
  /** Pods one after the other while something happens; what became of each. */
  async function underLoad(happens: () => Promise<void>): Promise<readonly (readonly string[] | string)[]> {
    const all: (readonly string[] | string)[] = [];
    let isOver = false;
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) all.push(await withSidecar());
      }),
    );
    await happens().finally(() => (isOver = true));
    await load;
    return all;
  }
  const rejected = (all: readonly (readonly string[] | string)[]) =>
    [...new Set(all.filter((each) => typeof each === 'string'))].slice(0, 3);
  /** No pod that asked was ever created without its sidecar. */
  const expectNoneWithout = (all: readonly (readonly string[] | string)[]) => {
    expect(all.length).toBeGreaterThan(10);
    for (const each of all) if (typeof each !== 'string') expect(each).toEqual(WITH_SIDECAR);
  };

  test('never puts a DaemonSet that a user edits into a pod: the controller makes it as it was, and records it', async () => {
    const name = { namespace: space.namespace, name: 'images-fuse' };
    const before = await client.get(DAEMON_SET, name);
    const { spec } = structuredClone(before) as unknown as { spec: { template: { spec: { containers: object[] } } } };
    spec.template.spec.containers.push({ name: 'evil', image: 'evil.example/agent' });
    // As the controller's own manager, which any client may say that it is.
    const edited = await client.patch(DAEMON_SET, name, { spec }, { type: 'merge', fieldManager: 'sluice' });
    expect(edited.metadata.generation).toBe(2);
    await eventually(async () => {
      const { metadata, ...repaired } = await client.get(DAEMON_SET, name);
      expect(repaired['spec']).toEqual(before['spec']);
      const volume = await client.get(VOLUME, { name: `${space.namespace}-images` });
      const record = verifiedFuseIn(volume.metadata.annotations?.[annotation.verifiedFuse]);
      expect(record).toMatchObject({ name: 'images-fuse', uid: metadata.uid, generation: metadata.generation });
    });
  });

  test('heals an expired certificate, and gives pods that ask for one their sidecar', async () => {
    const old = await issue({ older: [] }, [HOST], Date.now() - 400 * 24 * 3600_000);
    const metadata = { name: webhookNames.secret, namespace: NAMESPACE };
    await client.create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: dataOf(old) } as KubeObject);
    endpoints = await Promise.all([startWebhook(plane.kubeconfig, program), startWebhook(plane.kubeconfig, program)]);
    await configure();
    await eventually(async () => expect(await Promise.all(endpoints.map(isReady))).toEqual([true, true]));
    await eventually(async () => expect(await withSidecar()).toEqual(WITH_SIDECAR));
    expect(await created({ 'fuse.sidecar.fluid.io/inject': 'true' })).toEqual(WITH_SIDECAR);
    expect(await created({ 'serverless.fluid.io/inject': 'true', 'fluid.io/enable-injection': 'false' })).toEqual(['main']);
  }, 60_000);

  test('gives pods their sidecar whatever created them', async () => {
    const { spec } = podThatMounts('images', {}) as KubeObject & { readonly spec: object };
    const labels = { app: 'any', 'serverless.fluid.io/inject': 'true' };
    const template = { metadata: { labels }, spec };
    const selecting = { replicas: 1, selector: { matchLabels: { app: 'any' } }, template };
    const job = { template: { metadata: { labels }, spec: { ...spec, restartPolicy: 'Never' } } };
    const workloads: readonly (readonly [apiVersion: string, kind: string, spec: object])[] = [
      ['apps/v1', 'Deployment', selecting],
      ['apps/v1', 'StatefulSet', { ...selecting, serviceName: 'any' }],
      ['apps/v1', 'DaemonSet', { selector: selecting.selector, template }],
      ['apps/v1', 'ReplicaSet', selecting],
      ['v1', 'ReplicationController', { ...selecting, selector: { app: 'any' } }],
      ['batch/v1', 'Job', job],
      ['batch/v1', 'CronJob', { schedule: '0 0 1 1 *', jobTemplate: { spec: job } }],
    ];
    for (const [apiVersion, kind, spec] of workloads)
      await plane.kubectlApply(
        JSON.stringify({ apiVersion, kind, metadata: { name: `of-${kind.toLowerCase()}`, namespace: space.namespace }, spec }),
      );
    await space.kubectl('create', 'job', 'of-schedule', '--from=cronjob/of-cronjob');
    await eventually(async () => {
      const pods = (await space.list('Pod')).filter(({ metadata }) => metadata.labels?.['app'] === 'any');
      expect(new Set(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind))).toEqual(
        new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'Job']),
      );
      expect(pods.length).toBeGreaterThanOrEqual(workloads.length);
      for (const { spec: podSpec } of pods)
        expect((podSpec as { initContainers?: readonly { name: string }[] }).initContainers?.map(({ name }) => name)).toEqual([
          'fluid-fuse-0',
        ]);
    });
    await space.kubectl('delete', '--wait=false', workloads.map(([, kind]) => kind).join(','), '--all');
  }, 120_000);

  test('gives no privileged client to a namespace whose pods may not have one', async () => {
    await space.kubectl('label', 'namespace', space.namespace, 'pod-security.kubernetes.io/enforce=baseline');
    expect(await withSidecar()).toMatch(/violates PodSecurity "baseline:latest": .*privileged \(container "fluid-fuse-0"/);
    await space.kubectl('label', 'namespace', space.namespace, 'pod-security.kubernetes.io/enforce-');
  });

  test('takes less than 120 MB with a Dataset', async () => {
    for (const replica of endpoints) {
      const bytes = Number(/^process_resident_memory_bytes (\S+)/m.exec(await replica.metrics())?.[1]);
      console.log(`webhook: ${(bytes / 1e6).toFixed(0)} MB`);
      expect(bytes).toBeLessThan(120e6);
    }
  });

  test('changes its certificate under load, and no pod waits for it', async () => {
    const before = await endpoints[0]?.metrics();
    const all = await underLoad(async () => {
      const expired = await issue({ older: [] }, [HOST], Date.now() - 400 * 24 * 3600_000);
      await client.patch(SECRET, { namespace: NAMESPACE, name: webhookNames.secret }, { data: dataOf(expired) }, { type: 'merge' });
      const expiry = /^sluice_webhook_certificate_expiry_timestamp_seconds (\S+)/m;
      for (const replica of endpoints)
        await eventually(async () => expect(expiry.exec(await replica.metrics())?.[1]).not.toBe(expiry.exec(before ?? '')?.[1]));
    });
    expectNoneWithout(all);
    expect(rejected(all)).toEqual([]);
  }, 60_000);

  test('holds up no pod while one of two replicas is stopped', async () => {
    const [stopping, staying] = endpoints as [WebhookProcess, WebhookProcess];
    const all = await underLoad(async () => {
      const ended = stopping.end('SIGTERM');
      await eventually(async () => expect(await isReady(stopping)).toBe(false));
      endpoints = [staying];
      await ended;
    });
    expectNoneWithout(all);
    expect(rejected(all)).toEqual([]);
  }, 60_000);

  test('creates no pod without its sidecar while a replica is killed and none is left, and none with hints only is held up', async () => {
    const [killed] = endpoints as [WebhookProcess];
    const next = await startWebhook(plane.kubeconfig, program);
    const all = await underLoad(async () => {
      await killed.end('SIGKILL');
      endpoints = [];
      await eventually(async () => expect(await withSidecar()).toContain('failed calling webhook'));
      expect(await created({ 'fuse.serverful.fluid.io/inject': 'true' })).toEqual(['main']);
      expect(await created({})).toEqual(['main']);
      endpoints = [next];
      await eventually(async () => expect(await withSidecar()).toEqual(WITH_SIDECAR));
    });
    expectNoneWithout(all);
    expect(rejected(all)).not.toEqual([]);
  }, 60_000);
});
