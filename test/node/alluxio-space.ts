/** An operator's cluster, with Alluxio's image and an object store that has a bucket, for Datasets that an AlluxioRuntime serves. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { DatasetSpec, Mount } from '../../src/api/index.ts';
import { createClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { alluxioImage, MINIO_IMAGE, minioImage } from '../../harness/index.ts';
import { nodeTools } from '../../harness/tools/tools.ts';
import { createPod } from '../support/real-node.ts';
import { datasetObject, secret } from '../support/objects.ts';
import { condition, createSpace, type Space } from '../support/sluice.ts';
import { type Installed, startInstalled } from './installed.ts';
import { type BytesRead, bytesRead, encrypted, minioOptions, portsOf, type SmallAlluxio, smallAlluxio } from './small-alluxio.ts';

/** Characters that a shell, a file of properties or a list would interpret stay as they are. */
export const SECRET_KEY = 'secret\\key=$HOME';
const KEYS = { access: 'accesskey', secret: SECRET_KEY };
const SECRET = 'bucket-keys';

/** A file: the numbers to 300,000, a line each. */
export const NUMBERS = {
  text: Array.from({ length: 300_000 }, (_, i) => `${i + 1}\n`).join(''),
  bytes: 1_988_895,
  md5: 'daef482d6c698625ab13d987d14e8781',
};

const NOTES = 'what is new\n';
/**
 * A stand-in for the mirror of Apache's releases that Fluid's own scenarios read over HTTPS: Maven has no jar of Alluxio's client for
 * HTTP. Buckets have the names and the shape of the mirror's directories: one large file, and a few small ones.
 */
const MIRROR: Readonly<Record<string, string>> = {
  'zookeeper/zookeeper-bin.tar.gz': NUMBERS.text,
  'zookeeper/RELEASENOTES.md': NOTES,
  'hadoop/hadoop-bin.tar.gz': 'a release\n',
  'hadoop/RELEASENOTES.md': NOTES,
  'hbase/hbase-bin.tar.gz': NUMBERS.text,
  'hbase/RELEASENOTES.md': NOTES,
  'hbase/CHANGES.md': 'what has changed\n',
};

export interface AlluxioSpace {
  readonly cluster: Installed;
  readonly space: Space;
  /** Writes an object; creates its bucket if that does not exist yet. */
  store(path: string, text: string): Promise<void>;
  /** A Dataset of these buckets, with their keys in a Secret. */
  dataset(name: string, mounts: readonly Mount[], more?: DatasetSpec): KubeObject;
  /** Keeps its cache on the node. */
  runtime(name: string, more?: SmallAlluxio): KubeObject;
  /** The pods of the Dataset of this name. */
  of(name: string): Serving;
  /** The directory of the node in which workers cache. */
  readonly cacheDir: string;
  /** Logs, for the search for a cause. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

export interface Serving {
  /** Host ports by name. */
  ports(): Promise<Readonly<Record<string, number>>>;
  /** Runs a command in the master's container; returns what it wrote. */
  inMaster(...argv: readonly string[]): Promise<string>;
  /** Bytes that the worker has read, by its own counters: from its cache, and from what Alluxio mounts. */
  bytesRead(): Promise<BytesRead>;
}

/** The buckets are there when it returns. */
export async function startAlluxioSpace(onProgress?: (what: string) => void): Promise<AlluxioSpace> {
  const cluster = await startInstalled({ images: [alluxioImage(), minioImage()], ...(onProgress && { onProgress }) });
  const client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
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
    const cacheDir = join(cluster.node.dir, 'alluxio-cache');
    await space.create(secret(SECRET, KEYS));
    for (const [path, text] of Object.entries(MIRROR)) await store(path, text);
    return {
      cluster,
      space,
      store,
      stop,
      cacheDir,
      dataset: (name, mounts, more) =>
        datasetObject(name, {
          ...more,
          mounts: [...mounts],
          sharedOptions: minioOptions(`http://minio.${space.namespace}:9000`),
          sharedEncryptOptions: [encrypted('s3a.accessKeyId', SECRET, 'access'), encrypted('s3a.secretKey', SECRET, 'secret')],
        }),
      runtime: (name, more) => smallAlluxio(name, cacheDir, more),
      of: (name) => ({
        ports: async () => portsOf(await space.get('AlluxioRuntime', name)),
        inMaster: (...argv) =>
          cluster.plane.kubectl('exec', '-n', space.namespace, `${name}-master-0`, '-c', 'alluxio-master', '--', ...argv),
        bytesRead: async () => bytesRead(cluster.node.address, await space.get('AlluxioRuntime', name)),
      }),
      async logs() {
        const tail = ['--all-containers', '--prefix', '--tail=20', '--ignore-errors'];
        const said = await space.kubectl('logs', '-l', 'app=alluxio', ...tail).catch(String);
        const described = await space.kubectl('describe', 'datasets,alluxioruntimes,dataloads,databackups').catch(String);
        return [await cluster.logs(), said, described].join('\n');
      },
    };
  } catch (error) {
    console.error(await cluster.logs());
    await stop();
    throw error;
  }
}

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
