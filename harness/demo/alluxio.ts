/** A real Alluxio on the bucket: what a pod reads a second time comes from the cache, by the worker's own counters. */
import { readdirSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/kube/types.ts';
import { whyNoAlluxio } from '../../harness/index.ts';
import { type Counters, digestOf, readerPod, readTwiceIn } from './cached-read.ts';
import { bytesRead, encrypted, minioOptions, smallAlluxio } from '../../test/node/small-alluxio.ts';
import { datasetObject } from '../../test/support/objects.ts';
import { assertUnlabelled, ours, type Stage, statusOf, timeline } from './stage.ts';

const NAME = 'alluxio-demo';
const READER = 'test-alluxio';
/** Five Java virtual machines beside the cluster. */
const WANTED_GIB = 3;
/** For what hangs: a busy machine takes its time. */
const PATIENCE_MS = 300_000;
const GIB = 2 ** 30;

/** Why the demo leaves this out; undefined when it does not. */
export function whyWithoutAlluxio(): string | undefined {
  const free = freemem();
  if (free < WANTED_GIB * GIB) return `it needs ${WANTED_GIB} GiB of free memory, and this machine has ${(free / GIB).toFixed(1)} GiB`;
  return whyNoAlluxio();
}

export async function readTwice(stage: Stage): Promise<void> {
  const { plane, progress } = stage;
  progress.heading('The same bucket with a cache: an AlluxioRuntime, and a pod that reads a larger file twice   (harness/demo/alluxio.ts)');
  const put = `seq 1 2000000 > numbers; rclone copy numbers store:my-first-bucket; ${digestOf('numbers')}`;
  const written = await plane.kubectl('exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-ec', put);
  const apply = (...objects: readonly KubeObject[]) => plane.kubectlApply(objects.map((object) => stringify(object)).join('---\n'));
  const { print, reached } = timeline(stage);
  await apply(dataset, smallAlluxio(NAME, cacheOf(stage)));
  print('Dataset and AlluxioRuntime are applied');
  await reached('the master is ready', async () => (await statusOf(stage, RUNTIME)).masterPhase === 'Ready', PATIENCE_MS);
  await reached(`Dataset ${NAME} is Bound`, async () => (await statusOf(stage, DATASET)).phase === 'Bound', PATIENCE_MS);
  await apply(readerPod(READER, NAME));
  print(`pod ${READER}, which reads, is applied`);
  await plane.kubectl('wait', '--for=condition=Ready', `pod/${READER}`, `--timeout=${PATIENCE_MS}ms`);
  print(`the fuse pod has mounted, and pod ${READER} runs`);
  await readTwiceIn(stage, { print, reached }, { pod: READER, written, counters: () => countersOf(stage), whose: 'the worker’s' });
}

async function countersOf({ plane, node }: Stage): Promise<Counters> {
  const { ufs, cache } = await bytesRead(node.address, (await plane.get(RUNTIME)) as KubeObject);
  return { bucket: ufs, cache };
}

export async function removeAlluxio(stage: Stage): Promise<void> {
  const { kubectl } = stage.plane;
  stage.progress.heading(`kubectl delete pod ${READER}; kubectl delete dataset ${NAME}`);
  await stage.progress.step('removal', async () => {
    await kubectl('delete', 'pod', READER);
    await kubectl('delete', 'dataset', NAME, '--timeout=120s');
    await kubectl('wait', '--for=delete', 'pod', '-l', `release=${NAME}`, '--timeout=60s');
    await assertUnlabelled(stage);
    const left = readdirSync(cacheOf(stage), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    if (left.length > 0) throw new Error(`expected an empty cache on the node, found ${left.length} files in ${cacheOf(stage)}`);
    return 'the pods, the volume, the labels of the node and all cached files are deleted';
  });
}

/** The directory of the node in which the worker caches. */
const cacheOf = ({ node }: Stage): string => join(node.dir, 'alluxio-cache');

const DATASET = ours('datasets', NAME);
const RUNTIME = ours('alluxioruntimes', NAME);

const dataset = datasetObject(NAME, {
  mounts: [{ name: 'minio', mountPoint: 's3://my-first-bucket', path: '/' }],
  sharedOptions: minioOptions('http://minio:9000'),
  sharedEncryptOptions: [
    encrypted('s3a.accessKeyId', 'minio-secret', 'minio-access-key'),
    encrypted('s3a.secretKey', 'minio-secret', 'minio-access-secret'),
  ],
});
