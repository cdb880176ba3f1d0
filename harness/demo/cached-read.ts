/** A pod that reads a file twice, past what the node's kernel keeps of it: what comes from the bucket, and what from a cache. */
import type { KubeObject } from '../../src/kube/types.ts';
import { BUSYBOX_IMAGE } from '../index.ts';
import type { Stage, Timeline } from './stage.ts';
import { until } from './steps.ts';

/** What a client or a worker has read since it started, in bytes. */
export interface Counters {
  readonly bucket: number;
  readonly cache: number;
}

export const digestOf = (path: string): string => `wc -c < ${path}; md5sum < ${path}`;

export const readerPod = (name: string, claim: string): KubeObject => ({
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
 * Reads /data/numbers twice in the pod, and prints the seconds and by how much the counters have grown.
 *
 * @param written the size and the digest of the file
 * @param whose the counters are
 */
export async function readTwiceIn(
  { plane, signal }: Stage,
  { print }: Timeline,
  {
    pod,
    written,
    counters,
    whose,
  }: { readonly pod: string; readonly written: string; readonly counters: () => Promise<Counters>; readonly whose: string },
): Promise<void> {
  for (const time of ['first', 'second']) {
    const before = await counters();
    const read = 'time -f %e dd if=/data/numbers of=/tmp/numbers iflag=direct bs=1M 2> /tmp/said; tail -n 1 /tmp/said';
    const said = await plane.kubectl('exec', pod, '--', 'sh', '-ec', `${read}; ${digestOf('/tmp/numbers')}`);
    const [seconds = '', size = '', ...sum] = said.split('\n');
    if ([size, ...sum].join('\n') !== written) throw new Error(`pod ${pod}: expected the bytes that were written, has read others`);
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
