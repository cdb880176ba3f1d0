/** A JuiceFSRuntime on a real node, from the first byte to the last trace, with JuiceFS' community edition, Redis and MinIO. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { BUSYBOX_IMAGE, JUICEFS_IMAGE, juicefsImage, MINIO_IMAGE, minioImage, whyNoJuiceFS } from '../../harness/index.ts';
import { canHaveNode, createPod } from '../support/real-node.ts';
import { canRun } from '../support/can-run.ts';
import { JFS_SECRET, jfsDataset, jfsRuntime, secret } from '../support/objects.ts';
import { condition, createSpace, eventually, says, type Space } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { dataLoad, runServerlessJob } from './dataset-users.ts';
import { type Installed, startInstalled } from './installed.ts';
import { migrates, PASSWORD } from './juicefs-migrate.ts';
import { loadsForReaders, saysWhatIsMissing, sharesItsCache } from './juicefs-clients.ts';
import { runsOperations } from './juicefs-operations.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 900_000;
const NAME = 'demo';
const [IMAGE = '', IMAGE_TAG = ''] = JUICEFS_IMAGE.split(':');
const NEXT_TAG = 'next';
const KEYS = { user: 'accesskey', password: PASSWORD };

describe.skipIf(!canHaveNode || !canRun('JuiceFS on a real node', whyNoJuiceFS()))('JuiceFS on a real node', () => {
  let cluster: Installed;
  let client: KubeClient;
  let space: Space;
  let cache: string;
  let minio: string;
  let engine: string;

  beforeAll(async () => {
    const images = [juicefsImage(), juicefsImage(`${IMAGE}:${NEXT_TAG}`), minioImage()];
    cluster = await startInstalled({ images, flags: ['--values', join(import.meta.dirname, 'quick-probes.yaml')] });
    client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    space = await createSpace(cluster.plane, client, 'juicefs');
    cache = join(cluster.node.dir, 'juicefs-cache');
    const [redis, store] = await Promise.all([
      service('redis', JUICEFS_IMAGE, 'exec redis-server --requirepass pass --save "" --dir /tmp'),
      service('minio', MINIO_IMAGE, 'exec minio server /data --address :9000', {
        MINIO_ROOT_USER: KEYS.user,
        MINIO_ROOT_PASSWORD: KEYS.password,
      }),
    ]);
    minio = store;
    engine = `redis://default:pass@${redis}:6379`;
    await space.create(secret(JFS_SECRET, { metaurl: `${engine}/1`, 'access-key': KEYS.user, 'secret-key': KEYS.password }), ...like(NAME));
    await space.bound('JuiceFSRuntime', NAME, 120);
  }, LIMIT);
  /** A Dataset of the volume, and its runtime. */
  function like(name: string, more: object = {}): readonly KubeObject[] {
    const dataset = jfsDataset(name);
    const [mount] = (dataset['spec'] as { mounts: object[] }).mounts;
    const mounts = [{ ...mount, name: 'files', options: { storage: 'minio', bucket: `http://${minio}:9000/bucket` }, ...more }];
    return [
      { ...dataset, spec: { ...(dataset['spec'] as object), mounts } },
      jfsRuntime(name, {
        juicefsVersion: { image: IMAGE, imageTag: IMAGE_TAG },
        fuse: { image: IMAGE, imageTag: IMAGE_TAG, cleanPolicy: 'OnFuseChanged' },
        tieredstore: { levels: [{ mediumtype: 'SSD', path: cache, quota: '1Gi', low: '0.1', volumeType: 'hostPath' }] },
      }),
    ];
  }
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });
  const showLogs = () =>
    onTestFailed(async () => {
      const clients = ['worker', 'fuse'].map((role) =>
        space.kubectl('logs', '-l', `role=juicefs-${role}`, '--tail=30', '--prefix').catch(String),
      );
      console.error([await cluster.logs(), ...(await Promise.all(clients)), JSON.stringify(await status())].join('\n'));
    });

  /** Starts something to be talked to; returns its address. */
  async function service(name: string, image: string, script: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
    const env = Object.entries(variables).map(([key, value]) => ({ name: key, value }));
    await createPod(cluster.plane, { name, namespace: space.namespace, image, script, container: { env } });
    await space.becomes('Pod', name, condition('Ready', { status: 'True' }));
    return space.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.podIP}');
  }

  /** Runs a Job in whose pod the Dataset is at /data; returns what it printed. */
  async function job(name: string, script: string): Promise<string> {
    const container = {
      name: 'main',
      image: BUSYBOX_IMAGE,
      command: ['sh', '-ec', script],
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    };
    const spec = {
      restartPolicy: 'Never',
      containers: [container],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: NAME } }],
    };
    const metadata = { name, namespace: space.namespace };
    await cluster.plane.kubectlApply(
      JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { backoffLimit: 0, template: { spec } } }),
    );
    await space.kubectl('wait', '--for=condition=Complete', `job/${name}`, '--timeout=180s');
    const printed = await space.kubectl('logs', `job/${name}`);
    await space.kubectl('delete', 'job', name, '--cascade=foreground');
    return printed;
  }

  const status = async () =>
    (await space.get('JuiceFSRuntime', NAME))['status'] as { readonly cacheStates?: Readonly<Record<string, string>> };
  const podsOf = async (role: string) =>
    (await space.list('Pod')).filter(({ metadata }) => metadata.labels?.['role'] === `juicefs-${role}`);
  const fuseLabel = () => `fluid.io/f-${space.namespace}-${NAME}`;
  const nodeLabels = async () => Object.keys((await client.get(NODE, { name: cluster.node.name })).metadata.labels ?? {});
  /** Blocks that clients keep on the node. */
  const cached = () =>
    readdirSync(cache, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && entry.name !== '.lock' ? entry.name : [],
    );

  test('serves from the first byte to the last trace', { timeout: LIMIT }, async () => {
    showLogs();
    await step('what one job writes another reads back; it is in the object store', async () => {
      await job('write', 'mkdir /data/folder; seq 100000 > /data/folder/numbers; md5sum < /data/folder/numbers');
      expect(await job('read', 'cd /data/folder; ls; tail -n 1 numbers; seq 100000 | cmp - numbers && echo the same')).toBe(
        'numbers\n100000\nthe same\n',
      );
      const stored = await cluster.plane.kubectl('exec', '-n', space.namespace, 'minio', '--', 'find', '/data/bucket/files');
      // 588,895 bytes, in one block.
      expect(stored).toMatch(/\/data\/bucket\/files\/chunks\/0\/0\/\d+_0_588895\n/);
    });

    await step('E19: Jobs write and read by clients of their own, as sidecars, what others read too', async () => {
      const where = { cluster, space };
      const wrote = await runServerlessJob(where, 'sidecar-write', NAME, 'mkdir /data/sidecar; seq 1000 > /data/sidecar/numbers');
      expect(wrote).toMatchObject({ succeeded: 1, failed: 0 });
      const read = await runServerlessJob(where, 'sidecar-read', NAME, 'tail -n 1 /data/sidecar/numbers /data/folder/numbers');
      expect(read.printed).toContain('==> /data/folder/numbers <==\n100000\n');
      expect(await job('after-sidecars', 'tail -n 1 /data/sidecar/numbers; rm -r /data/sidecar')).toBe('1000\n');
      const home = join(cluster.node.mountRoot, 'juicefs', space.namespace, NAME);
      await eventually(() => expect(readdirSync(home).filter((name) => name.startsWith('sidecar-'))).toEqual([]));
    });

    await step('says how much is cached, and how much there was at first', async () => {
      await eventually(async () => expect(await status()).toMatchObject({ cacheStates: { cacheCapacity: '1.00GiB', cached: /KiB$/ } }));
      await space.becomes('Dataset', NAME, { status: { ufsTotal: expect.stringMatching(/B$/), fileNum: expect.stringMatching(/^\d+$/) } });
    });

    await step('a DataLoad has the worker read what it names; one of a path that does not exist names it', async () => {
      await space.create(dataLoad('warm', NAME, '/folder'), dataLoad('lost', NAME, '/nowhere'));
      await space.becomes('Job', 'lost-loader-job', { status: { active: 1 } });
      // Else the Job would try three more times.
      await space.patch('Job', 'lost-loader-job', { spec: { backoffLimit: 0 } });
      await space.becomes('DataLoad', 'warm', {
        status: { phase: 'Complete', infos: { Progress: expect.stringMatching(/^\d of \d clients$/) as string, Files: '1' } },
      });
      // One block, which clients that share a directory keep once.
      expect(cached().filter((block) => block.endsWith('_0_588895'))).toHaveLength(1);
      const lost = says('printed last:', 'path /nowhere does not exist in the Dataset');
      await space.becomes('DataLoad', 'lost', { status: { phase: 'Failed', conditions: [{ message: lost }] } });
    });

    const served = { cluster, space, dataset: NAME, like };
    await loadsForReaders(served);
    await saysWhatIsMissing(served, `${engine}/2`);
    await sharesItsCache(served, cached);

    // Much of the time both wait, for a schedule and for the next try of a Job.
    const exec = (pod: string, ...argv: readonly string[]) => cluster.plane.kubectl('exec', '-n', space.namespace, pod, '--', ...argv);
    await Promise.all([runsOperations(space, NAME), migrates({ space, dataset: NAME, minio, after: 'warm', exec })]);

    await step('workers come and go with spec.replicas; readers do not notice', async () => {
      const [worker] = await podsOf('worker');
      expect(worker?.metadata.name).toBe(`${NAME}-worker-0`);
      await space.kubectl('scale', 'juicefsruntime', NAME, '--replicas=0');
      await space.gone('Pod', `${NAME}-worker-0`);
      await space.becomes('Dataset', NAME, { status: { phase: 'Bound' } });
      expect(await job('without-workers', 'tail -n 1 /data/folder/numbers')).toBe('100000\n');
      await space.kubectl('scale', 'juicefsruntime', NAME, '--replicas=1');
      await space.becomes('Pod', `${NAME}-worker-0`, condition('Ready', { status: 'True' }));
      await space.becomes('JuiceFSRuntime', NAME, { status: { workerNumberReady: 1 } });
    });

    for (const [what, fuse, generation] of [
      ['options', { options: { verbose: '' } }, '2'],
      ['image', { imageTag: NEXT_TAG }, '3'],
    ] as const)
      await step(`${what}, changed, reach the fuse pod once no pod uses it any more`, async () => {
        const labels = { 'fuse.runtime.fluid.io/generation': generation };
        const [before] = await podsOf('fuse');
        expect(before?.metadata.labels).toMatchObject({ 'fuse.runtime.fluid.io/generation': String(Number(generation) - 1) });
        await space.patch('JuiceFSRuntime', NAME, { spec: { fuse } });
        await space.becomes('JuiceFSRuntime', NAME, condition('PodsOutdated', { status: 'True' }));
        await space.becomes('PersistentVolumeClaim', NAME, { metadata: { labels } });
        // The Job's pod is the last that uses the old client.
        expect(await job(`last-before-${generation}`, 'tail -n 1 /data/folder/numbers')).toBe('100000\n');
        await space.gone('Pod', before?.metadata.name ?? '');
        expect(await job(`first-of-${generation}`, 'tail -n 1 /data/folder/numbers')).toBe('100000\n');
        const [after] = await podsOf('fuse');
        expect(after).toMatchObject({
          metadata: { labels },
          spec: { containers: [{ image: `${IMAGE}:${generation === '3' ? NEXT_TAG : IMAGE_TAG}` }] },
        });
        const [script = ''] = (await space.kubectl('get', 'configmap', `${NAME}-fuse-script`, '-o', 'jsonpath={.data}'))
          .split('\\n\\n')
          .slice(-1);
        expect(script).toMatch(/[ ,]verbose\b/);
      });

    await step('deleted, it leaves no cache, file system, label, volume or pod', async () => {
      expect(cached()).not.toEqual([]);
      expect(await nodeLabels()).toContain(fuseLabel());
      await space.delete('Dataset', NAME);
      await space.gone('Dataset', NAME);
      await space.gone('JuiceFSRuntime', NAME);
      expect(readdirSync(cache, { recursive: true })).toEqual([]);
      await eventually(async () => {
        expect((await space.made()).filter((ref) => !ref.startsWith('Secret/'))).toEqual([]);
        expect((await space.list('Pod')).map(({ metadata }) => metadata.name).toSorted()).toEqual(['minio', 'redis']);
        expect((await nodeLabels()).filter((label) => /^fluid\.io\/(f|s)-/.test(label))).toEqual([]);
        expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`/juicefs/${space.namespace}/`);
      });
      expect(existsSync(join(cluster.node.mountRoot, 'juicefs', space.namespace, NAME, 'juicefs-fuse', 'folder'))).toBe(false);
    });
  });
});

const NODE = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
