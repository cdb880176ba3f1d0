/** MooseFS on a real node as a CacheRuntime, by the class and the objects in examples/moosefs, from the first file to the last trace. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/reconciler/kubernetes/kubeconfig.ts';
import { BUSYBOX_IMAGE, MOOSEFS_IMAGE, moosefsImage, whyNoMooseFS } from '../../harness/index.ts';
import { root } from '../cli/run.ts';
import { canRun } from '../support/can-run.ts';
import { objectsIn } from '../support/objects.ts';
import { canHaveNode, createPod } from '../support/real-node.ts';
import { condition, createSpace, eventually, says, type Space } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { dataLoad, nodeLabels, PATIENCE_S, type Reader, runJob, startReader } from './dataset-users.ts';
import { type Installed, startInstalled } from './installed.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
const NAME = 'moosedemo';
/** The numbers to 300,000, a line each. */
const NUMBERS = { bytes: 1_988_895, md5: 'daef482d6c698625ab13d987d14e8781' };

/** The objects of a file of the example, with images that the node has. */
const example = (file: string): readonly KubeObject[] =>
  objectsIn(
    readFileSync(join(root, 'examples/moosefs', file), 'utf8')
      .replaceAll('example.io/moosefs:3.0.117', MOOSEFS_IMAGE)
      .replaceAll('debian:12-slim', BUSYBOX_IMAGE),
  );

describe.skipIf(!canHaveNode || !canRun('MooseFS on a real node', whyNoMooseFS()))('MooseFS on a real node', () => {
  let cluster: Installed;
  let client: KubeClient;
  let space: Space;
  let reader: Reader;

  beforeAll(async () => {
    cluster = await startInstalled({ images: [moosefsImage()] });
    client = createClient(await connectionFromKubeconfig(cluster.plane.kubeconfig), { fieldManager: 'sluice-tests' });
    space = await createSpace(cluster.plane, client, 'moosefs');
  }, LIMIT);
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });

  /** A web server, at http://files, of a directory with two files and one directory. */
  async function startFiles(): Promise<void> {
    const { namespace } = space;
    const script = 'mkdir -p /web/more; cd /web; seq 300000 > numbers; echo new > "more/a note"; exec python3 -m http.server 8000';
    const readinessProbe = { tcpSocket: { port: 8000 }, periodSeconds: 1 };
    await createPod(cluster.plane, { name: 'files', namespace, image: MOOSEFS_IMAGE, script, container: { readinessProbe } });
    const spec = { selector: { app: 'files' }, ports: [{ port: 80, targetPort: 8000 }] };
    await cluster.plane.create(`/api/v1/namespaces/${namespace}/services`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'files' },
      spec,
    });
    await space.becomes('Pod', 'files', condition('Ready', { status: 'True' }), PATIENCE_S);
  }
  const inPod = (pod: string, ...argv: readonly string[]) => cluster.plane.kubectl('exec', '-n', space.namespace, pod, '--', ...argv);
  const mount = () => join(cluster.node.mountRoot, 'cache', space.namespace, NAME, 'cache-fuse');
  const clientPod = async () =>
    (await space.list('Pod')).find(({ metadata }) => metadata.name.startsWith(`${NAME}-client-`))?.metadata.name ?? '';
  const ready = { status: 'True' };

  test('serves from the first file to the last trace', { timeout: LIMIT, retry: 0 }, async () => {
    onTestFailed(async () => {
      const pods = (await space.list('Pod').catch(() => [])).map(({ metadata }) => metadata.name);
      const said = await Promise.all(pods.map((pod) => space.kubectl('logs', pod, '--tail=20', '--prefix').catch(String)));
      const described = await space.kubectl('describe', 'datasets,cacheruntimes,dataloads,pods').catch(String);
      console.error([await cluster.logs(), ...said, described].join('\n'));
    });
    const [dataset, runtime, load, pod] = example('dataset.yaml');

    await step('the Dataset is bound, by a master and two chunk servers', async () => {
      await startFiles();
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
      // What is read from now on can only be the new copy.
      await space.kubectl('scale', 'cacheruntime', NAME, '--replicas=1');
      await space.gone('Pod', `${NAME}-worker-1`, PATIENCE_S);
      expect(await reader.digest('/data/files/numbers')).toContain(NUMBERS.md5);
    });
    await step('deleted, it leaves no pod, object, label or mount', async () => {
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).toContain(mount());
      await space.kubectl('delete', 'pod', 'reader', `${NAME}-reader`, 'files');
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
});
