/** A pod that reads a file of a bucket twice, past what the node's kernel keeps of it: what comes from the bucket, and what from a cache. */
import { readdirSync } from 'node:fs';
import type { KubeObject } from '../../src/kube/types.ts';
import { BUSYBOX_IMAGE } from '../index.ts';
import { assertUnlabelled, type Stage, type Timeline } from './stage.ts';
import { until } from './steps.ts';

/** Bytes that a client or a worker has read since it started. */
export interface Counters {
  readonly bucket: number;
  readonly cache: number;
}

/** For what hangs: a busy machine takes its time. */
export const PATIENCE_MS = 300_000;

/** The pod that reads, the Dataset whose claim it mounts, and the directory of the node in which that caches. */
export interface Reading {
  readonly reader: string;
  readonly dataset: string;
  readonly cache: string;
}

const digestOf = (path: string): string => `wc -c < ${path}; md5sum < ${path}`;

/** Puts a file into the bucket; returns its size and its digest. */
export function putNumbers({ plane }: Stage): Promise<string> {
  const put = `seq 1 2000000 > numbers; rclone copy numbers store:my-first-bucket; ${digestOf('numbers')}`;
  return plane.kubectl('exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-ec', put);
}

export const apply = ({ plane }: Stage, ...objects: readonly KubeObject[]): Promise<unknown> =>
  plane.kubectlApply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

const readerPod = (name: string, claim: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      { name: 'app', image: BUSYBOX_IMAGE, command: ['tail', '-f', '/dev/null'], volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
  },
});

/**
 * Starts the pod, reads /data/numbers twice in it, and prints the seconds and by how much the counters have grown.
 *
 * @param written the size and the digest of the file
 * @param whose the counters are
 */
export async function readTwiceBy(
  stage: Stage,
  { print }: Timeline,
  { reader, dataset }: Reading,
  { written, counters, whose }: { readonly written: string; readonly counters: () => Promise<Counters>; readonly whose: string },
): Promise<void> {
  const { plane, signal } = stage;
  await apply(stage, readerPod(reader, dataset));
  print(`pod ${reader}, which reads, is applied`);
  await plane.kubectl('wait', '--for=condition=Ready', `pod/${reader}`, `--timeout=${PATIENCE_MS}ms`);
  print(`the fuse pod has mounted, and pod ${reader} runs`);
  for (const time of ['first', 'second']) {
    const before = await counters();
    const read = 'time -f %e dd if=/data/numbers of=/tmp/numbers iflag=direct bs=1M 2> /tmp/said; tail -n 1 /tmp/said';
    const said = await plane.kubectl('exec', reader, '--', 'sh', '-ec', `${read}; ${digestOf('/tmp/numbers')}`);
    const [seconds = '', size = '', ...sum] = said.split('\n');
    if ([size, ...sum].join('\n') !== written) throw new Error(`pod ${reader}: expected the bytes that were written, has read others`);
    let after = before;
    const isCounted = async () => {
      after = await counters();
      return after.cache + after.bucket >= before.cache + before.bucket + Number(size);
    };
    await until(signal, isCounted, `${whose} counters have what was read`);
    const grown = (key: keyof Counters) => (after[key] - before[key]).toLocaleString('en');
    print(`${time} read, ${seconds} s: ${grown('bucket')} bytes from the bucket, ${grown('cache')} from the cache (${whose} counters)`);
  }
}

/** Deletes the pod and the Dataset, and what `more` names. @throws Error if a label of the node or a file of the cache is left */
export async function removeReading(stage: Stage, { reader, dataset, cache }: Reading, ...more: readonly string[]): Promise<void> {
  const { kubectl } = stage.plane;
  stage.progress.heading(`kubectl delete pod ${reader}; kubectl delete dataset ${dataset}`);
  await stage.progress.step('removal', async () => {
    await kubectl('delete', 'pod', reader);
    await kubectl('delete', 'dataset', dataset, '--timeout=120s');
    await kubectl('wait', '--for=delete', 'pod', '-l', `release=${dataset}`, '--timeout=60s');
    await assertUnlabelled(stage);
    const left = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    if (left.length > 0) throw new Error(`expected an empty cache on the node, found ${left.length} files in ${cache}`);
    if (more.length > 0) await kubectl('delete', ...more);
    return 'the pods, the volume, the labels of the node and all cached files are deleted';
  });
}
