/** MooseFS on a real node, from the first file to the last trace: as a CacheRuntime (examples/moosefs), and as a vendor's package. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { BUSYBOX_IMAGE, fuseImage, minioImage, MOOSEFS_IMAGE, moosefsImage, whyNoMooseFS } from '../../harness/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { root } from '../cli/run.ts';
import { canRun } from '../support/can-run.ts';
import { objectsIn } from '../support/objects.ts';
import { installed } from '../support/packed.ts';
import { canHaveNode } from '../support/real-node.ts';
import { condition, createSpace, eventually, type Space, says } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { dataLoad, nodeLabels, PATIENCE_S, type Reader, runJob, startReader } from './dataset-users.ts';
import { type Installed, startInstalled } from './installed.ts';
import { servesAndIsUpgraded } from './moosefs-vendor.ts';
import { followsTheTutorial } from './tutorial.ts';
import { NUMBERS, startFiles } from './web-files.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 900_000;
const NAME = 'moosedemo';

/** The objects of a file of the example, with images that the node has. */
const example = (file: string): readonly KubeObject[] =>
  objectsIn(
    readFileSync(join(root, 'examples/moosefs', file), 'utf8')
      .replaceAll('example.io/moosefs:3.0.117', MOOSEFS_IMAGE)
      .replaceAll('debian:12-slim', BUSYBOX_IMAGE),
  );

describe.skipIf(!canHaveNode || !canRun('MooseFS on a real node', whyNoMooseFS()))('MooseFS on a real node', () => {
  let cluster: Installed;
  /** In which the package of Sluice is installed, for packages of vendors. */
  let folder: string;
  let client: KubeClient;
  let space: Space;
  let reader: Reader;

  beforeAll(async () => {
    cluster = await startInstalled({ images: [moosefsImage(), fuseImage(), minioImage()] });
    folder = await installed();
    client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
    space = await createSpace(cluster.plane, client, 'moosefs');
  }, LIMIT);
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const showOnFailure = (where: Space, runtimes: string) =>
    onTestFailed(async () => {
      const pods = (await where.list('Pod').catch(() => [])).map(({ metadata }) => metadata.name);
      const said = await Promise.all(pods.map((pod) => where.kubectl('logs', pod, '--tail=20', '--prefix').catch(String)));
      const described = await where.kubectl('describe', `datasets,${runtimes},dataloads,pods`).catch(String);
      console.error([await cluster.logs(), ...said, described].join('\n'));
    });
  const inPod = (pod: string, ...argv: readonly string[]) => cluster.plane.kubectl('exec', '-n', space.namespace, pod, '--', ...argv);
  const mount = () => join(cluster.node.mountRoot, 'cache', space.namespace, NAME, 'cache-fuse');
  const clientPod = async () =>
    (await space.list('Pod')).find(({ metadata }) => metadata.name.startsWith(`${NAME}-client-`))?.metadata.name ?? '';
  const ready = { status: 'True' };

  test('serves from the first file to the last trace', { timeout: LIMIT }, async () => {
    showOnFailure(space, 'cacheruntimes');
    const [dataset, runtime, load, pod] = example('dataset.yaml');

    await step('the Dataset is bound, by a master and two chunk servers', async () => {
      await startFiles(cluster, space);
      await space.create(...example('class.yaml'), ...[dataset, runtime].map((each) => each as KubeObject));
      await space.bound('CacheRuntime', NAME, PATIENCE_S);
      await space.becomes('CacheRuntime', NAME, { status: { master: { phase: 'Ready' }, worker: { phase: 'Ready', readyReplicas: 2 } } });
    });
    await step('what one pod writes another one reads', async () => {
      const wrote = await runJob({ cluster, space }, 'write', NAME, 'mkdir /data/own; seq 300000 > /data/own/numbers');
      expect(wrote).toMatchObject({ succeeded: 1, failed: 0 });
      reader = await startReader({ cluster, space }, 'reader', NAME);
      expect(await reader.digest('/data/own/numbers')).toContain(NUMBERS.md5);
    });
    await step('the class says how full it is', async () => {
      const cacheStates = { cacheCapacity: says('GiB'), cached: says('GiB'), cachedPercentage: says('%'), cacheHitRatio: '100.0%' };
      await space.becomes('Dataset', NAME, { status: { cacheStates } }, PATIENCE_S);
    });
    await step('a DataLoad copies what its mount serves; a pod reads it; one of a path in no mount fails and says so', async () => {
      expect(await reader.sh('ls /data/files')).toBe('');
      await space.create(load as KubeObject, dataLoad('lost', NAME, '/nowhere'));
      await space.becomes('Job', 'lost-loader-job', { status: { active: 1 } });
      // Else the Job would try three more times.
      await space.patch('Job', 'lost-loader-job', { spec: { backoffLimit: 0 } });
      await space.becomes('DataLoad', `${NAME}-load`, { status: { phase: 'Complete' } }, PATIENCE_S);
      expect(await reader.sh('cd /data/files; ls -R; cat more/*')).toBe('.:\nmore\nnumbers\n\n./more:\na note\nnew\n');
      expect(await reader.digest('/data/files/numbers')).toContain(NUMBERS.md5);
      await space.create(pod as KubeObject);
      await space.becomes('Pod', `${NAME}-reader`, condition('Ready', ready), PATIENCE_S);
      // Ready says that the container runs, not that it has read.
      await eventually(async () => expect(await space.kubectl('logs', `${NAME}-reader`)).toContain(` ${NUMBERS.bytes} `), PATIENCE_S);
      const lost = says('/nowhere is in no mount of the Dataset: /files');
      await space.becomes('DataLoad', 'lost', { status: { phase: 'Failed', conditions: [{ message: lost }] } }, PATIENCE_S);
    });
    await step('an option of the Dataset, changed, is in the file of pods that run', async () => {
      const before = await space.get('Pod', `${NAME}-worker-0`);
      await space.replace('Dataset', NAME, '/spec/mounts/0/options/timeout', '45');
      await eventually(async () => {
        expect(await inPod(`${NAME}-worker-0`, 'cat', '/etc/fluid/config/runtime.json')).toContain('"timeout":"45"');
      });
      expect((await space.get('Pod', `${NAME}-worker-0`)).metadata.uid).toBe(before.metadata.uid);
    });
    await step('a worker that is killed comes back; what it held is read from the other one, and copied again', async () => {
      const { uid } = (await space.get('Pod', `${NAME}-worker-0`)).metadata;
      await space.kubectl('delete', 'pod', `${NAME}-worker-0`, '--grace-period=0', '--force');
      expect(await reader.digest('/data/files/numbers')).toContain(NUMBERS.md5);
      await space.becomes(
        'Pod',
        `${NAME}-worker-0`,
        { metadata: { uid: expect.not.stringContaining(uid ?? '') }, ...condition('Ready', ready) },
        PATIENCE_S,
      );
      const fuse = await clientPod();
      const copies = () => inPod(fuse, 'mfscheckfile', join(mount(), 'files/numbers'));
      await eventually(async () => expect(await copies()).toContain('chunks with 2 copies'), PATIENCE_S);
      // Reads from now on can only be of the new copy.
      await space.kubectl('scale', 'cacheruntime', NAME, '--replicas=1');
      await space.gone('Pod', `${NAME}-worker-1`, PATIENCE_S);
      expect(await reader.digest('/data/files/numbers')).toContain(NUMBERS.md5);
    });
    await step('deleted, it leaves no pod, object, label or mount', async () => {
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).toContain(mount());
      // The example's reader does not listen to SIGTERM.
      await space.kubectl('delete', 'pod', 'reader', `${NAME}-reader`, 'files', '--grace-period=1');
      await space.delete('Dataset', NAME);
      await space.gone('Dataset', NAME, PATIENCE_S);
      await space.gone('CacheRuntime', NAME);
      await eventually(async () => {
        expect(await space.made()).toEqual([]);
        expect((await space.list('ConfigMap')).map(({ metadata }) => metadata.name)).toEqual(['kube-root-ca.crt']);
        expect(await space.list('Pod')).toEqual([]);
        expect(await nodeLabels({ cluster, space })).toEqual([]);
        expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`/cache/${space.namespace}/`);
      }, PATIENCE_S);
    });
  });

  test('serves by the package of a vendor, which is upgraded while pods read', { timeout: LIMIT }, async () => {
    const own = await createSpace(cluster.plane, client, 'vendor');
    showOnFailure(own, 'moosefsruntimes');
    await servesAndIsUpgraded({ cluster, space: own, client, folder });
  });

  test('runs the runtime of docs/adding-a-runtime.md, as the page says', { timeout: LIMIT }, async () => {
    onTestFailed(async () => console.error(await cluster.logs()));
    await followsTheTutorial(cluster, folder);
  });
});
