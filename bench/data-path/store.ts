/** The files to read: in a bucket of MinIO, or in JuiceFS on top of it. Their later readers have not written them. */
import { MINIO_IMAGE } from '../../harness/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { secret } from '../../test/support/objects.ts';

export const KEYS = { 'access-key': 'accesskey', 'secret-key': 'secretkey' };
export const SECRET = 'keys';
export const BUCKET = 'bucket';
/** For pods of any namespace, and those of the node's network. */
export const STORE = 'http://store.default:9000';

export interface Store {
  /** Runs in the image of the reader, once the files are in /data and MinIO answers. */
  readonly load: string;
  readonly containers?: readonly object[];
  /** Further keys of the Secret. */
  readonly keys?: Readonly<Record<string, string>>;
}

const variables = Object.entries({
  MINIO_ROOT_USER: KEYS['access-key'],
  MINIO_ROOT_PASSWORD: KEYS['secret-key'],
  RCLONE_CONFIG_STORE_TYPE: 's3',
  RCLONE_CONFIG_STORE_PROVIDER: 'Minio',
  RCLONE_CONFIG_STORE_ENDPOINT: STORE,
  RCLONE_CONFIG_STORE_ACCESS_KEY_ID: KEYS['access-key'],
  RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: KEYS['secret-key'],
});

/** Into the bucket itself. */
export const intoBucket = `rclone copy --transfers 16 --checkers 16 /data store:${BUCKET}`;

/** The pod `store`, ready when it has the files; its Service; and the Secret of its keys. */
export function storeObjects({ load, containers = [], keys = {} }: Store, image: string, cold: number): readonly KubeObject[] {
  const env = variables.map(([name, value]) => ({ name, value }));
  const script = `python3 /reader.py prepare /data ${cold}
until rclone mkdir store:${BUCKET}; do sleep 0.5; done
${load}
rm -rf /data/*; touch /tmp/done; exec tail -f /dev/null`;
  const loader = {
    name: 'loader',
    image,
    command: ['bash', '-ec', script],
    env,
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    readinessProbe: { exec: { command: ['test', '-e', '/tmp/done'] }, periodSeconds: 1 },
  };
  const minio = {
    name: 'minio',
    image: MINIO_IMAGE,
    command: ['minio', 'server', '/minio'],
    env,
    volumeMounts: [{ name: 'minio', mountPath: '/minio' }],
  };
  return [
    secret(SECRET, { ...KEYS, ...keys }),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'store', labels: { app: 'store' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [minio, loader, ...containers],
        // The store's own in memory, so that no disk is measured.
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'minio', emptyDir: { medium: 'Memory' } },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'store' },
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { app: 'store' },
        ports: [9000, 6379].map((port) => ({ name: `p${port}`, port })),
      },
    },
  ];
}
