/** The Datasets whose pods read on: of a Thin runtime, of JuiceFS and of Alluxio, with the same file in each. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/types.ts';
import { encrypted, minioOptions, smallAlluxio } from '../../test/node/small-alluxio.ts';
import { writeFiles } from '../../test/node/walk-through.ts';
import { datasetObject, jfsRuntime, secret, thinProfile, thinRuntime } from '../../test/support/objects.ts';
import { type ControlPlane, FUSE_IMAGE, JUICEFS_IMAGE, type RealNode } from '../index.ts';
import { redis } from '../node/redis.ts';
import { CONTENT, FILE } from './reader-file.ts';

const [IMAGE = '', IMAGE_TAG = ''] = FUSE_IMAGE.split(':');
const METAURL = 'redis://redis:6379/1';
const BUCKET = 'http://minio:9000/juicefs';

interface Cluster {
  readonly plane: ControlPlane;
  readonly node: RealNode;
}

/** Claims from which pods read all the time. */
export const CLAIMS = ['thin', 'jfs', 'alluxio'] as const;
export type Claim = (typeof CLAIMS)[number];
/** A claim whose fuse pod ends with the last pod that reads: `cleanPolicy: OnDemand`. */
export const ON_DEMAND = 'demand';

/** Resolves when those of the claims, and the one on demand, are Bound. */
export async function createDatasets({ plane, node }: Cluster, claims: readonly Claim[]): Promise<void> {
  const { kubectl } = plane;
  const folder = join(node.dir, 'pages');
  mkdirSync(folder, { recursive: true });
  writeFiles(folder);
  await kubectl('apply', '-f', join(folder, 'minio.yaml'));
  await apply(plane, ...redis);
  await kubectl('rollout', 'status', 'deployment/minio', '--timeout=120s');
  await kubectl('wait', '--for=condition=Ready', 'pod/redis', '--timeout=120s');
  const put = `cd /tmp; ${CONTENT} > ${FILE}; rclone copy ${FILE} store:my-first-bucket; rm ${FILE}`;
  await kubectl('exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-ec', put);
  const format = `juicefs format --storage minio --bucket ${BUCKET} --access-key minioadmin --secret-key minioadmin ${METAURL} files`;
  const sync = `META=${METAURL} juicefs sync minio://minioadmin:minioadmin@minio:9000/my-first-bucket/${FILE} jfs://META/${FILE}`;
  await kubectl('exec', 'redis', '--', 'sh', '-ec', `${format} 2> /dev/null; ${sync} 2> /dev/null`);
  const objects = { thin: [], jfs: juicefs(node), alluxio: alluxio(node) };
  await apply(plane, ...thin, ...claims.flatMap((claim) => objects[claim]));
  if (claims.includes('alluxio')) await letProbeSucceed(plane);
  for (const name of [...claims, ON_DEMAND])
    await kubectl('wait', '--for=jsonpath={.status.phase}=Bound', `dataset/${name}`, '--timeout=600s');
}

/** The startup probe of the master asks it by the name of its Service, which has no address before the probe has succeeded. */
async function letProbeSucceed(plane: ControlPlane): Promise<void> {
  const service = 'service/alluxio-master-0';
  await plane.kubectl('wait', '--for=create', service, '--timeout=120s');
  await plane.kubectl('patch', service, '--type=merge', '-p', '{"spec":{"publishNotReadyAddresses":true}}');
}

const apply = (plane: ControlPlane, ...objects: readonly KubeObject[]) =>
  plane.kubectlApply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

/** A real FUSE client of a folder of its own pod. */
const CLIENT = `umount -l "$MOUNT_POINT"; mkdir -p /src "$MOUNT_POINT"; ${CONTENT} > /src/${FILE}; exec rclone mount /src "$MOUNT_POINT" --allow-other`;

const thin: readonly KubeObject[] = [
  thinProfile('folder', { fileSystemType: 'fuse.rclone', fuse: { image: IMAGE, imageTag: IMAGE_TAG, command: ['sh', '-c', CLIENT] } }),
  ...[['thin', 'OnRuntimeDeleted'] as const, [ON_DEMAND, 'OnDemand'] as const].flatMap(([name, cleanPolicy]) => [
    datasetObject(name, { mounts: [{ mountPoint: 'local:///src', name: 'src' }], accessModes: ['ReadOnlyMany'], placement: 'Shared' }),
    thinRuntime(name, { profileName: 'folder', fuse: { cleanPolicy } }),
  ]),
];

function juicefs(node: RealNode): readonly KubeObject[] {
  const [image = '', imageTag = ''] = JUICEFS_IMAGE.split(':');
  const keys = { metaurl: METAURL, 'access-key': 'minioadmin', 'secret-key': 'minioadmin' };
  const path = join(node.dir, 'juicefs-cache');
  return [
    secret('jfs-keys', keys),
    datasetObject('jfs', {
      accessModes: ['ReadWriteMany'],
      placement: 'Shared',
      mounts: [
        {
          name: 'files',
          mountPoint: 'juicefs:///',
          options: { storage: 'minio', bucket: BUCKET },
          encryptOptions: Object.keys(keys).map((key) => encrypted(key, 'jfs-keys', key)),
        },
      ],
    }),
    jfsRuntime('jfs', {
      juicefsVersion: { image, imageTag },
      fuse: { image, imageTag, cleanPolicy: 'OnRuntimeDeleted' },
      tieredstore: { levels: [{ mediumtype: 'SSD', path, quota: '1Gi', low: '0.1' }] },
    }),
  ];
}

function alluxio(node: RealNode): readonly KubeObject[] {
  const keys = { 's3a.accessKeyId': 'minioadmin', 's3a.secretKey': 'minioadmin' };
  return [
    datasetObject('alluxio', {
      placement: 'Shared',
      mounts: [
        { name: 'minio', mountPoint: 's3://my-first-bucket', path: '/', options: { ...minioOptions('http://minio:9000'), ...keys } },
      ],
    }),
    smallAlluxio('alluxio', join(node.dir, 'alluxio-cache')),
  ];
}
