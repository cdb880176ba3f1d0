/** SeaweedFS on a real node as a cache of buckets (examples/seaweedfs), from the first file to the last trace. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { BUSYBOX_IMAGE, FUSE_IMAGE, fuseImage, minioImage, SEAWEEDFS_IMAGE, seaweedfsImage } from '../../harness/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { root } from '../cli/run.ts';
import { dataLoad, nodeLabels, PATIENCE_S, runServerlessJob } from '../node/dataset-users.ts';
import { s3 } from '../node/file-systems.ts';
import { type Installed, startInstalled } from '../node/installed.ts';
import { NUMBERS } from '../node/web-files.ts';
import { objectsIn, secret } from '../support/objects.ts';
import { canHaveNode } from '../support/real-node.ts';
import { condition, createSpace, eventually, says, type Space } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { clientsAt, killClient, mountTable } from './clients.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 900_000;
const NAME = 'weeddemo';
/** The root user of the tests' MinIO. */
const KEY = 'minioadmin';
/** A name that no shell may see unquoted. */
const ODD = `$(touch hacked); 'a b'.txt`;

/** The objects of a file of the example, with images that the node has. */
const example = (file: string): readonly KubeObject[] =>
  objectsIn(
    readFileSync(join(root, 'examples/seaweedfs', file), 'utf8')
      .replaceAll('example.io/seaweedfs:4.53', SEAWEEDFS_IMAGE)
      .replaceAll('debian:12-slim', BUSYBOX_IMAGE),
  );

describe.skipIf(!canHaveNode)('SeaweedFS on a real node', () => {
  let cluster: Installed;
  let client: KubeClient;
  let space: Space;

  beforeAll(async () => {
    const flags = ['--values', join(root, 'test/node/quick-probes.yaml')];
    cluster = await startInstalled({ images: [seaweedfsImage(), fuseImage(), minioImage()], flags });
    client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    space = await createSpace(cluster.plane, client, 'seaweedfs');
  }, LIMIT);
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });

  const inPod = (pod: string, ...argv: readonly string[]) => cluster.plane.kubectl('exec', '-n', space.namespace, pod, '--', ...argv);
  const read = (script: string) => inPod(`${NAME}-reader`, 'sh', '-ec', script);
  /** Past what the kernel keeps of it. */
  const digest = (path: string) => read(`dd if=/data/${path} iflag=direct bs=128k 2>/dev/null | md5sum`);
  const inStore = (script: string) => inPod('minio-server', 'sh', '-ec', script);
  const master = () => `${NAME}-master-0`;
  const path = () => `/cache/${space.namespace}/${NAME}/cache-fuse`;

  test('serves from the first file to the last trace', { timeout: LIMIT }, async () => {
    onTestFailed(async () => {
      const pods = (await space.list('Pod').catch(() => [])).map(({ metadata }) => metadata.name);
      const said = await Promise.all(
        pods.map((pod) => space.kubectl('logs', pod, '--all-containers', '--tail=30', '--prefix').catch(String)),
      );
      const described = await space.kubectl('describe', 'datasets,cacheruntimes,dataloads,pods').catch(String);
      console.error([await cluster.logs(), ...said, described].join('\n'));
    });
    const [dataset, runtime, load, pod] = example('dataset.yaml');

    await step('the Dataset is bound, by a master and two workers', async () => {
      const store = s3('minio', FUSE_IMAGE);
      await space.create(...store.server, secret(`${NAME}-keys`, { 'access-key': KEY, 'secret-key': KEY }));
      await space.becomes('Pod', 'minio-server', condition('Ready', { status: 'True' }), PATIENCE_S);
      await inStore(
        `mkdir -p /tmp/images/more; cd /tmp/images; seq 300000 > numbers; echo note > more/note; echo odd > "$0"
        rclone copy /tmp/images store:my-bucket/images`.replace('"$0"', `"$(echo ${Buffer.from(ODD).toString('base64')} | base64 -d)"`),
      );
      await space.create(...example('class.yaml'), ...[dataset, runtime].map((each) => each as KubeObject));
      await space.bound('CacheRuntime', NAME, PATIENCE_S);
      await space.becomes('CacheRuntime', NAME, { status: { master: { phase: 'Ready' }, worker: { phase: 'Ready', readyReplicas: 2 } } });
    });
    await step('a pod reads the objects of the bucket as files, of any name', async () => {
      await space.create(pod as KubeObject);
      await space.becomes('Pod', `${NAME}-reader`, condition('Ready', { status: 'True' }), PATIENCE_S);
      expect(await digest('images/numbers')).toContain(NUMBERS.md5);
      expect(await read('cd /data/images; cat more/note *.txt')).toBe('note\nodd\n');
    });
    await step('pods only read', async () => {
      expect(await read('echo no > /data/images/new').catch(String)).toContain('Read-only file system');
      expect(await read('rm /data/images/numbers').catch(String)).toContain('Read-only file system');
    });
    await step('keys are in no argument of a process, and not in what SeaweedFS keeps', async () => {
      for (const each of [master(), `${NAME}-worker-0`])
        expect(await inPod(each, 'sh', '-c', 'cat /proc/[0-9]*/cmdline')).not.toContain(KEY);
      expect(await inPod(master(), 'sh', '-c', `grep -rl ${KEY} /seaweedfs || echo none`)).toBe('none\n');
    });
    await step('what was read is in the cache, and a DataLoad brings what changed; one of a path that does not exist fails', async () => {
      await inStore('echo change > /tmp/note; rclone copy /tmp/note store:my-bucket/images/more');
      expect(await read('dd if=/data/images/more/note iflag=direct 2>/dev/null')).toBe('note\n');
      await space.create(load as KubeObject, dataLoad('lost', NAME, '/nowhere'));
      await space.becomes('Job', 'lost-loader-job', { status: { active: 1 } }, PATIENCE_S);
      // Else the Job would try three more times.
      await space.patch('Job', 'lost-loader-job', { spec: { backoffLimit: 0 } });
      await space.becomes('DataLoad', `${NAME}-load`, { status: { phase: 'Complete' } }, PATIENCE_S);
      await eventually(async () => expect(await read('cat /data/images/more/note')).toBe('change\n'), PATIENCE_S);
      const lost = says('/nowhere is not in the Dataset');
      await space.becomes('DataLoad', 'lost', { status: { phase: 'Failed', conditions: [{ message: lost }] } }, PATIENCE_S);
    });
    await step('the Dataset says how much is cached, and how much may be', async () => {
      const cacheStates = { cacheCapacity: '20.00GiB', cached: expect.stringMatching(/^0\.0[1-9]|^0\.00GiB/) };
      await space.becomes('Dataset', NAME, { status: { cacheStates } }, PATIENCE_S);
    });
    await step('the client is killed: the same pod reads on', async () => {
      killClient('weed', path());
      await eventually(async () => {
        const events = await space.kubectl('get', 'events', '--field-selector', `involvedObject.name=${NAME}`);
        expect(events).toContain('FuseRecoverSucceed');
      }, PATIENCE_S);
      await eventually(async () => expect(await digest('images/numbers')).toContain(NUMBERS.md5), PATIENCE_S);
    });
    await step('a worker is killed: its files are read from the other one, and copied again', async () => {
      const { uid } = (await space.get('Pod', `${NAME}-worker-0`)).metadata;
      await space.kubectl('delete', 'pod', `${NAME}-worker-0`, '--grace-period=0', '--force');
      await eventually(async () => expect(await digest('images/numbers')).toContain(NUMBERS.md5), PATIENCE_S);
      const another = { metadata: { uid: expect.not.stringContaining(uid ?? '') }, ...condition('Ready', { status: 'True' }) };
      await space.becomes('Pod', `${NAME}-worker-0`, another, PATIENCE_S);
      await eventually(async () => {
        const copies = await copiesOfVolumes();
        expect(copies.length).toBeGreaterThan(0);
        expect(copies.every((count) => count === 2)).toBe(true);
      }, PATIENCE_S);
      await space.kubectl('delete', 'pod', `${NAME}-worker-1`, '--grace-period=0', '--force');
      await eventually(async () => expect(await digest('images/numbers')).toContain(NUMBERS.md5), PATIENCE_S);
    });
    await step('a mount comes and goes while a pod reads', async () => {
      const { mounts = [] } = (dataset?.['spec'] ?? {}) as { readonly mounts?: readonly object[] };
      const [mount] = mounts;
      await space.patch('Dataset', NAME, { spec: { mounts: [mount, { ...mount, name: 'more', mountPoint: 's3://my-bucket/folder' }] } });
      await eventually(async () => expect(await read('cat /data/more/file')).toBe('minio\n'), PATIENCE_S);
      await space.patch('Dataset', NAME, { spec: { mounts: [mount] } });
      await eventually(async () => expect(await read('ls /data')).toBe('images\n'), PATIENCE_S);
      expect(await inStore('rclone ls store:my-bucket/folder')).toContain('file');
    });
    await step('a pod with a client of its own reads too', async () => {
      const ran = await runServerlessJob({ cluster, space }, 'serverless', NAME, 'md5sum < /data/images/numbers');
      expect(ran).toMatchObject({ succeeded: 1, printed: `${NUMBERS.md5}  -\n` });
    });
    await step('deleted, it leaves no pod, object, label, process or mount', async () => {
      expect(mountTable()).toContain(path());
      // The example's reader does not listen to SIGTERM.
      await space.kubectl('delete', 'pod', `${NAME}-reader`, 'minio-server', '--grace-period=1');
      await space.delete('Dataset', NAME);
      await space.gone('Dataset', NAME, PATIENCE_S);
      await space.gone('CacheRuntime', NAME);
      await eventually(async () => {
        expect(await space.made()).toEqual([]);
        expect((await space.list('ConfigMap')).map(({ metadata }) => metadata.name)).toEqual(['kube-root-ca.crt']);
        expect(await space.list('Pod')).toEqual([]);
        expect(await nodeLabels({ cluster, space })).toEqual([]);
        expect(mountTable()).not.toContain(`/cache/${space.namespace}/`);
        expect(clientsAt('weed', path())).toEqual([]);
      }, PATIENCE_S);
    });
  });

  /** How many workers have each volume that holds something, as the master knows. */
  async function copiesOfVolumes(): Promise<readonly number[]> {
    const printed = await inPod(master(), 'wget', '-qO-', 'http://localhost:9333/vol/status');
    // The API of SeaweedFS.
    const { Volumes } = JSON.parse(printed) as {
      readonly Volumes: {
        readonly DataCenters: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, readonly Volume[] | null>>>>>>;
      };
    };
    const all = Object.values(Volumes.DataCenters).flatMap((racks) => Object.values(racks).flatMap((nodes) => Object.values(nodes)));
    const filled = all.flatMap((volumes) => volumes ?? []).filter(({ FileCount }) => FileCount > 0);
    return [...Map.groupBy(filled, ({ Id }) => Id).values()].map((copies) => copies.length);
  }
});

interface Volume {
  readonly Id: number;
  readonly FileCount: number;
}
