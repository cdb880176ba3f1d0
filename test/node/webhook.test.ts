/** Sidecars on a real node that has no CSI plugin: pods get their clients from the installed webhook, through its Service. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { stringify } from 'yaml';
import type { PodSpec } from '../../src/api/index.ts';
import { parseMountinfo } from '../../src/csi/mounts/mountinfo.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { BUSYBOX_IMAGE, FUSE_IMAGE, fuseImage, minioImage } from '../../harness/index.ts';
import { canHaveNode } from '../support/real-node.ts';
import { datasetObject, openDataset, thinProfile, thinRuntime } from '../support/objects.ts';
import { createSpace, eventually as within, type Space } from '../support/sluice.ts';
import { type Installed, NAMESPACE, startInstalled } from './installed.ts';
import { hasSeed, SEED_COMMAND, SEED_IMAGE, seedImages, seedPod } from './seed.ts';
import { writeFiles } from './walk-through.ts';

const [FUSE, FUSE_TAG] = FUSE_IMAGE.split(':') as [string, string];
const PODS: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const PREFETCH = { 'file-prefetcher.fluid.io/inject': 'true' };
const SERVERLESS = { 'serverless.fluid.io/inject': 'true' };
const KEYS = ['minio-access-key', 'minio-access-secret'];
/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
const eventually = <T>(check: () => T | Promise<T>) => within(check, 120);
const CSI_NOWHERE = { csi: { nodeSelector: { 'sluice.example/csi': 'nowhere' } } };

describe.skipIf(!canHaveNode)('a node without the CSI plugin', { timeout: LIMIT }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-webhook-'));
  let cluster: Installed;
  let client: KubeClient;
  let space: Space;
  beforeAll(async () => {
    cluster = await startInstalled({ images: [fuseImage(), minioImage(), ...seedImages()], flags: ['--values', values({})] });
    client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    space = await createSpace(cluster.plane, client, 'sidecars');
    // A file system that needs no storage. Its client does not clear the way for itself.
    const mount =
      'mkdir -p /src "$MOUNT_POINT"; echo "$FLUID_RUNTIME_NAME" > /src/file; exec rclone mount /src "$MOUNT_POINT" --allow-other';
    const fuse = { image: FUSE, imageTag: FUSE_TAG, command: ['sh', '-c', mount] };
    await space.create(thinProfile('local-files', { fileSystemType: 'fuse.rclone', fuse }));
    for (const name of ['images', 'models']) {
      await space.create(openDataset(name), thinRuntime(name, { profileName: 'local-files' }));
      await space.bound('ThinRuntime', name);
    }
  }, LIMIT);
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const showLogs = () => onTestFailed(async () => console.error(await cluster.logs()));
  const kubectl = (...args: readonly string[]) => cluster.plane.kubectl(...args);
  const values = (webhook: object): string => {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify({ ...CSI_NOWHERE, webhook }));
    return file;
  };
  const install = async (webhook: object) => {
    await cluster.install('--values', values(webhook));
    await cluster.rolledOut();
    // A replica that stops answers for some seconds more.
    const running = () => kubectl('get', 'pods', '-n', NAMESPACE, '-l', 'app.kubernetes.io/component=webhook', '-o', 'name');
    await eventually(async () => expect((await running()).trim().split('\n')).toHaveLength(2));
  };
  /** File systems of clients that are mounted for this space, and directories of pods. */
  const left = async () => {
    const home = join(cluster.node.mountRoot, 'thin', space.namespace);
    const mounts = parseMountinfo(readFileSync('/proc/self/mountinfo', 'utf8')).filter(({ mountPoint }) =>
      mountPoint.startsWith(`${home}/`),
    );
    return [...mounts.map(({ mountPoint }) => mountPoint), await cluster.node.run('find', home, '-mindepth', '2')].filter(Boolean);
  };
  const podSpec = (script: string, more: Partial<PodSpec> = {}, datasets = ['images']): PodSpec => ({
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 5,
    containers: [{ name: 'main', image: BUSYBOX_IMAGE, command: ['sh', '-ec', script], volumeMounts: mountsOf(datasets) }],
    volumes: datasets.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...more,
  });
  const mountsOf = (datasets: readonly string[]) => datasets.map((name) => ({ name, mountPath: `/${name}` }));
  const pod = (name: string, spec: PodSpec, labels: Readonly<Record<string, string>> = SERVERLESS): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: space.namespace, labels },
    spec,
  });
  const job = (name: string, spec: PodSpec, more: object = {}, annotations: object = {}): KubeObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: space.namespace },
    spec: { backoffLimit: 2, ...more, template: { metadata: { labels: SERVERLESS, annotations }, spec } },
  });
  const apply = (...objects: readonly object[]) => cluster.plane.kubectlApply(objects.map((object) => stringify(object)).join('---\n'));
  const completed = (name: string) => kubectl('wait', '-n', space.namespace, '--for=condition=Complete', `job/${name}`, '--timeout=120s');
  const logsOf = (what: string, container = 'main') => kubectl('logs', '-n', space.namespace, what, '-c', container, '--prefix=false');
  const field = (what: string, path: string) => kubectl('get', '-n', space.namespace, what, '-o', `jsonpath={${path}}`);

  test.skipIf(!hasSeed)("the last step of Fluid's walk-through: a serverless pod prints the file and completes", async () => {
    showLogs();
    writeFiles(folder);
    await kubectl('apply', '-f', join(folder, 'minio.yaml'));
    await kubectl('rollout', 'status', 'deployment/minio', '--timeout=90s');
    const store = 'echo fluid-minio-test > testfile && rclone copy testfile store:my-first-bucket';
    await kubectl('exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-c', store);
    await kubectl('create', 'secret', 'generic', 'minio-secret', ...KEYS.map((key) => `--from-literal=${key}=minioadmin`));
    const [image = '', imageTag = ''] = SEED_IMAGE.split(':');
    await apply(thinProfile('minio', { fileSystemType: 'fuse', fuse: { image, imageTag, command: SEED_COMMAND } }));
    await kubectl('apply', '-f', join(folder, 'dataset.yaml'));
    await kubectl('wait', '--for=jsonpath={.status.phase}=Bound', 'dataset/minio-demo', '--timeout=60s');
    // The printed pod with a shell that the test's image has, and an end that comes soon.
    const printed = JSON.stringify(seedPod())
      .replace('nginx:latest', BUSYBOX_IMAGE)
      .replace('"bash"', '"sh"')
      .replace('sleep 180', 'sleep 1');
    await apply(JSON.parse(printed) as object);
    await kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/test-minio', '--timeout=120s');
    expect(await kubectl('logs', 'test-minio', '-c', 'app')).toMatch(/testfile\nfluid-minio-test\n$/);
    expect(await kubectl('get', 'pods', '-A', '-l', 'role=thin-fuse', '-o', 'name')).toBe('');
  });

  test('Jobs complete, read several Datasets from their init containers on, and leave nothing', async () => {
    showLogs();
    const both = ['images', 'models'];
    const early = {
      name: 'early',
      image: BUSYBOX_IMAGE,
      command: ['sh', '-ec', 'cat /images/file /models/file'],
      volumeMounts: mountsOf(both),
    };
    const part = { name: 'images', mountPath: '/part', subPath: 'file' };
    const spec = podSpec('cat /images/file /models/file /part; sleep 2', { initContainers: [early] }, both);
    const [main] = spec.containers;
    const containers = [{ ...main, volumeMounts: [...mountsOf(both), part] }] as PodSpec['containers'];
    // Several pods of one Dataset on one node, at once.
    await apply(job('both', { ...spec, containers }, { completions: 3, parallelism: 3 }, PREFETCH));
    await completed('both');
    expect(await logsOf('job/both', 'fluid-file-prefetcher')).toContain('"files":2');
    expect(await logsOf('job/both')).toBe('images\nmodels\nimages\n');
    expect(await logsOf('job/both', 'early')).toBe('images\nmodels\n');
    await eventually(async () => expect(await left()).toEqual([]));
  });

  test('a reference shows the directory that it names, and no link leads out of its Dataset', async () => {
    showLogs();
    // A file system with links: rclone shows none.
    const files = 'mkdir -p /src/train "$MOUNT_POINT"; echo trained > /src/train/file; ln -s /etc /src/out';
    const command = ['sh', '-c', `${files}; mount --bind /src "$MOUNT_POINT"; while sleep 1; do :; done`];
    await space.create(thinProfile('linked', { fileSystemType: 'fuse.linked', fuse: { image: FUSE, imageTag: FUSE_TAG, command } }));
    await space.create(openDataset('linked'), thinRuntime('linked', { profileName: 'linked' }));
    for (const name of ['train', 'out']) {
      await space.create(datasetObject(name, { mounts: [{ mountPoint: `dataset://${space.namespace}/linked/${name}` }] }));
      await space.bound('ThinRuntime', name);
    }
    await apply(job('train', podSpec('cat /train/file', {}, ['train'])));
    await completed('train');
    expect(await logsOf('job/train')).toBe('trained\n');
    await apply(pod('out', podSpec('cat /out/hostname', {}, ['out'])));
    await eventually(async () => expect(await field('pod/out', '.status.containerStatuses[0].state.waiting.message')).toMatch(/subPath/));
    await kubectl('delete', '-n', space.namespace, 'pod', 'out');
    await eventually(async () => expect(await left()).toEqual([]));
  });

  test('a client that is killed mounts again, for containers that start again', async () => {
    showLogs();
    const spec = podSpec('while sleep 0.2; do cat /images/file; done', { restartPolicy: 'OnFailure' });
    await apply(pod('killed', spec));
    await kubectl('wait', '-n', space.namespace, '--for=condition=Ready', 'pod/killed', '--timeout=60s');
    await cluster.node.run('pkill', '-KILL', 'rclone');
    await eventually(async () =>
      expect(Number(await field('pod/killed', '.status.initContainerStatuses[0].restartCount'))).toBeGreaterThan(0),
    );
    await eventually(async () => expect(Number(await field('pod/killed', '.status.containerStatuses[0].restartCount'))).toBeGreaterThan(0));
    await kubectl('wait', '-n', space.namespace, '--for=condition=Ready', 'pod/killed', '--timeout=60s');
    await eventually(async () => expect(await logsOf('pod/killed')).toContain('images'));
    await kubectl('delete', '-n', space.namespace, 'pod', 'killed');
    expect(await left()).toEqual([]);
  });

  test('without a webhook no pod that asks for a client is created, and all others are', async () => {
    showLogs();
    await kubectl('scale', '-n', NAMESPACE, 'deployment/sluice-webhook', '--replicas=0');
    await kubectl('wait', '-n', NAMESPACE, '--for=delete', 'pod', '-l', 'app.kubernetes.io/component=webhook', '--timeout=60s');
    await expect(apply(pod('refused', podSpec('true')))).rejects.toThrow(/failed calling webhook "sidecar.fuse.fluid.io"/);
    await apply(job('held', podSpec('cat /images/file')));
    await apply(
      pod('plain', podSpec('true', {}, []), {}),
      pod('hints', podSpec('true', {}, []), { 'fuse.serverful.fluid.io/inject': 'true' }),
    );
    for (const name of ['plain', 'hints'])
      await kubectl('wait', '-n', space.namespace, '--for=jsonpath={.status.phase}=Succeeded', `pod/${name}`, '--timeout=60s');
    expect(await kubectl('get', 'pods', '-n', space.namespace, '-l', 'job-name=held', '-o', 'name')).toBe('');
    await kubectl('scale', '-n', NAMESPACE, 'deployment/sluice-webhook', '--replicas=2');
    await cluster.rolledOut();
    await completed('held');
    expect(await logsOf('job/held')).toBe('images\n');
  });

  describe('while pods are created without a pause', () => {
    /** The results for pods in a dry run: no pod is stored. */
    const under = async (during: () => Promise<void>) => {
      const counts = { injected: 0, bare: 0, rejected: 0, heldUp: 0 };
      const ended = new AbortController();
      const load = async (labels: Readonly<Record<string, string>>, count: (created: KubeObject) => void, rejected: () => void) => {
        while (!ended.signal.aborted)
          await client.create(PODS, pod('tried', podSpec('true'), labels), { dryRun: true, timeoutMs: 20_000 }).then(count, rejected);
      };
      const isInjected = ({ spec }: KubeObject) => (spec as PodSpec).initContainers?.some(({ name }) => name === 'fluid-fuse-0');
      const loads = [
        ...[1, 2, 3].map(() =>
          load(
            SERVERLESS,
            (created) => void (isInjected(created) ? counts.injected++ : counts.bare++),
            () => void counts.rejected++,
          ),
        ),
        load(
          {},
          () => {},
          () => void counts.heldUp++,
        ),
      ];
      await during().finally(() => ended.abort());
      await Promise.all(loads);
      return counts;
    };
    /** As if for good: one admission after the other. */
    const admits = () => eventually(() => client.create(PODS, pod('tried', podSpec('true')), { dryRun: true }));

    test('a replica that is killed leaves no pod without its client, and holds up no other', async () => {
      showLogs();
      const counts = await under(async () => {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const [victim = ''] = (
          await kubectl('get', 'pods', '-n', NAMESPACE, '-l', 'app.kubernetes.io/component=webhook', '-o', 'name')
        ).split('\n');
        await kubectl('delete', '-n', NAMESPACE, victim, '--force', '--grace-period=0');
        await cluster.rolledOut();
        await admits();
      });
      expect(counts).toMatchObject({ bare: 0, heldUp: 0 });
      expect(counts.injected).toBeGreaterThan(0);
    });

    test('a Secret that is emptied heals, and no pod comes without its client', async () => {
      showLogs();
      const secret = () => kubectl('get', '-n', NAMESPACE, 'secret', 'fluid-webhook-certs', '-o', 'jsonpath={.data.cert\\.pem}');
      const before = await secret();
      const counts = await under(async () => {
        await kubectl('patch', '-n', NAMESPACE, 'secret', 'fluid-webhook-certs', '--type=merge', '-p', '{"data":null}');
        await eventually(async () => expect([before, '']).not.toContain(await secret()));
        await admits();
      });
      expect(counts).toMatchObject({ bare: 0, heldUp: 0 });
      expect(counts.injected).toBeGreaterThan(0);
    });
  });

  test('with sidecars that are not native, the controller lets a Job end', async () => {
    showLogs();
    await install({ env: [{ name: 'FUSE_SIDECAR_INJECTION_MODE', value: 'default' }] });
    await apply(job('legacy', podSpec('cat /images/file'), {}, PREFETCH));
    await completed('legacy');
    expect(await logsOf('job/legacy')).toBe('images\n');
    expect(await field('job/legacy', '.status.failed')).toBe('');
    expect(
      await kubectl('get', 'pods', '-n', space.namespace, '-l', 'job-name=legacy', '-o', 'jsonpath={.items[*].spec.containers[*].name}'),
    ).toBe('fluid-fuse-0 fluid-file-prefetcher main');
    await eventually(async () => expect(await left()).toEqual([]));
  });
});
