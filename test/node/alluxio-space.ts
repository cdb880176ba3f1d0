/** A cluster as operators have it, with Alluxio's image and an object store that has a bucket, for what is served by an AlluxioRuntime. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Mount } from '../../src/api/index.ts';
import { createClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/reconciler/kubernetes/kubeconfig.ts';
import { alluxioImage, MINIO_IMAGE, minioImage } from '../../harness/index.ts';
import { nodeTools } from '../../harness/tools/tools.ts';
import { createPod } from '../support/real-node.ts';
import { datasetObject, secret } from '../support/objects.ts';
import { condition, createSpace, type Space } from '../support/sluice.ts';
import { type Installed, startInstalled } from './installed.ts';
import { type BytesRead, bytesRead, encrypted, minioOptions, portsOf, smallAlluxio } from './small-alluxio.ts';

export const NAME = 'demo';
/** What a shell, a file of properties or a list would take for something else is left as it is. */
export const SECRET_KEY = 'secret\\key=$HOME';
const KEYS = { access: 'accesskey', secret: SECRET_KEY };
const SECRET = 'bucket-keys';

/** A file: the numbers to 300,000, a line each. */
export const NUMBERS = {
  text: Array.from({ length: 300_000 }, (_, i) => `${i + 1}\n`).join(''),
  bytes: 1_988_895,
  md5: 'daef482d6c698625ab13d987d14e8781',
};

/** Further objects, by bucket and name. */
const SMALL = { 'other/one': 'one\n', 'more/one': 'one\n', 'more/two': 'two\n' };

export interface AlluxioSpace {
  readonly cluster: Installed;
  readonly space: Space;
  /** Writes an object; creates its bucket if that does not exist yet. */
  store(path: string, text: string): Promise<void>;
  /** Of these buckets, with their keys in a Secret. */
  dataset(mounts: readonly Mount[]): KubeObject;
  /** Host ports by name. */
  ports(): Promise<Readonly<Record<string, number>>>;
  /** Runs a command in the master's container; returns what it wrote. */
  inMaster(...argv: readonly string[]): Promise<string>;
  /** Bytes that the worker has read, by its own counters: from its cache, and from buckets. */
  bytesRead(): Promise<BytesRead>;
  /** What went on, for who looks for a cause. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

/** Three buckets are there when it returns. */
export async function startAlluxioSpace(onProgress?: (what: string) => void): Promise<AlluxioSpace> {
  const cluster = await startInstalled({ images: [alluxioImage(), minioImage()], ...(onProgress && { onProgress }) });
  const client = createClient(await connectionFromKubeconfig(cluster.plane.kubeconfig), { fieldManager: 'sluice-tests' });
  const stop = async () => {
    await client.close();
    await cluster.stop();
  };
  try {
    const space = await createSpace(cluster.plane, client, 'alluxio');
    const minio = await startMinio(cluster, space);
    const store = async (path: string, text: string) => {
      const file = join(cluster.node.dir, basename(path));
      writeFileSync(file, text);
      await rclone(minio, 'copy', file, `store:${dirname(path)}`);
    };
    const runtime = () => space.get('AlluxioRuntime', NAME);
    await space.create(secret(SECRET, KEYS));
    for (const [path, text] of Object.entries({ ...SMALL, 'bucket/numbers': NUMBERS.text })) await store(path, text);
    return {
      cluster,
      space,
      store,
      stop,
      dataset: (mounts) =>
        datasetObject(NAME, {
          mounts: [...mounts],
          sharedOptions: minioOptions(`http://minio.${space.namespace}:9000`),
          sharedEncryptOptions: [encrypted('s3a.accessKeyId', SECRET, 'access'), encrypted('s3a.secretKey', SECRET, 'secret')],
        }),
      ports: async () => portsOf(await runtime()),
      inMaster: (...argv) =>
        cluster.plane.kubectl('exec', '-n', space.namespace, `${NAME}-master-0`, '-c', 'alluxio-master', '--', ...argv),
      bytesRead: async () => bytesRead(cluster.node.address, await runtime()),
      async logs() {
        const tail = ['--all-containers', '--prefix', '--tail=20', '--ignore-errors'];
        const said = await space.kubectl('logs', '-l', 'app=alluxio', ...tail).catch(String);
        const described = await space.kubectl('describe', `dataset/${NAME}`, `alluxioruntime/${NAME}`).catch(String);
        return [await cluster.logs(), said, described].join('\n');
      },
    };
  } catch (error) {
    console.error(await cluster.logs());
    await stop();
    throw error;
  }
}

export const demoRuntime = ({ cluster }: Pick<AlluxioSpace, 'cluster'>, networkMode?: 'HostNetwork' | 'ContainerNetwork'): KubeObject =>
  smallAlluxio(NAME, cacheOf({ cluster }), networkMode);

/** The directory of the node in which workers cache. */
export const cacheOf = ({ cluster }: Pick<AlluxioSpace, 'cluster'>): string => join(cluster.node.dir, 'alluxio-cache');

/** Returns its address. */
async function startMinio({ plane }: Installed, space: Space): Promise<string> {
  const { namespace } = space;
  const env = [
    { name: 'MINIO_ROOT_USER', value: KEYS.access },
    { name: 'MINIO_ROOT_PASSWORD', value: KEYS.secret },
  ];
  const readinessProbe = { httpGet: { path: '/minio/health/ready', port: 9000 }, periodSeconds: 1 };
  const script = 'exec minio server /data --address :9000';
  await createPod(plane, { name: 'minio', namespace, image: MINIO_IMAGE, script, container: { env, readinessProbe } });
  const spec = { selector: { app: 'minio' }, ports: [{ port: 9000 }] };
  await plane.create(`/api/v1/namespaces/${namespace}/services`, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'minio' }, spec });
  await space.becomes('Pod', 'minio', condition('Ready', { status: 'True' }), 120);
  return space.kubectl('get', 'pod', 'minio', '-o', 'jsonpath={.status.podIP}');
}

/** A client of the object store on this machine, which reaches the node's pods. */
async function rclone(address: string, ...args: readonly string[]): Promise<void> {
  const env = {
    RCLONE_CONFIG_STORE_TYPE: 's3',
    RCLONE_CONFIG_STORE_PROVIDER: 'Minio',
    RCLONE_CONFIG_STORE_ENDPOINT: `http://${address}:9000`,
    RCLONE_CONFIG_STORE_ACCESS_KEY_ID: KEYS.access,
    RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: KEYS.secret,
  };
  await promisify(execFile)(nodeTools().rclone, ['--config', '/dev/null', ...args], { env });
}
