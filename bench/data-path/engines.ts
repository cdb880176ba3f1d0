/** The Dataset of each engine as its users write it, and the command by which its client is started by hand. */
import { join } from 'node:path';
import { ALLUXIO_IMAGE, alluxioImage, JUICEFS_IMAGE, juicefsImage, minioImage } from '../../harness/index.ts';
import type { ImageDefinition, ImageFiles } from '../../scripts/image/archive.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { encrypted, minioOptions, smallAlluxio } from '../../test/node/small-alluxio.ts';
import { datasetObject, jfsRuntime, objectsIn, thinRuntime } from '../../test/support/objects.ts';
import { profileText } from '../../test/support/profiles.ts';
import { READER_IMAGE } from './reader-image.ts';
import { BUCKET, intoBucket, KEYS, SECRET, STORE, type Store } from './store.ts';

export const NAME = 'data';
/** Resources of each client. No limit of CPU: the node has two cores for all. */
const RESOURCES = { requests: { cpu: '100m' }, limits: { memory: '2Gi' } };
const QUOTA_MIB = 4096;

export interface Engine {
  images(): readonly ImageDefinition[];
  /** Programs that the loader of the store needs beside rclone. */
  programs?(): ImageFiles;
  readonly store: Store;
  /** The engine reads some hundred pages or names a second. */
  readonly isSlow?: true;
  /** `cache` is the folder for caches on the node. */
  objects(cache: string): readonly KubeObject[];
  /** The client's container, which mounts at `mount`, and its cache in the same folder. */
  bare(mount: string, cache: string): { readonly command: readonly string[]; readonly [field: string]: unknown };
}

const access = { accessModes: ['ReadWriteMany' as const] };
const keys = Object.keys(KEYS).map((key) => encrypted(key, SECRET, key));
const variable = (name: string, key: string) => ({ name, valueFrom: { secretKeyRef: { name: SECRET, key } } });
const split = (image: string) => {
  const [name = '', tag = ''] = image.split(':');
  return { image: name, imageTag: tag };
};

const METAURL = 'redis://store.default:6379/1';

const juicefs: Engine = {
  images: () => [juicefsImage(), minioImage()],
  programs() {
    const path = '/usr/local/bin/juicefs';
    const { [path]: program } = juicefsImage().files;
    return program ? { [path]: program } : {};
  },
  store: {
    keys: { metaurl: METAURL },
    load: `juicefs format --storage minio --bucket ${STORE}/${BUCKET} --access-key "$MINIO_ROOT_USER" --secret-key "$MINIO_ROOT_PASSWORD" ${METAURL} files
META=${METAURL} juicefs sync --threads 16 /data/ jfs://META/`,
    containers: [
      { name: 'redis', image: JUICEFS_IMAGE, command: ['redis-server', '--save', '', '--protected-mode', 'no', '--dir', '/tmp'] },
    ],
  },
  objects: (cache) => [
    datasetObject(NAME, {
      ...access,
      mounts: [
        {
          name: 'files',
          mountPoint: 'juicefs:///',
          options: { storage: 'minio', bucket: `${STORE}/${BUCKET}` },
          encryptOptions: [...keys, encrypted('metaurl', SECRET, 'metaurl')],
        },
      ],
    }),
    jfsRuntime(NAME, {
      replicas: 0,
      juicefsVersion: split(JUICEFS_IMAGE),
      fuse: { ...split(JUICEFS_IMAGE), cleanPolicy: 'OnDemand', resources: RESOURCES },
      tieredstore: { levels: [{ mediumtype: 'SSD', path: join(cache, 'claim'), quota: `${QUOTA_MIB}Mi`, volumeType: 'hostPath' }] },
    }),
  ],
  bare: (mount, cache) => ({
    image: JUICEFS_IMAGE,
    command: ['bash', '-c', `exec juicefs mount "$METAURL" ${mount} --cache-dir ${join(cache, 'bare')} --cache-size ${QUOTA_MIB}`],
    env: [variable('METAURL', 'metaurl')],
    resources: RESOURCES,
  }),
};

/** Workers have the cache, for both clients. */
const alluxio: Engine = {
  images: () => [alluxioImage(), minioImage()],
  store: { load: intoBucket },
  isSlow: true,
  objects(cache) {
    const runtime = smallAlluxio(NAME, join(cache, 'worker'), { quota: `${QUOTA_MIB}Mi` });
    // The spec of smallAlluxio, but with room for a client that is in use.
    const spec = runtime['spec'] as { readonly fuse: object };
    return [
      datasetObject(NAME, {
        ...access,
        mounts: [{ name: 'files', mountPoint: `s3://${BUCKET}`, path: '/' }],
        sharedOptions: minioOptions(STORE),
        sharedEncryptOptions: [encrypted('s3a.accessKeyId', SECRET, 'access-key'), encrypted('s3a.secretKey', SECRET, 'secret-key')],
      }),
      { ...runtime, spec: { ...spec, fuse: { ...spec.fuse, jvmOptions: ['-Xmx512m'], cleanPolicy: 'OnDemand', resources: RESOURCES } } },
    ];
  },
  bare: (mount) => ({
    image: ALLUXIO_IMAGE,
    command: ['/entrypoint.sh', 'fuse', '--fuse-opts=kernel_cache,rw,allow_other', mount, '/'],
    env: [
      { name: 'ALLUXIO_CLIENT_HOSTNAME', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
      { name: 'ALLUXIO_CLIENT_JAVA_OPTS', value: ' -Dalluxio.user.hostname=${ALLUXIO_CLIENT_HOSTNAME} ' },
    ],
    // The addresses of this Alluxio, and what it is told to be.
    envFrom: [{ configMapRef: { name: `${NAME}-config` } }],
    resources: RESOURCES,
  }),
};

/** The profile of examples/profiles/s3. */
const s3: Engine = {
  images: () => [minioImage()],
  store: { load: intoBucket },
  objects: () => [
    ...objectsIn(
      profileText('s3', 'profile.yaml')
        .replace(/image: \S+/, `image: ${split(READER_IMAGE).image}`)
        .replace(/imageTag: \S+/, `imageTag: '${split(READER_IMAGE).imageTag}'`),
    ),
    datasetObject(NAME, {
      ...access,
      mounts: [{ name: 'files', mountPoint: `s3://${BUCKET}`, readOnly: false, options: { url: STORE }, encryptOptions: keys }],
    }),
    thinRuntime(NAME, { profileName: 's3', fuse: { cleanPolicy: 'OnDemand', resources: RESOURCES } }),
  ],
  bare: (mount) => ({
    image: READER_IMAGE,
    command: ['bash', '-c', `mkdir -p ${mount}; exec s3fs ${BUCKET}:/ ${mount} -f -o url=${STORE},use_path_request_style,allow_other`],
    env: [variable('AWS_ACCESS_KEY_ID', 'access-key'), variable('AWS_SECRET_ACCESS_KEY', 'secret-key')],
    resources: RESOURCES,
  }),
};

export const engines = { juicefs, alluxio, s3 } satisfies Readonly<Record<string, Engine>>;
export type EngineName = keyof typeof engines;
