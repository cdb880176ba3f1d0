/** A real Alluxio on the bucket: what a pod reads a second time comes from the cache, by the worker's own counters. */
import { freemem } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/types.ts';
import { whyNoAlluxio } from '../../harness/index.ts';
import { apply, type Counters, PATIENCE_MS, putNumbers, type Reading, readTwiceBy, removeReading } from './cached-read.ts';
import { bytesRead, encrypted, minioOptions, smallAlluxio } from '../../test/node/small-alluxio.ts';
import { datasetObject } from '../../test/support/objects.ts';
import { ours, type Stage, statusOf, timeline } from './stage.ts';

const NAME = 'alluxio-demo';
/** Five Java virtual machines beside the cluster. */
const WANTED_GIB = 3;
const GIB = 2 ** 30;

/** Why the demo leaves this out; undefined when it does not. */
export function whyWithoutAlluxio(): string | undefined {
  const free = freemem();
  if (free < WANTED_GIB * GIB) return `it needs ${WANTED_GIB} GiB of free memory, and this machine has ${(free / GIB).toFixed(1)} GiB`;
  return whyNoAlluxio();
}

export async function readTwice(stage: Stage): Promise<void> {
  stage.progress.heading(
    'The same bucket with a cache: an AlluxioRuntime, and a pod that reads a larger file twice   (harness/demo/alluxio.ts)',
  );
  const written = await putNumbers(stage);
  const time = timeline(stage);
  await apply(stage, dataset, smallAlluxio(NAME, readingOf(stage).cache));
  time.print('Dataset and AlluxioRuntime are applied');
  await time.reached('the master is ready', async () => (await statusOf(stage, RUNTIME)).masterPhase === 'Ready', PATIENCE_MS);
  await time.reached(`Dataset ${NAME} is Bound`, async () => (await statusOf(stage, DATASET)).phase === 'Bound', PATIENCE_MS);
  await readTwiceBy(stage, time, readingOf(stage), { written, counters: () => countersOf(stage), whose: 'the worker’s' });
}

async function countersOf({ plane, node }: Stage): Promise<Counters> {
  const { ufs, cache } = await bytesRead(node.address, (await plane.get(RUNTIME)) as KubeObject);
  return { bucket: ufs, cache };
}

export const removeAlluxio = (stage: Stage): Promise<void> => removeReading(stage, readingOf(stage));

const readingOf = ({ node }: Stage): Reading => ({ reader: 'test-alluxio', dataset: NAME, cache: join(node.dir, 'alluxio-cache') });

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
