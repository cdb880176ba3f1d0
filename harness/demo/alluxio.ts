/** A real Alluxio on the bucket: what a pod reads a second time comes from the cache, by the worker's own counters. */
import { readdirSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { until } from './steps.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { BUSYBOX_IMAGE, whyNoAlluxio } from '../../harness/index.ts';
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
  await apply(reader);
  print(`pod ${READER}, which reads, is applied`);
  await plane.kubectl('wait', '--for=condition=Ready', `pod/${READER}`, `--timeout=${PATIENCE_MS}ms`);
  print(`the fuse pod has mounted, and pod ${READER} runs`);
  for (const time of ['first', 'second']) {
    const { digest, seconds, bucket, cache } = await readOnce(stage);
    if (digest !== written) throw new Error(`pod ${READER}: expected the bytes that were written, has read others`);
    print(`${time} read, ${seconds} s: ${bucket} bytes from the bucket, ${cache} from the cache (the worker's counters)`);
  }
}

/** Reads past what the node's kernel keeps of the file; returns by how much the worker's counters have grown. */
async function readOnce({ plane, node, signal }: Stage) {
  const counters = async () => bytesRead(node.address, (await plane.get(RUNTIME)) as KubeObject);
  const before = await counters();
  const read = 'time -f %e dd if=/data/numbers of=/tmp/numbers iflag=direct bs=1M 2> /tmp/said; tail -n 1 /tmp/said';
  const said = await plane.kubectl('exec', READER, '--', 'sh', '-ec', `${read}; ${digestOf('/tmp/numbers')}`);
  const [seconds = '', size = '', ...sum] = said.split('\n');
  let after = before;
  const isCounted = async () => {
    after = await counters();
    return after.cache + after.ufs >= before.cache + before.ufs + Number(size);
  };
  await until(signal, isCounted, 'the worker has counted what was read');
  const grown = (key: keyof typeof after) => (after[key] - before[key]).toLocaleString('en');
  return { digest: [size, ...sum].join('\n'), seconds, bucket: grown('ufs'), cache: grown('cache') };
}

const digestOf = (path: string): string => `wc -c < ${path}; md5sum < ${path}`;

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

const reader: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: READER },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      { name: 'app', image: BUSYBOX_IMAGE, command: ['tail', '-f', '/dev/null'], volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: NAME } }],
  },
};
