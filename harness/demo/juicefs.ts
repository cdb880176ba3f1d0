/** JuiceFS itself on the bucket: what a pod reads a second time comes from the cache, by the client's own counters. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/types.ts';
import { encrypted } from '../../test/node/small-alluxio.ts';
import { datasetObject, jfsRuntime, secret } from '../../test/support/objects.ts';
import { JUICEFS_IMAGE, whyNoJuiceFS } from '../index.ts';
import { type Counters, digestOf, readerPod, readTwiceIn } from './cached-read.ts';
import { assertUnlabelled, ours, type Stage, statusOf, timeline } from './stage.ts';

const NAME = 'juicefs-demo';
const READER = 'test-juicefs';
const VOLUME = 'files';
const BUCKET = 'http://minio:9000/juicefs';
const METAURL = 'redis://redis:6379/1';
/** For what hangs: a busy machine takes its time. */
const PATIENCE_MS = 300_000;

export const whyWithoutJuiceFS = whyNoJuiceFS;

export async function readTwiceByJuiceFS(stage: Stage): Promise<void> {
  const { plane, progress } = stage;
  progress.heading('A bucket with a cache: a JuiceFSRuntime, and a pod that reads a larger file twice   (harness/demo/juicefs.ts)');
  const apply = (...objects: readonly KubeObject[]) =>
    plane.kubectlApply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await progress.step('JuiceFS', async () => {
    await apply(...metadataEngine);
    await plane.kubectl('wait', '--for=condition=Ready', 'pod/redis', `--timeout=${PATIENCE_MS}ms`);
    return 'a volume in the bucket juicefs of MinIO, its metadata in Redis';
  });
  const store = ['exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-ec'];
  const written = await plane.kubectl(
    ...store,
    `seq 1 2000000 > numbers; rclone copy numbers store:my-first-bucket; ${digestOf('numbers')}`,
  );
  const format = `juicefs format --storage minio --bucket ${BUCKET} --access-key minioadmin --secret-key minioadmin ${METAURL} ${VOLUME}`;
  const sync = `META=${METAURL} juicefs sync minio://minioadmin:minioadmin@minio:9000/my-first-bucket/numbers jfs://META/numbers`;
  await plane.kubectl('exec', 'redis', '--', 'sh', '-ec', `${format} 2> /dev/null; ${sync} 2> /dev/null`);
  const time = timeline(stage);
  await apply(...objectsOf(stage));
  time.print('Secret, Dataset and JuiceFSRuntime are applied');
  await time.reached(
    `Dataset ${NAME} is Bound`,
    async () => (await statusOf(stage, ours('datasets', NAME))).phase === 'Bound',
    PATIENCE_MS,
  );
  await apply(readerPod(READER, NAME));
  time.print(`pod ${READER}, which reads, is applied`);
  await plane.kubectl('wait', '--for=condition=Ready', `pod/${READER}`, `--timeout=${PATIENCE_MS}ms`);
  time.print(`the fuse pod has mounted, and pod ${READER} runs`);
  await readTwiceIn(stage, time, { pod: READER, written, counters: () => countersOf(stage), whose: 'the client’s' });
}

export async function removeJuiceFS(stage: Stage): Promise<void> {
  const { kubectl } = stage.plane;
  stage.progress.heading(`kubectl delete pod ${READER}; kubectl delete dataset ${NAME}`);
  await stage.progress.step('removal', async () => {
    await kubectl('delete', 'pod', READER);
    await kubectl('delete', 'dataset', NAME, '--timeout=120s');
    await kubectl('wait', '--for=delete', 'pod', '-l', `release=${NAME}`, '--timeout=60s');
    await assertUnlabelled(stage);
    const left = readdirSync(cacheOf(stage), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    if (left.length > 0) throw new Error(`expected an empty cache on the node, found ${left.length} files in ${cacheOf(stage)}`);
    await kubectl('delete', 'pod/redis', 'service/redis', `secret/${NAME}-keys`);
    return 'the pods, the volume, the labels of the node and all cached files are deleted';
  });
}

/** As the client counts them in a file of its own. */
async function countersOf({ plane, node }: Stage): Promise<Counters> {
  const pod = await plane.kubectl('get', 'pod', '-l', `release=${NAME},role=juicefs-fuse`, '-o', 'jsonpath={.items[0].metadata.name}');
  const stats = await plane.kubectl('exec', pod, '--', 'cat', `${node.mountRoot}/juicefs/default/${NAME}/juicefs-fuse/.stats`);
  const counter = (name: string) => Number(new RegExp(`^juicefs_${name} (\\S+)`, 'm').exec(stats)?.[1] ?? 0);
  return { bucket: counter('object_request_data_bytes_GET'), cache: counter('blockcache_hit_bytes') };
}

/** The directory of the node in which the client caches. */
const cacheOf = ({ node }: Stage): string => join(node.dir, 'juicefs-cache');

const metadataEngine: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'redis', labels: { app: 'redis' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'redis',
          image: JUICEFS_IMAGE,
          command: ['redis-server', '--save', '', '--protected-mode', 'no', '--dir', '/tmp'],
          readinessProbe: { exec: { command: ['redis-cli', 'ping'] }, periodSeconds: 1 },
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'redis' },
    spec: { selector: { app: 'redis' }, ports: [{ port: 6379 }] },
  } as unknown as KubeObject,
];

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
      tieredstore: { levels: [{ mediumtype: 'SSD', path: cacheOf(stage), quota: '1Gi', low: '0.1' }] },
    }),
  ];
}
