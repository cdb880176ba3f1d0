/** JuiceFS itself on the bucket: what a pod reads a second time comes from the cache, by the client's own counters. */
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/types.ts';
import { encrypted } from '../../test/node/small-alluxio.ts';
import { datasetObject, jfsRuntime, secret } from '../../test/support/objects.ts';
import { JUICEFS_IMAGE, whyNoJuiceFS } from '../index.ts';
import { redis } from '../node/redis.ts';
import { apply, type Counters, PATIENCE_MS, putNumbers, type Reading, readTwiceBy, removeReading } from './cached-read.ts';
import { ours, type Stage, statusOf, timeline } from './stage.ts';

const NAME = 'juicefs-demo';
const VOLUME = 'files';
const BUCKET = 'http://minio:9000/juicefs';
const METAURL = 'redis://redis:6379/1';

export const whyWithoutJuiceFS = whyNoJuiceFS;

export async function readTwiceByJuiceFS(stage: Stage): Promise<void> {
  const { plane, progress } = stage;
  progress.heading('A bucket with a cache: a JuiceFSRuntime, and a pod that reads a larger file twice   (harness/demo/juicefs.ts)');
  await progress.step('JuiceFS', async () => {
    await apply(stage, ...redis);
    await plane.kubectl('wait', '--for=condition=Ready', 'pod/redis', `--timeout=${PATIENCE_MS}ms`);
    return 'a volume in the bucket juicefs of MinIO, its metadata in Redis';
  });
  const written = await putNumbers(stage);
  const format = `juicefs format --storage minio --bucket ${BUCKET} --access-key minioadmin --secret-key minioadmin ${METAURL} ${VOLUME}`;
  const sync = `META=${METAURL} juicefs sync minio://minioadmin:minioadmin@minio:9000/my-first-bucket/numbers jfs://META/numbers`;
  await plane.kubectl('exec', 'redis', '--', 'sh', '-ec', `${format} 2> /dev/null; ${sync} 2> /dev/null`);
  const time = timeline(stage);
  await apply(stage, ...objectsOf(stage));
  time.print('Secret, Dataset and JuiceFSRuntime are applied');
  await time.reached(
    `Dataset ${NAME} is Bound`,
    async () => (await statusOf(stage, ours('datasets', NAME))).phase === 'Bound',
    PATIENCE_MS,
  );
  await readTwiceBy(stage, time, readingOf(stage), { written, counters: () => countersOf(stage), whose: 'the client’s' });
}

export const removeJuiceFS = (stage: Stage): Promise<void> =>
  removeReading(stage, readingOf(stage), 'pod/redis', 'service/redis', `secret/${NAME}-keys`);

/** As the client counts them in a file of its own. */
async function countersOf({ plane, node }: Stage): Promise<Counters> {
  const pod = await plane.kubectl('get', 'pod', '-l', `release=${NAME},role=juicefs-fuse`, '-o', 'jsonpath={.items[0].metadata.name}');
  const stats = await plane.kubectl('exec', pod, '--', 'cat', `${node.mountRoot}/juicefs/default/${NAME}/juicefs-fuse/.stats`);
  const counter = (name: string) => Number(new RegExp(`^juicefs_${name} (\\S+)`, 'm').exec(stats)?.[1] ?? 0);
  return { bucket: counter('object_request_data_bytes_GET'), cache: counter('blockcache_hit_bytes') };
}

const readingOf = ({ node }: Stage): Reading => ({ reader: 'test-juicefs', dataset: NAME, cache: join(node.dir, 'juicefs-cache') });

function objectsOf(stage: Stage): readonly KubeObject[] {
  const [image = '', imageTag = ''] = JUICEFS_IMAGE.split(':');
  const keys = { metaurl: METAURL, 'access-key': 'minioadmin', 'secret-key': 'minioadmin' };
  return [
    secret(`${NAME}-keys`, keys),
    datasetObject(NAME, {
      mounts: [
        {
          name: VOLUME,
          mountPoint: 'juicefs:///',
          options: { storage: 'minio', bucket: BUCKET },
          encryptOptions: Object.keys(keys).map((key) => encrypted(key, `${NAME}-keys`, key)),
        },
      ],
    }),
    jfsRuntime(NAME, {
      juicefsVersion: { image, imageTag },
      fuse: { image, imageTag },
      tieredstore: { levels: [{ mediumtype: 'SSD', path: readingOf(stage).cache, quota: '1Gi', low: '0.1' }] },
    }),
  ];
}
